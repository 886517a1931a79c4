"""A user's mistake in a flow that runs without Prefect's engine is an exception as any other."""

import errno
import logging
import sys
from pathlib import Path

import pytest
from prefect.context import FlowRunContext

from tasks.runtime import user_mistakes
from tasks.runtime.errors import UserError
from tasks.runtime.full_disk import is_full, written
from tasks.runtime.user_mistakes import without_traceback


@without_traceback
def refuse(value: int) -> None:
    raise UserError(f"the value is {value}")


def test_outside_of_a_run_the_mistake_is_raised():
    with pytest.raises(UserError, match="the value is 3"):
        refuse(3)


def test_within_a_run_a_full_disk_is_raised_since_the_server_cannot_store_a_state_either(monkeypatch):
    @without_traceback
    def write() -> None:
        with written(Path("losses.parquet")):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(FlowRunContext, "get", lambda: object())
    with pytest.raises(UserError, match="losses.parquet could not be written") as raised:
        write()
    assert is_full(raised.value)


@pytest.mark.parametrize(("error", "kept"), [(UserError("mine"), False), (ValueError("a crash"), True), (None, True)])
def test_of_the_engines_lines_those_about_a_mistake_are_left_out_alone(error, kept, monkeypatch):
    engine = logging.getLogger("prefect.flow_runs")
    monkeypatch.setattr(engine, "filters", [])
    monkeypatch.setattr(FlowRunContext, "get", lambda: object())
    monkeypatch.setattr(user_mistakes, "get_run_logger", lambda: logging.getLogger("of the run"))
    refuse(3)
    try:
        if error:
            raise error
        raised = None
    except Exception:
        raised = sys.exc_info()
    record = logging.LogRecord("prefect.flow_runs", logging.ERROR, __file__, 1, "Encountered exception", (), raised)
    assert kept == bool(engine.filter(record))
