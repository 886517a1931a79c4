"""A user's mistake in Prefect: one message in the run's log and in its state, and no traceback."""

import functools
import logging
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from prefect import State, get_run_logger
from prefect.context import FlowRunContext
from prefect.states import Failed

from tasks.runtime.errors import UserError
from tasks.runtime.full_disk import is_full

Given = ParamSpec("Given")
Result = TypeVar("Result")
_ENGINE = ("prefect.flow_runs", "prefect.engine")  # they would log what was raised, with its traceback


def without_traceback(work: Callable[Given, Result]) -> Callable[Given, Result | State[Result]]:
    """The function of a flow, which ends as Failed with the message of a UserError; other errors are crashes of ours.

    Who called the flow gets the UserError, as if the function had raised it.
    """

    @functools.wraps(work)
    def run(*given: Given.args, **named: Given.kwargs) -> Result | State[Result]:
        try:
            return work(*given, **named)
        except UserError as error:
            if FlowRunContext.get() is None or is_full(error):  # a full disk holds no state either
                raise
            for name in _ENGINE:
                logging.getLogger(name).addFilter(_no_mistake)
            get_run_logger().error("%s", error)
            return Failed(message=str(error), data=error)

    return run


def _no_mistake(record: logging.LogRecord) -> bool:
    """Whether a line is about anything else than a mistake, which was logged already."""
    return not (record.exc_info and isinstance(record.exc_info[1], UserError))
