"""The local workers of a run, and why a task has no result."""

import functools
from concurrent.futures.process import BrokenProcessPool

from heldout.errors import TaskFailed
from heldout.running import fit_limit
from heldout.running.workers import Workers, code_of, how
from tasks.runtime.errors import one_line

fit_workers = functools.partial(Workers, imports="tasks.fits.worker", limit="execution.fit_timeout")


def reason_of(error: BaseException) -> str | None:
    """Why a task has no result, if it is the task that ended its workers; None for another error."""
    if isinstance(error, TaskFailed):
        return str(error)
    if not isinstance(error, BrokenProcessPool):
        return None
    # of another machine's worker
    if code_of(error) in fit_limit.CODES:
        return "a fit took longer than execution.fit_timeout, and was ended"
    return f"its worker died: {one_line(how(error))}"
