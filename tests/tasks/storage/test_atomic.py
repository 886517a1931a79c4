"""A folder that is replaced: whenever the process is killed, the old or the new folder is there, complete."""

import os
import signal
import sys

import pytest

from tasks.storage import atomic
from tasks.storage.atomic import replacing, replacing_file

MOST = 100


def write(folder, content: str) -> None:
    with replacing(folder) as fresh:
        for name in "abc":
            (fresh / name).write_text(content)


def contents(folder) -> set[str]:
    """What its files contain; all three have to be there."""
    assert ["a", "b", "c"] == sorted(path.name for path in folder.iterdir())
    return {path.read_text() for path in folder.iterdir()}


def killed_before(nth: int, work) -> bool:
    """Whether a process that does the work was killed before the nth thing that it asked of the file system."""
    child = os.fork()
    if child == 0:
        left = iter(range(nth))

        def count(event: str, _: object) -> None:
            if event.startswith(("os.", "shutil.")) and event != "os.kill" and next(left, None) is None:
                os.kill(os.getpid(), signal.SIGKILL)

        try:
            sys.addaudithook(count)
            work()
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


@pytest.mark.fault("renames")
@pytest.mark.parametrize("in_one_step", [True, False])
def test_killed_at_any_moment_the_old_or_the_new_folder_is_there(tmp_path, monkeypatch, in_one_step):
    if not in_one_step:
        monkeypatch.setattr(atomic, "_exchange", lambda *_: False)
    folder, found = tmp_path / "folder", []
    write(folder, "old")
    for nth in range(MOST):
        killed = killed_before(nth, lambda: write(folder, "new"))
        if not in_one_step and not folder.exists():  # a file system that cannot: the next run finds the old folder
            with pytest.raises(KeyError), replacing(folder):
                raise KeyError
        found.append(contents(folder))
        assert found[-1] in ({"old"}, {"new"})
        write(folder, "old")
        assert [folder] == [*tmp_path.iterdir()]
        if not killed:
            break
    assert nth < MOST - 1
    assert {"old"} == found[0]
    assert {"new"} == found[-1] == found[-2]


def test_a_block_that_fails_leaves_the_old_folder_and_nothing_else(tmp_path):
    folder = tmp_path / "folder"
    write(folder, "old")
    with pytest.raises(UnicodeEncodeError):
        write(folder, "\udc80")
    assert {"old"} == contents(folder)
    assert [folder] == [*tmp_path.iterdir()]


@pytest.mark.fault("hostile")
@pytest.mark.parametrize("place", ["folder", ".folder.new", ".folder.old"])
@pytest.mark.parametrize("there", [True, False])
def test_a_link_in_place_of_a_folder_is_replaced_and_what_it_leads_to_stays(tmp_path, place, there):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine").write_text("mine")
    here = tmp_path / "here"
    here.mkdir()
    (here / place).symlink_to(elsewhere if there else tmp_path / "nothing")
    for content in ("first", "second"):
        write(here / "folder", content)
        assert contents(here / "folder") == {content}
        assert [here / "folder"] == [*here.iterdir()]
    assert ["mine"] == [path.name for path in elsewhere.iterdir()]


@pytest.mark.fault("hostile")
@pytest.mark.parametrize("place", ["file", ".file.new"])
def test_a_link_in_place_of_a_file_is_replaced_and_what_it_leads_to_stays(tmp_path, place):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    (tmp_path / place).symlink_to(elsewhere)
    with replacing_file(tmp_path / "file") as draft:
        draft.write_text("new")
    assert (tmp_path / "file").read_text() == "new"
    assert elsewhere.read_text() == "mine"
