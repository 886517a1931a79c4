"""Finished units: a value is there whole or not at all."""

import os
import pickle
import shutil
import socket
import stat
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from heldout import digests
from tasks.fits import run_schemes
from tasks.runtime.errors import UserError
from tasks.storage import fit_cache
from tests.tasks.mistakes import assert_names

LAWS = settings(max_examples=60, deadline=None, derandomize=True, database=None)
KEY = digests.key("a", 1)


@pytest.mark.parametrize(
    "value",
    [None, (np.arange(3.0), None), (np.zeros((0,)), 0.25), {"a": [1, "b"]}],
    ids=lambda value: type(value).__name__,
)
def test_what_was_saved_is_loaded(value):
    assert not fit_cache.has(KEY)
    fit_cache.save(KEY, value)
    assert fit_cache.has(KEY)
    assert repr(value) == repr(fit_cache.load(KEY))


def test_a_second_save_takes_the_place_of_the_first_and_leaves_other_units():
    other = digests.key("b", 1)
    fit_cache.save(other, "other")
    fit_cache.save(KEY, "first")
    fit_cache.save(KEY, "second")
    assert ("second", "other") == (fit_cache.load(KEY), fit_cache.load(other))
    assert 2 == sum(path.is_file() for path in fit_cache.FOLDER.rglob("*"))


def test_all_units_lie_below_the_folder_and_are_gone_with_it(checkout):
    fit_cache.save(KEY, 1)
    assert [Path(".cache")] == [path.relative_to(checkout) for path in checkout.iterdir()]


class Killed:
    """Goes wrong half way through being written."""

    def __reduce__(self):
        raise KeyboardInterrupt


@pytest.mark.parametrize("before", [False, True])
def test_a_save_that_is_interrupted_half_way_leaves_what_was_there(before):
    if before:
        fit_cache.save(KEY, "before")
    with pytest.raises(KeyboardInterrupt):
        fit_cache.save(KEY, (np.zeros(10_000), Killed()))
    assert before == fit_cache.has(KEY)
    if before:
        assert "before" == fit_cache.load(KEY)
    fit_cache.save(KEY, "after")
    assert "after" == fit_cache.load(KEY)


class Meets:
    """Is written by two threads at once."""

    def __init__(self, barrier):
        self.barrier = barrier

    def __reduce__(self):
        self.barrier.wait()
        return str, ("met",)


def test_two_threads_may_finish_the_same_unit():
    barrier, errors = threading.Barrier(2, timeout=10), []

    def save():
        try:
            fit_cache.save(KEY, Meets(barrier))
        except OSError as error:
            errors.append(error)

    threads = [threading.Thread(target=save) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [] == errors


def stored(name=KEY) -> Path:
    (path,) = fit_cache.FOLDER.rglob(name)
    return path


PLANTED = {
    "a pickle": lambda: pickle.dumps("planted"),
    "behind a checksum without a key": lambda: bytes(32) + pickle.dumps("planted"),
    "behind the checksum of another value": lambda: stored().read_bytes()[:32] + pickle.dumps("planted"),
    "cut off": lambda: stored().read_bytes()[:-1],
    "shorter than a checksum": lambda: b"short",
    "nothing": lambda: b"",
}


def as_file(content):
    return lambda path: path.write_bytes(content())


def instead(make):
    def replace(path):
        path.unlink()
        make(path)

    return replace


def behind_a_link(path):
    """The file itself, at another place."""
    path.rename("elsewhere")
    path.symlink_to(Path("elsewhere").absolute())


def as_a_socket(path):
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(path))


def in_place_of_the_folder(path):
    path.unlink()
    path.parent.rmdir()
    path.parent.write_bytes(b"a file")


DAMAGED = {
    **{name: as_file(content) for name, content in PLANTED.items()},
    "a folder": instead(lambda path: (path / "inside").mkdir(parents=True)),
    "a link": behind_a_link,
    "a link to nothing": instead(lambda path: path.symlink_to("nothing")),
    "a socket": instead(as_a_socket),
}


@pytest.fixture(autouse=True)
def nothing_refused():
    yield
    fit_cache.refused()


@pytest.mark.fault("fit store")
@pytest.mark.parametrize("damage", [*DAMAGED.values(), in_place_of_the_folder], ids=[*DAMAGED, "a file for its folder"])
def test_what_is_damaged_or_planted_is_not_read_but_made_again(damage, monkeypatch):
    fit_cache.save(KEY, "own")
    path = stored()
    damage(path)
    with monkeypatch.context() as patched:
        patched.setattr(pickle, "load", lambda _: pytest.fail("it was read"))
        assert not fit_cache.has(KEY)
        assert not fit_cache.has(KEY)
        said = fit_cache.refused()
        if path.parent.is_dir():
            assert_names(said, 1, str(path), "made again")
        assert "" == fit_cache.refused()
        with pytest.raises(UserError, match="run again"):
            fit_cache.load(KEY)
    fit_cache.save(KEY, "own")
    assert fit_cache.has(KEY)
    assert "own" == fit_cache.load(KEY)
    assert 1 == sum(path.is_file() for path in fit_cache.FOLDER.rglob("*"))


