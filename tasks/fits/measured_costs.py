"""How long a learner takes: measured by small fits in the workers that will make the fits of a run.

The seconds are those of the processor, which a worker with one thread has for itself: they do not depend on what else
runs meanwhile.
"""

import os
import resource
import time
from collections.abc import Sequence
from concurrent.futures import Executor, Future
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout import digests
from heldout.errors import FitFailure
from heldout.learners.fitting import answers, fit_and_test
from heldout.losses import Loss
from heldout.running.fit_limit import limited
from heldout.running.quiet import quiet
from heldout.splits.split import Split
from tasks.fits.workers import reason_of
from tasks.params import Candidate, Settings
from tasks.plans.budget import Cost
from tasks.storage import fit_cache

_MOST_ROWS, _MOST_BYTES = 40_000, 40e6  # of the sample that a worker gets
_FIRST_ROWS, _GROWTH = 250, 4
_LONG_SECONDS, _TOO_LONG_SECONDS = 0.6, 3.0  # a fit that long is the last, if the next is expected to be too long
_SHORT_SECONDS = 0.1  # a fit that short is made once more, to be sure
_FEW_COLUMNS = 20  # of the fit that makes the imports
_FEW_ANSWERS, _MOST_ANSWERS = 20, 4000


def measure_all(
    pool: Executor, settings: Settings, X: Any, y: NDArray[np.generic], loss: Loss
) -> dict[str, tuple[Cost, float]]:
    """The cost of each candidate on rows of X, a frame or a stored table, and the most bytes that its worker held.

    A candidate that ends its worker costs nothing: the run will say so.
    """
    places = np.random.default_rng(0).permutation(X.shape[0])[:_MOST_ROWS]
    a_row = X.iloc[places[:_FIRST_ROWS]].memory_usage(deep=True).sum() / min(len(places), _FIRST_ROWS)
    places = places[: max(_FIRST_ROWS, int(_MOST_BYTES / a_row))]
    some = X.iloc[places].reset_index(drop=True)
    sample = digests.key("sample", os.getpid())  # a file, which every worker reads: no copy of it for each candidate
    fit_cache.store.save(sample, (some, y[places]))
    try:
        futures = {
            candidate.name: pool.submit(measure, settings, candidate, sample, loss) for candidate in settings.candidates
        }
        return {name: _result(future) for name, future in futures.items()}
    finally:
        fit_cache.store.remove(sample)


def _result(future: "Future[tuple[Cost, float]]") -> tuple[Cost, float]:
    try:
        return future.result()
    except Exception as error:
        if reason_of(error) is None:
            raise
        return Cost((1,), (0.0,), (0.0,)), 0.0


def measure(settings: Settings, candidate: Candidate, sample: str, loss: Loss) -> tuple[Cost, float]:
    """In a worker, on the stored `sample` of rows in random order: the cost, and the most bytes held.

    A fit that fails costs the time until it failed: the run will say so.
    """
    settings.use_folder()
    X, y = fit_cache.store.load(sample)
    learner, limit = candidate.learner(), settings.execution.fit_timeout
    points: list[tuple[int, float, float]] = []
    with quiet():
        _measured(learner, X.iloc[:, :_FEW_COLUMNS], y, loss, sizes(len(y))[0], limit)  # imports
        for rows in sizes(len(y)):
            fit, answer = _measured(learner, X, y, loss, rows, limit)
            if fit < _SHORT_SECONDS:
                again = _measured(learner, X, y, loss, rows, limit)
                fit, answer = min(fit, again[0]), min(answer, again[1])
            points.append((rows, fit, answer))
            if fit + answer * rows > _LONG_SECONDS and _next(points) > _TOO_LONG_SECONDS:
                break
    return Cost(*zip(*points, strict=True)), 1024.0 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _next(points: Sequence[tuple[int, float, float]]) -> float:
    """The seconds of the next fit and its answers, by those before: trees that are full grow hardly with the rows."""
    rows = _GROWTH * points[-1][0]
    return Cost(*zip(*points, strict=True)).seconds(rows, rows)


def sizes(rows: int) -> Sequence[int]:
    """The numbers of training rows to measure: each four times the one before, the last one all `rows`."""
    found = [rows]
    while found[-1] >= _FIRST_ROWS:
        found.append(found[-1] // _GROWTH)
    return found[::-1]


def _measured(
    learner: Any, X: Any, y: NDArray[np.generic], loss: Loss, rows: int, limit: float | None
) -> tuple[float, float]:
    """The seconds of a fit on the first `rows` with the fixed cost of its test, and of each answer."""
    everything = np.arange(len(y))
    clock = [time.process_time()]
    try:
        with limited(limit):
            fitted = fit_and_test(learner, X, y, Split(everything[:rows], everything[:_FEW_ANSWERS]), loss, 0)
            for count in (_FEW_ANSWERS, _MOST_ANSWERS):
                clock.append(time.process_time())
                answers(fitted.hypothesis, X, loss, everything[:count])
    except FitFailure:
        return time.process_time() - clock[0], 0.0
    clock.append(time.process_time())
    fit, few, many = np.diff(clock).tolist()
    return fit, max(0.0, many - few) / max(1, min(len(y), _MOST_ANSWERS) - _FEW_ANSWERS)
