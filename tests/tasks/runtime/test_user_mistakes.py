"""A user's mistake in a flow that runs without Prefect's engine is an exception as any other."""

import logging
import sys

import pytest

from tasks.runtime.errors import UserError
from tasks.runtime.user_mistakes import _no_mistake, without_traceback


@without_traceback
def refuse(value: int) -> None:
    raise UserError(f"the value is {value}")


def test_outside_of_a_run_the_mistake_is_raised():
    with pytest.raises(UserError, match="the value is 3"):
        refuse(3)


@pytest.mark.parametrize(("error", "kept"), [(UserError("mine"), False), (ValueError("a crash"), True), (None, True)])
def test_of_the_engines_lines_those_about_a_mistake_are_left_out_alone(error, kept):
    try:
        if error:
            raise error
        raised = None
    except Exception:
        raised = sys.exc_info()
    record = logging.LogRecord("prefect.flow_runs", logging.ERROR, __file__, 1, "Encountered exception", (), raised)
    assert kept == _no_mistake(record)
