"""The variance of a learner's error is at most half of its disagreement, and its error lies between two bounds.

Madani, Pennock, Flake, section 2. With e_x the chance that a trained hypothesis errs at x, and d_x that two of them
differ there: d_x / 2 = e_x (1 - e_x) (equation 2), 2 sigma_f^2 <= d (theorem 1), and the error e lies between
(1 - sqrt(1 - 2d)) / 2 and (1 + sqrt(1 - 2d)) / 2 (equation 4). The population is all rows of a set, so that errors are
counted, not sampled; five learners are trained on random draws of 20 or 50 of its rows, 1,000 times. Over all pairs of
hypotheses, with replacement, the bounds hold exactly, whatever was drawn. A disagreement as it is measured, on 30
independent pairs or on 2, is an estimate, and a share of such samples violates them. The learner that answers the class
of its first row always has 2 sigma_f^2 / d = (1 - 2p)^2, where p is the share of a class: near 1 for a rare class.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from heldout.losses import ZERO_ONE
from heldout.unlabelled.disagreement import pointwise_disagreement
from heldout.unlabelled.implied_error import error_bound
from studies import madani_tasks
from studies.madani_pictures import STYLES
from studies.study import Finding, Record, mean_interval, share_interval

SEED, NEEDS_DATA = 0, False
LEARNERS: Mapping[str, tuple[Callable[[], Any], int | None]] = {  # and how many rows it uses, None for all
    "class of a row": (DummyClassifier, 1),
    "naive Bayes": (GaussianNB, None),
    "logistic": (lambda: LogisticRegression(C=10.0), None),
    "nearest neighbour": (lambda: KNeighborsClassifier(1), None),
    "tree": (lambda: DecisionTreeClassifier(random_state=0), None),
}
SIZES, ROWS = (20, 50), 300  # of training sets, and of the population
HYPOTHESES, QUICK_HYPOTHESES = 1_000, 60
PAIRS = (30, 2)  # of a sample
ROUNDING = 1e-9
Unit = tuple[str, str, int, int]


def units(quick: bool) -> Sequence[Unit]:
    """Set, learner, size of the training sets, number of hypotheses."""
    count = QUICK_HYPOTHESES if quick else HYPOTHESES
    return [(name, learner, size, count) for name in madani_tasks.SHIPPED for learner in LEARNERS for size in SIZES]


def measure(unit: Unit, data: Path | None) -> list[Record]:
    """Error, variance and disagreement over all pairs, and those of samples of a few independent pairs."""
    name, learner, size, count = unit
    task, places = madani_tasks.load(name, data), (madani_tasks.SHIPPED.index(name), list(LEARNERS).index(learner))
    rng = np.random.default_rng([SEED, *places, size])
    population = rng.permutation(len(task.y))[:ROWS]
    X, y = task.X[population], task.y[population]
    answers = np.array([_answers(learner, X, y, size, rng) for _ in range(count)])
    wrong = ZERO_ONE.pointwise(y, answers)
    differ, share = pointwise_disagreement(answers[::2], answers[1::2], ZERO_ONE).mean(axis=1), answers.mean(axis=0)
    everything = {
        "pairs": 0,
        "d": float(2 * (share * (1 - share)).mean()),  # over all pairs, with replacement
        "error": float(wrong.mean()),
        "variance": float(wrong.mean(axis=1).var()),
        "pointwise": float(differ.mean() / (2 * wrong.var(axis=0, ddof=1).mean())),
    }
    of_pairs = wrong.mean(axis=1).reshape(-1, 2)
    samples = [
        {
            "pairs": pairs,
            "d": float(differ[first : first + pairs].mean()),
            "error": float(of_pairs[first : first + pairs].mean()),
            "variance": float(of_pairs[first : first + pairs].var(ddof=1)),
        }
        for pairs in PAIRS
        for first in range(0, len(differ) - pairs + 1, pairs)
    ]
    return [{"set": name, "learner": learner, "size": size, **record} for record in [everything, *samples]]


def _answers(
    learner: str, X: NDArray[np.float64], y: NDArray[np.bool_], size: int, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """The answers at all rows of a hypothesis that random rows, with both classes, trained."""
    rows = rng.choice(len(y), size, replace=False)
    while len(np.unique(y[rows])) == 1:
        rows = rng.choice(len(y), size, replace=False)
    make, most = LEARNERS[learner]
    answers: NDArray[np.bool_] = make().fit(X[rows[:most]], y[rows[:most]]).predict(X)
    return answers


def findings(results: pd.DataFrame) -> list[Finding]:
    """Violations in expectation, and their share of samples."""
    above, outside = _above(results), _outside(results)
    expected = results["pairs"] == 0
    whole = results[expected]
    n = len(whole)
    ratios = 2 * whole["variance"] / whole["d"]
    most = whole[ratios == ratios.max()].iloc[0]
    found = [
        Finding(
            "variance-bound-half-disagreement",
            float(ratios.max()),
            not above[expected].any(),
            f"{above[expected].sum()} of {n} above 1; the largest is of {most['learner']}, {most['set']}",
            "at most 1",
        ),
        Finding.of("pointwise-half-disagreement", *mean_interval(whole["pointwise"]), published=1.0),
        Finding("jensen-bounds", int(outside[expected].sum()), not outside[expected].any(), f"of {n} errors", 0),
    ]
    for pairs in PAIRS:
        some = results["pairs"] == pairs
        for name, wrong in (("variance-bound", above), ("jensen-bounds", outside)):
            share = share_interval(int(wrong[some].sum()), int(some.sum()))
            because = "share of samples that violate it"
            found.append(Finding(f"{name}-violated-{pairs}-pairs", share[0], True, because, "", *share[1:]))
    return found


def _above(results: pd.DataFrame) -> "pd.Series[bool]":
    """Whether the variance is above half of the disagreement."""
    return results["variance"].gt(results["d"] / 2 + ROUNDING)


def _outside(results: pd.DataFrame) -> "pd.Series[bool]":
    """Whether the error is outside of the two bounds that the disagreement gives."""
    low = np.array([error_bound(d, ZERO_ONE, 2)[0] for d in results["d"]])
    return results["error"].lt(low - ROUNDING) | results["error"].gt(1 - low + ROUNDING)


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:
    """Variance and error against disagreement, with the bounds; in expectation, and of samples."""
    figure = Figure(figsize=(9, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    shown, rest = results[results["pairs"] == 0], results[results["pairs"] == PAIRS[0]]
    for axes, column in ((left, "variance"), (right, "error")):
        axes.plot(rest["d"], rest[column], ".", color="0.75", label=f"a sample of {PAIRS[0]} pairs")
        for (learner, some), style in zip(shown.groupby("learner", sort=False), STYLES, strict=False):
            axes.plot(some["d"], some[column], **{**style, "linestyle": ""}, label=learner)
        axes.set_xlabel("disagreement d, share of rows")
    d = np.linspace(0, 0.5, 200)
    low = np.array([error_bound(each, ZERO_ONE, 2)[0] for each in d])
    left.plot(d, d / 2, "k--", label="bound")
    right.plot(d, low, "k--", d, 1 - low, "k--")
    left.set_ylabel("variance of the error over training sets")
    right.set_ylabel("0/1 error e")
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return {"": figure}
