"""The fits of the shipped run, without Prefect, compared with a user's script of scikit-learn and joblib."""

import shutil
import time
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any
from unittest import mock

import joblib
import numpy as np
from sklearn.base import clone
from sklearn.model_selection import PredefinedSplit, cross_validate

from benchmarks.checkout import checkout, flow
from benchmarks.measured import PEER, Row, against
from heldout.splits.split import Split
from tasks.fits import executor, half_model_disagreement, run_schemes
from tasks.fits.work import Work, longest_first
from tasks.params import Settings, load
from tasks.params.running import Execution
from tasks.plans.fit_plans import every_scheme, scheme
from tasks.plans.read_design import read_design
from tasks.storage import files, fit_cache

_JOBLIB = f"joblib {joblib.__version__}"
_FEWER_FITS = {"covalidation": {"repeats": 3}}  # a tenth of those of the shipped run
_WITHOUT_SHORTCUT = ("forest", "boosting")  # every fit is made


def rows(scale: int) -> Iterator[Row]:
    """The rows of this comparison; each is measured once if `scale` is above 1."""
    times = 5 if scale == 1 else 1
    with (
        checkout(changes=None if scale == 1 else _FEWER_FITS),
        mock.patch.object(run_schemes, "run_all", _run_all),
        mock.patch.object(half_model_disagreement, "run_all", _run_all),
    ):
        flow("prepare")
        settings = load("params.yaml", [])
        yield _folds(settings, times)
        yield _whole(settings, min(times, 3))
        yield _scaling(settings, times)
        executor.stop()


def _folds(settings: Settings, times: int) -> Row:
    without = settings.execution.model_copy(update={"shortcuts": "off"})
    candidates = [candidate for candidate in settings.candidates if candidate.name in _WITHOUT_SHORTCUT]
    reduced = settings.model_copy(update={"candidates": candidates, "execution": without})
    fold, (X, y) = PredefinedSplit(read_design(reduced).partition.fold), files.read_table(files.LABELED)

    def ours() -> None:
        shutil.rmtree(fit_cache.FOLDER, ignore_errors=True)
        run_schemes.fit_all(reduced, ["cross_validation"])

    def theirs() -> None:
        for candidate in reduced.candidates:
            cross_validate(candidate.learner(), X, y, cv=fold, n_jobs=2)

    work, peer = "10 folds of forest and boosting without shortcuts, 2 workers", f"cross_validate(n_jobs=2), {PEER}"
    return against(work, len(y), peer, ours, theirs, 1.05, times)


def _whole(settings: Settings, times: int) -> Row:
    disagreements: list[dict[str, float]] = [{}, {}]  # ours, theirs

    def ours() -> None:
        disagreements[0] = _pipeline(settings)

    def theirs() -> None:
        disagreements[1] = _script(settings)

    work, peer = "all fits and answers of the shipped run, 2 workers, median of 3", f"a script of {_JOBLIB} and {PEER}"
    row = against(work, settings.data.labeled_rows or 0, peer, ours, theirs, 0.5, times)
    ours_by_name, theirs_by_name = disagreements
    np.testing.assert_allclose([ours_by_name[name] for name in theirs_by_name], [*theirs_by_name.values()], rtol=1e-9)
    return row


def _scaling(settings: Settings, times: int) -> Row:
    """Two workers, then one: a change of the pool's size starts a worker, which does not count."""
    one_worker = settings.model_copy(update={"execution": settings.execution.model_copy(update={"workers": 1})})
    medians = []
    for chosen in (settings, one_worker):
        run_schemes.warm_up(chosen)
        seconds = []
        for _ in range(min(times, 3)):
            started = time.perf_counter()
            _pipeline(chosen)
            seconds.append(time.perf_counter() - started)
        medians.append(median(seconds))
    ours, theirs = medians
    work = "all fits and answers of the shipped run, 2 workers, median of 3"
    return Row(work, settings.data.labeled_rows or 0, "itself with 1 worker", ours, theirs, ours / theirs, 1 / 1.8)


def _pipeline(settings: Settings) -> dict[str, float]:
    """Every fit and prediction of a run; the disagreement of each candidate."""
    shutil.rmtree(fit_cache.FOLDER, ignore_errors=True)
    design = read_design(settings)
    finished, _ = run_schemes.fit_all(settings, every_scheme(design))
    margins, *_ = half_model_disagreement.disagree_all(settings, design.loss, finished["covalidation"])
    return {name: float(np.average(of.means, weights=of.rows)) for name, of in margins.items()}


def _script(settings: Settings) -> dict[str, float]:
    """The same as one joblib loop over all fits, on arrays, without files."""
    design, (X, y) = read_design(settings), files.read_table(files.LABELED)
    labeled = np.ascontiguousarray(X.to_numpy())
    unlabeled = np.concatenate([files.read_shard(path).to_numpy() for path in files.shards()])
    names = every_scheme(design)
    todo = [
        (candidate.name, candidate.learner(), split, unlabeled if name == "covalidation" else None)
        for name in names
        for candidate in settings.candidates
        for split in scheme(design, name, settings.deliver).splits
    ]
    done = joblib.Parallel(n_jobs=2)(
        joblib.delayed(_fit)(learner, labeled, y, split, shared_rows) for _, learner, split, shared_rows in todo
    )
    by_candidate: dict[str, list[Any]] = {}
    for (name, _, _, shared_rows), (_, predicted) in zip(todo, done, strict=True):
        if shared_rows is not None:
            by_candidate.setdefault(name, []).append(predicted)
    return {
        name: float(np.mean(np.array(halves[::2]) != np.array(halves[1::2]))) for name, halves in by_candidate.items()
    }


def _fit(learner: Any, X: Any, y: Any, split: Split, unlabeled: Any) -> tuple[list[Any], Any]:
    """The losses on the tested rows; for a half also the losses on its training rows and its unlabelled predictions."""
    hypothesis = clone(learner).fit(X[split.train], y[split.train])
    losses = [hypothesis.predict(X[split.validation]) != y[split.validation]]
    if unlabeled is None:
        return losses, None
    losses.append(hypothesis.predict(X[split.train]) != y[split.train])
    return losses, hypothesis.predict(unlabeled)


def _run_all(execution: Execution, _what: str, todo: Sequence[Work], _reused: int, **_shown: Any) -> Any:
    """The fan-out of tasks without Prefect, whose time has a row of its own."""
    pool = executor.executor(execution)
    futures = {place: pool.submit(todo[place].function, *todo[place].arguments) for place in longest_first(todo)}
    return [futures[place].result() for place in range(len(todo))]
