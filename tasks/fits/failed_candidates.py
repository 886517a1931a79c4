"""Candidates whose tasks end their workers: the first reason is kept, and no further task of them is started.

Known as long as this process lives, for all stages of a run.
"""

import functools
import logging
from collections import defaultdict
from concurrent.futures import CancelledError, Executor, Future
from typing import Any

from heldout import digests
from tasks.fits.work import Work
from tasks.fits.workers import reason_of
from tasks.params import Candidate, Settings

log = logging.getLogger("heldout")

_reasons: dict[str, str] = {}  # by the key of the candidate
_unfinished: dict[str, set["Future[Any]"]] = defaultdict(set)


def key(settings: Settings, candidate: Candidate) -> str:
    """The key of a candidate, for its tasks: another limit of a fit is another one."""
    return digests.content_hash(candidate.identity(), settings.execution.fit_timeout)


def submit(pool: Executor, work: Work) -> "Future[Any]":
    """Submit a task. The result of its future is that of the task, or the reason if its candidate failed."""
    future: Future[Any]
    if work.candidate in _reasons:
        future = Future()
        future.set_result(_reasons[work.candidate])
        return future
    future = pool.submit(work.function, *work.arguments)
    if work.candidate:
        _unfinished[work.candidate].add(future)
        future.add_done_callback(functools.partial(_note, work))
        if work.candidate in _reasons:  # since the first look
            future.cancel()
    return future


def result(work: Work, future: "Future[Any]") -> Any:
    """The result of a submitted task, or the reason of its failure if it ended its workers."""
    try:
        return future.result()
    except CancelledError:
        if work.candidate not in _reasons:  # the run ends
            raise
        return _reasons[work.candidate]
    except Exception as error:
        reason = reason_of(error)
        if reason is None:
            raise
        return _reasons.get(work.candidate, reason)


def _note(work: Work, future: "Future[Any]") -> None:
    _unfinished[work.candidate].discard(future)
    error = None if future.cancelled() else future.exception()
    reason = None if error is None else reason_of(error)
    if reason is None or work.candidate in _reasons:
        return
    _reasons[work.candidate] = reason
    log.warning("%s: %s; no further task of this candidate is started", work.name, reason)
    for other in [*_unfinished.pop(work.candidate, ())]:
        other.cancel()
