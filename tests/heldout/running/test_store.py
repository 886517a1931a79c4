"""A store of fits: a value is there whole or not at all, and what is damaged or planted is never read."""

import os
import pickle
import shutil
import socket
import stat
import threading
from pathlib import Path

import numpy as np
import pytest

from heldout.errors import StoreFailure
from heldout.running.store import FolderStore, MemoryStore

FOLDER = Path("a/fits")
KEY, OTHER = "ab" + 62 * "0", "cd" + 62 * "1"


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return FolderStore(FOLDER, lambda: "secret")


@pytest.fixture(params=["memory", "folder"])
def any_store(request, store):
    return MemoryStore() if request.param == "memory" else store


@pytest.mark.parametrize(
    "value",
    [None, (np.arange(3.0), None), (np.zeros((0,)), 0.25), {"a": [1, "b"]}],
    ids=lambda value: type(value).__name__,
)
def test_what_was_saved_is_loaded_until_it_is_removed(any_store, value):
    assert not any_store.has(KEY)
    any_store.save(KEY, value)
    assert any_store.has(KEY)
    assert repr(value) == repr(any_store.load(KEY))
    for _ in range(2):
        any_store.remove(KEY)
        assert not any_store.has(KEY)
        with pytest.raises(StoreFailure):
            any_store.load(KEY)


@pytest.mark.parametrize(("number", "bytes_"), [(600, (0, 400)), (20_000, (160_000, 161_000))])
def test_a_small_value_is_compressed_and_a_large_one_is_written_as_it_is(store, number, bytes_):
    store.save(KEY, np.zeros(number))
    assert bytes_[0] < store.path(KEY).stat().st_size < bytes_[1]
    assert store.has(KEY)
    assert np.zeros(number).tolist() == store.load(KEY).tolist()


def test_a_second_save_takes_the_place_of_the_first_and_leaves_other_units(any_store):
    any_store.save(OTHER, "other")
    any_store.save(KEY, "first")
    any_store.save(KEY, "second")
    assert ("second", "other") == (any_store.load(KEY), any_store.load(OTHER))
    assert sum(path.is_file() for path in Path().rglob("*")) == (2 if isinstance(any_store, FolderStore) else 0)


class Killed:
    """Goes wrong half way through being written."""

    def __reduce__(self):
        raise KeyboardInterrupt


@pytest.mark.parametrize("before", [False, True])
def test_a_save_that_is_interrupted_half_way_leaves_what_was_there(before, store):
    if before:
        store.save(KEY, "before")
    with pytest.raises(KeyboardInterrupt):
        store.save(KEY, (np.zeros(10_000), Killed()))
    assert before == store.has(KEY)
    if before:
        assert "before" == store.load(KEY)
    store.save(KEY, "after")
    assert "after" == store.load(KEY)


class Meets:
    """Is written by two threads at once."""

    def __init__(self, barrier):
        self.barrier = barrier

    def __reduce__(self):
        self.barrier.wait()
        return str, ("met",)


def test_two_threads_may_finish_the_same_value(store):
    barrier, errors = threading.Barrier(2, timeout=10), []

    def save():
        try:
            store.save(KEY, Meets(barrier))
        except OSError as error:
            errors.append(error)

    threads = [threading.Thread(target=save) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [] == errors


def stored(name=KEY) -> Path:
    (path,) = FOLDER.rglob(name)
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


@pytest.mark.fault("fit store")
@pytest.mark.parametrize("damage", [*DAMAGED.values(), in_place_of_the_folder], ids=[*DAMAGED, "a file for its folder"])
def test_what_is_damaged_or_planted_is_not_read_but_made_again(damage, store, monkeypatch):
    store.save(KEY, "own")
    path = stored()
    damage(path)
    with monkeypatch.context() as patched:
        patched.setattr(pickle, "load", lambda _: pytest.fail("it was read"))
        assert not store.has(KEY)
        assert not store.has(KEY)
        assert store.refused() == ([path] if path.parent.is_dir() else [])
        assert [] == store.refused()
        with pytest.raises(StoreFailure, match="run again"):
            store.load(KEY)
    store.save(KEY, "own")
    assert store.has(KEY)
    assert "own" == store.load(KEY)
    assert 1 == sum(path.is_file() for path in FOLDER.rglob("*"))


@pytest.mark.fault("fit store")
def test_a_bit_that_flips_anywhere_is_found(store):
    store.save(KEY, [1.5, "own"])
    whole = stored().read_bytes()
    for place in range(len(whole)):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << place % 8
        stored().write_bytes(flipped)
        os.utime(stored(), ns=(0, place))  # a clock that is too coarse would hide the change from this process
        assert not store.has(KEY), place
    assert [stored()] * len(whole) == store.refused()


@pytest.mark.fault("fit store")
@pytest.mark.parametrize("kept", range(6))
def test_the_least_recently_used_files_go(kept, store):
    names = [f"{number}{KEY}" for number in range(5)]
    for name in names:
        store.save(name, bytes(1000))
    before = {name: stored(name).read_bytes() for name in names}
    for age, name in enumerate(names):
        os.utime(stored(name), ns=(age, age))
    assert store.has(names[0])  # used just now, and as old as before
    assert 0 == stored(names[0]).stat().st_mtime_ns
    size = stored(names[0]).stat().st_size
    assert (5 - kept) * size == store.prune(kept * size + size // 2)
    left = {*names[1:][::-1][: kept - 1], names[0]} if kept else set()
    assert left == {name for name in names if store.has(name)}
    assert all(stored(name).read_bytes() == before[name] for name in left)


@pytest.mark.fault("fit store")
def test_two_workers_may_make_the_folder_at_the_same_moment(store, monkeypatch):
    store.save(KEY, "own")
    folder, is_dir = stored().parent, Path.is_dir
    # as the other worker saw it, before this one made it
    monkeypatch.setattr(Path, "is_dir", lambda path: path != folder and is_dir(path))
    store.save(KEY, "again")
    assert "again" == store.load(KEY)


@pytest.mark.fault("hostile")
def test_a_value_does_not_pass_for_another_nor_in_the_store_of_another_secret(store):
    for name in (KEY, OTHER):
        store.save(name, name)
    shutil.copy(stored(), stored(OTHER))
    assert [True, False] == [store.has(KEY), store.has(OTHER)]
    assert [stored(OTHER)] == store.refused()
    assert not FolderStore(FOLDER, lambda: "another").has(KEY)


@pytest.mark.fault("hostile")
@pytest.mark.parametrize("umask", [0, 0o022, 0o777], ids=oct)
def test_only_their_owner_may_read_the_files(umask, store):
    FOLDER.mkdir(0o755, parents=True)
    before = os.umask(umask)
    try:
        store.save(KEY, 1)
    finally:
        os.umask(before)
    modes = {path.is_dir(): stat.S_IMODE(path.stat().st_mode) for path in [FOLDER, *FOLDER.rglob("*")]}
    assert {True: 0o700, False: 0o600} == modes


@pytest.mark.fault("hostile")
def test_a_folder_of_another_user_is_refused(store, monkeypatch):
    store.save(KEY, 1)
    owner = FOLDER.stat().st_uid
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    with pytest.raises(StoreFailure, match=str(owner)):
        store.save(KEY, 2)
