"""The disk fills up while the real commands run: they end soon, with 2 and one line, and the next run is whole."""

import contextlib
import dataclasses
import os
import shutil
import subprocess
import time

import pytest

pytestmark = [pytest.mark.long, pytest.mark.fault("disk full")]
SOON_SECONDS = 100


@pytest.fixture
def small_disk(tmp_path, request):
    """A file system of 80 MB, or of few inodes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    size = getattr(request, "param", "size=80m")
    if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", folder]).returncode:
        pytest.skip("only root may mount a file system")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


def fill(folder, left=0):
    """Write until `left` bytes are free."""
    path = folder / "fill"
    try:
        with path.open("ab", buffering=0) as file:
            while file.write(bytes(1 << 14)):
                pass
    except OSError:
        os.truncate(path, path.stat().st_size - left)
    return path


@pytest.mark.parametrize("command", [("python", "-m", "flows", "validate"), ("dvc", "repro")])
@pytest.mark.parametrize("when", ["at the start", "data/prepared", "data/results/fits"])
def test_a_disk_that_fills_up_ends_the_run_and_the_next_is_whole(clone, write_params, small_disk, command, when):
    checkout = clone()
    write_params(checkout.path / "params.yaml", execution={"workers": 1})
    small = dataclasses.replace(checkout, path=checkout.copy(small_disk / "heldout").path)
    said = checkout.path.parent / "said.txt"
    with said.open("w") as file:
        if when == "at the start":
            fill(small_disk, left=200_000)
        process = small.start(*command, stdout=file, stderr=file)
        if when != "at the start":
            small.wait_until((small.path / when).exists, process, seconds=300)
            fill(small_disk)
        began = time.monotonic()
        process.wait(300)
    words = said.read_text()
    assert time.monotonic() - began < SOON_SECONDS, words
    assert (2 if command[0] == "python" else 255) == process.returncode, words
    assert "Traceback" not in words
    assert "space" in words.lower()  # also where DVC itself says it
    small.wait_until(lambda: not small.processes())
    (small_disk / "fill").unlink()
    small.run(*command)
    checkout.run(*command)
    assert checkout.hashes() == small.hashes()


def test_a_host_that_is_killed_on_a_full_disk_is_no_riddle(clone, write_params, small_disk):
    checkout = clone()
    write_params(checkout.path / "params.yaml", execution={"workers": 1})
    small = dataclasses.replace(checkout, path=checkout.copy(small_disk / "heldout").path)
    said = checkout.path.parent / "said.txt"
    with said.open("w") as file:
        process = small.start("dvc", "repro", stdout=file, stderr=file)
        small.wait_until(lambda: "holdout and final: " in said.read_text(), process, seconds=300)
        hosts = small.processes("flows.host")
        fill(small_disk)
        for host in hosts:
            host.kill()
        process.wait(300)
    assert 255 == process.returncode, said.read_text()
    assert "bytes are free on its disk" in said.read_text()


@pytest.mark.parametrize("small_disk", ["size=400m,nr_inodes=6000"], indirect=True)
@pytest.mark.parametrize("when", ["at the start", "data/prepared"])
def test_no_inode_that_is_left_is_said_and_the_next_run_is_whole(clone, write_params, small_disk, when):
    checkout, many = clone(), small_disk / "many"
    write_params(checkout.path / "params.yaml", execution={"workers": 1})
    small = dataclasses.replace(checkout, path=checkout.copy(small_disk / "heldout").path)
    said = checkout.path.parent / "said.txt"
    with said.open("w") as file:
        if when == "at the start":
            take_inodes(many, left=100)
        process = small.start("python", "-m", "flows", "validate", stdout=file, stderr=file)
        if when != "at the start":
            small.wait_until((small.path / when).exists, process, seconds=300)
            take_inodes(many)
        process.wait(300)
    words = said.read_text()
    assert 2 == process.returncode, words
    assert "Traceback" not in words
    assert "inode" in words
    small.wait_until(lambda: not small.processes())
    shutil.rmtree(many)
    small.flow("validate")
    checkout.flow("validate")
    assert checkout.hashes() == small.hashes()


def take_inodes(folder, left=0):
    """Make empty files until inodes for `left` further files are there."""
    folder.mkdir()
    with contextlib.suppress(OSError):
        while os.statvfs(folder).f_favail > left:
            (folder / str(os.statvfs(folder).f_favail)).touch()
