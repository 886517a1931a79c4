"""`heldout.validate` at its defaults next to a plain script, and with two processes next to one.

The script makes the same estimates on the same splits: it fits each hypothesis of each scheme, asks it for the rows
that the estimates test, and means the losses. It has no interval, no bound, no check and no record of warnings. Both
ways are counted in time of the processor.
"""

import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from lightgbm import LGBMClassifier
from sklearn.base import clone, is_classifier
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import heldout
from benchmarks.measured import PEER, Row, compared, draw, paired
from heldout.estimates import schemes_of
from heldout.schemes.design import Design

_COLUMNS = 20
_TIMES = 3
_LEARNERS: tuple[tuple[Any, float], ...] = (
    (Ridge(), 0.25),
    (GaussianNB(), 0.25),
    (LinearDiscriminantAnalysis(), 0.4),
    (KNeighborsClassifier(), 0.4),
    (LogisticRegression(), 0.8),
    (DecisionTreeClassifier(random_state=0), 0.75),
    (SVC(), 0.42),
    (RandomForestClassifier(20, random_state=0), 0.75),
    (HistGradientBoostingClassifier(max_iter=30, random_state=0), 0.75),
    (LGBMClassifier(n_estimators=30, verbose=-1), 0.75),
)
_QUICK = 7  # of them, without the ensembles


def rows(scale: int) -> Iterator[Row]:
    """A row for each learner; sizes are divided by `scale`. Ensembles and eight candidates run at scale 1 only."""
    times = _TIMES if scale == 1 else 1
    for learner, bar in _LEARNERS if scale == 1 else _LEARNERS[:_QUICK]:
        yield _row(learner, 2000 // scale, bar, times)
    if scale == 1:
        yield _by_processes("eight candidates", _eight(), 1000, 1 / 1.7, times)
    yield _by_processes("three candidates of a second", _short(), 1000 // scale, 1.05, times)


def _row(learner: Any, n: int, bar: float, times: int) -> Row:
    X, classes, numbers = draw(n, _COLUMNS)
    y = classes if is_classifier(learner) else numbers

    def ours() -> Any:
        return heldout.validate({"learner": learner}, X, y)

    # as many halvings as the rule may make of few rows, and every call made before it
    design = heldout.validate({"learner": learner}, X, y, repeats=30).design

    def theirs() -> float:
        with threadpool_limits(1):
            return sum(_mean_loss(learner, X, y, design, scheme) for scheme in schemes_of(design))

    seconds, of_script = paired(ours, theirs, times=times, clock=time.process_time)
    work = (
        f"all estimates of heldout.validate at its defaults, {type(learner).__name__}, p = {_COLUMNS}, processor time"
    )
    return compared(work, n, f"a script of the same fits and tests, with 30 halvings, {PEER}", seconds, of_script, bar)


def _eight() -> dict[str, Any]:
    forests = {f"forest {trees}": RandomForestClassifier(trees, random_state=0) for trees in (10, 20, 40)}
    boosting = {f"boosting {steps}": HistGradientBoostingClassifier(max_iter=steps) for steps in (10, 20, 40)}
    return {**forests, **boosting, "tree": DecisionTreeClassifier(), "logistic": LogisticRegression()}


def _short() -> dict[str, Any]:
    return {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2), "logistic": LogisticRegression()}


def _by_processes(work: str, candidates: dict[str, Any], n: int, bar: float, times: int) -> Row:
    X, y, _ = draw(n, _COLUMNS)
    one, two = (partial(heldout.validate, candidates, X, y, n_jobs=jobs, progress=False) for jobs in (1, 2))
    of_one, of_two = paired(one, two, times=times)
    return compared(f"heldout.validate of {work}, n_jobs=2", n, "itself with n_jobs=1", of_two, of_one, bar)


def _mean_loss(learner: Any, X: Any, y: Any, design: Design, scheme: str) -> float:
    """What a script computes of one scheme: the mean loss of each hypothesis; of a half model on both halves."""
    means = []
    for split in design.splits(scheme):
        hypothesis = clone(learner).fit(X[split.train], y[split.train])
        for tested in (split.validation, split.train)[: 2 if scheme == "covalidation" else 1]:
            answers = hypothesis.predict(X[tested])
            wrong = answers != y[tested] if is_classifier(learner) else (answers - y[tested]) ** 2
            means.append(np.mean(wrong))
    return float(np.mean(means))
