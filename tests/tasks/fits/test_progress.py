"""How far the work is: lines in a log, or a bar in a terminal."""

import logging

import pytest

from tasks.fits import progress
from tasks.fits.progress import Progress


@pytest.fixture
def log(caplog):
    caplog.set_level(logging.INFO, logger="heldout")
    logging.getLogger("heldout").propagate = True
    return caplog


def test_a_log_is_told_at_most_every_ten_seconds(log, capsys):
    with Progress("folds", 1000) as shown:
        for _ in range(1000):
            shown.advance()
    assert [] == log.messages
    assert "" == capsys.readouterr().out


def test_a_line_tells_the_tasks_done_their_rate_and_the_time_left(log, monkeypatch):
    monkeypatch.setattr(progress, "_LOG_EVERY_SECONDS", 0.0)
    with Progress("folds", 4) as shown:
        for _ in range(4):
            shown.advance()
    assert 4 == len(log.messages)
    for number, line in enumerate(log.messages, 1):
        assert line.startswith(f"folds: {number}/4 tasks, ")
        assert line.endswith(" s left")
    assert log.messages[-1].endswith(" tasks/s, 0 s left")


def test_a_terminal_shows_a_bar_and_no_lines(log, monkeypatch, capsys):
    monkeypatch.setattr(progress, "_LOG_EVERY_SECONDS", 0.0)
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("COLUMNS", "100")
    with Progress("folds", 2) as shown:
        shown.advance()
        shown.advance()
    out = capsys.readouterr().out
    assert "folds" in out
    assert "2/2" in out
    assert "tasks/s" in out
    assert [] == log.messages


@pytest.mark.parametrize("terminal", ["0", "1"])
def test_nothing_to_do_shows_nothing(log, monkeypatch, capsys, terminal):
    monkeypatch.setenv("TTY_COMPATIBLE", terminal)
    with Progress("folds", 0):
        pass
    assert "" == capsys.readouterr().out


def interrupted() -> None:
    with Progress("folds", 3) as shown:
        shown.advance()
        raise KeyboardInterrupt


def test_an_interruption_passes_and_gives_the_cursor_back(monkeypatch, capsys):
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    out = capsys.readouterr().out
    assert out.rfind("\x1b[?25h") > out.rfind("\x1b[?25l")
