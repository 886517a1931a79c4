"""The disk fills up while the real commands run: they end soon, with 2 and one line, and the next run is whole."""

import dataclasses
import os
import subprocess
import time

import pytest

pytestmark = [pytest.mark.long, pytest.mark.fault("disk full")]
SOON_SECONDS = 100


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 80 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=80m", "tmpfs", folder]).returncode:
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
@pytest.mark.parametrize("when", ["at the start", "data/prepared", "data/results/cross_validation"])
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
