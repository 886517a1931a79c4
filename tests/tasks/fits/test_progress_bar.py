"""How far the run is: lines in a log, or a bar in a terminal; the time left only where it is worth telling."""

import logging
import re

import pytest

from tasks.fits import progress_bar
from tasks.fits.progress_bar import Progress
from tasks.fits.work import Work


@pytest.fixture(autouse=True)
def fresh_run(monkeypatch):
    monkeypatch.setattr(progress_bar, "_earlier", progress_bar._Done())


@pytest.fixture
def log(caplog, monkeypatch):
    """The messages, with a line for each task."""
    monkeypatch.setattr(progress_bar, "_LOG_EVERY_SECONDS", 0.0)
    caplog.set_level(logging.INFO, logger="heldout")
    logging.getLogger("heldout").propagate = True
    return caplog


@pytest.fixture
def clock(monkeypatch):
    """A function that lets seconds pass."""
    now = [100.0]
    monkeypatch.setattr(progress_bar.time, "monotonic", lambda: now[0])

    def wait(seconds: float) -> None:
        now[0] += seconds

    return wait


def tasks(count, seconds=0.0, name="task"):
    return [Work(name, str, (), (f"{name} {place}",), seconds) for place in range(count)]


def seconds_left(line):
    found = re.search(r", about (\d+) s of fits left$", line)
    return int(found[1]) if found else None


def test_a_log_gets_a_line_at_most_every_ten_seconds(log, monkeypatch, capsys):
    monkeypatch.setattr(progress_bar, "_LOG_EVERY_SECONDS", 10.0)
    todo = tasks(1000)
    with Progress("folds", todo) as shown:
        for work in todo:
            shown.advance(work)
    assert [] == log.messages
    assert "" == capsys.readouterr().out


def test_a_line_has_the_tasks_of_the_run_that_are_done_and_to_do(log):
    first, second = tasks(4), tasks(6, name="later")
    with Progress("folds", first) as shown:
        for work in first:
            shown.advance(work)
    assert [f"folds: {done}/4 tasks" for done in (1, 2, 3, 4)] == log.messages
    with Progress("steps", second) as shown:
        for work in second:
            shown.advance(work)
    assert [f"steps: {4 + done}/10 tasks" for done in range(1, 7)] == log.messages[4:]


def test_while_the_seconds_of_fits_are_measured_nobody_knows_how_many_there_are(log, clock):
    todo = tasks(3, seconds=1.0)
    with Progress("holdout", todo, measuring=True) as shown:
        for work in todo:
            clock(60)
            shown.advance(work)
    assert ["holdout: 1/? tasks", "holdout: 2/? tasks", "holdout: 3/? tasks"] == log.messages


def test_the_time_left_is_right_after_a_few_tasks_although_the_longest_come_first(log, clock):
    todo = [*tasks(3, seconds=9.0), *tasks(300, seconds=0.1, name="short")]  # and one worker, half as fast as expected
    with Progress("folds", todo) as shown:
        for work in todo:
            clock(2 * work.seconds)
            shown.advance(work)
    done, right = 0.0, []
    for work in todo:
        done += work.seconds
        right.append(2 * (57 - done))
    told = [seconds_left(line) for line in log.messages]
    assert told[0] is None  # of one task no speed is known
    assert max(abs((one or 0) - other) for one, other in zip(told[1:], right[1:], strict=True)) <= 2


def test_a_terminal_shows_one_bar_and_no_lines_and_clears_it(log, monkeypatch, capsys):
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("COLUMNS", "100")
    first = tasks(2)
    with Progress("folds", first) as shown:
        for work in first:
            shown.advance(work)
    out = capsys.readouterr().out
    assert "folds" in out
    assert "2/2" in out
    assert out.endswith("\x1b[2K")  # the line is empty again
    assert [] == log.messages


@pytest.mark.parametrize("terminal", ["0", "1"])
def test_nothing_to_do_shows_nothing(log, monkeypatch, capsys, terminal):
    monkeypatch.setenv("TTY_COMPATIBLE", terminal)
    with Progress("folds", []):
        pass
    assert "" == capsys.readouterr().out


def interrupted() -> None:
    todo = tasks(3)
    with Progress("folds", todo) as shown:
        shown.advance(todo[0])
        raise KeyboardInterrupt


def test_an_interruption_passes_and_gives_the_cursor_back(monkeypatch, capsys):
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    out = capsys.readouterr().out
    assert out.rfind("\x1b[?25h") > out.rfind("\x1b[?25l")