@pytest.mark.fault("fit store")
def test_a_bit_that_flips_anywhere_is_found():
    fit_cache.save(KEY, [1.5, "own"])
    whole = stored().read_bytes()
    for place in range(len(whole)):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << place % 8
        stored().write_bytes(flipped)
        os.utime(stored(), ns=(0, place))  # a clock that is too coarse would hide the change from this process
        assert not fit_cache.has(KEY), place
    assert_names(fit_cache.refused(), len(whole))


@pytest.mark.fault("fit store")
@pytest.mark.parametrize("kept", range(6))
def test_the_least_recently_used_files_go(kept):
    names = [digests.key("unit", number) for number in range(5)]
    for name in names:
        fit_cache.save(name, bytes(1000))
    before = {name: stored(name).read_bytes() for name in names}
    for age, name in enumerate(names):
        os.utime(stored(name), ns=(age, age))
    assert fit_cache.has(names[0])  # used just now, and as old as before
    assert 0 == stored(names[0]).stat().st_mtime_ns
    size = stored(names[0]).stat().st_size
    assert (5 - kept) * size == fit_cache.prune(kept * size + size // 2)
    left = {*names[1:][::-1][: kept - 1], names[0]} if kept else set()
    assert left == {name for name in names if fit_cache.has(name)}
    assert all(stored(name).read_bytes() == before[name] for name in left)


@pytest.mark.fault("fit store")
def test_a_run_removes_files_beyond_the_limit_before_its_first_fit(settings_with, caplog):
    caplog.set_level("INFO", "heldout")
    fit_cache.save(KEY, bytes(10_000))
    run_schemes.remove_old_fits(settings_with("execution.cache_gb=null"))
    run_schemes.remove_old_fits(settings_with())
    assert fit_cache.has(KEY)
    assert "" == caplog.text
    run_schemes.remove_old_fits(settings_with("execution.cache_gb=0.000001"))
    assert not fit_cache.has(KEY)
    assert_names(caplog.text, "1.01e-05 GB", "execution.cache_gb is 1e-06")


@pytest.mark.fault("hostile")
def test_a_unit_does_not_pass_for_another_nor_in_another_checkout(checkout, monkeypatch):
    other = digests.key("b", 1)
    for name in (KEY, other):
        fit_cache.save(name, name)
    shutil.copy(stored(), stored(other))
    fit_cache.refused()
    assert [True, False] == [fit_cache.has(KEY), fit_cache.has(other)]
    (checkout / "second").mkdir()
    shutil.copytree(fit_cache.FOLDER, checkout / "second" / fit_cache.FOLDER)
    monkeypatch.chdir(checkout / "second")
    assert not fit_cache.has(KEY)
    shutil.copy(checkout / ".cache/secret", ".cache/secret")
    monkeypatch.chdir(checkout / "second")
    assert fit_cache.has(KEY)


@pytest.mark.fault("hostile")
@pytest.mark.parametrize("umask", [0, 0o022, 0o777], ids=oct)
def test_only_their_owner_may_read_the_files(umask, checkout):
    Path(".cache").mkdir(0o755)  # of an earlier version
    before = os.umask(umask)
    try:
        fit_cache.save(KEY, 1)
    finally:
        os.umask(before)
    modes = {path.is_dir(): stat.S_IMODE(path.stat().st_mode) for path in [Path(".cache"), *Path(".cache").rglob("*")]}
    assert {True: 0o700, False: 0o600} == modes


@pytest.mark.fault("hostile")
def test_a_cache_of_another_user_is_refused(monkeypatch):
    fit_cache.save(KEY, 1)
    owner = Path(".cache").stat().st_uid
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    with pytest.raises(UserError) as caught:
        fit_cache.save(KEY, 2)
    assert_names(str(caught.value), ".cache", owner, "clone")


@pytest.mark.fault("fit store")
def test_two_workers_may_make_the_folder_at_the_same_moment(monkeypatch):
    fit_cache.save(KEY, "own")
    monkeypatch.setattr(Path, "is_dir", lambda _: False)  # as the other worker saw it, before this one made it
    fit_cache.save(KEY, "again")
    assert "again" == fit_cache.load(KEY)
