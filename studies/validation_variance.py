"""The variance of a validation error is sigma^2 / K, whatever the learner and the loss.

Gruber, Validierung: E_val of a fixed hypothesis on K independent examples has the mean E_out and the variance
sigma^2 / K, sigma^2 = Var e(h(X), Y).

A hypothesis is trained on half of a table of scikit-learn. The other half is the population: validation sets of K rows
are drawn from it with replacement, so that E_out and sigma^2 are known exactly, by counting.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeRegressor

from heldout.learners.fitting import fit_and_test
from heldout.losses import ABSOLUTE, SQUARED, ZERO_ONE
from heldout.losses.tested_losses import Tested
from heldout.schemes import holdout
from heldout.splits.partition import cut
from studies.study import Finding, Record, mean_interval

SEED, NEEDS_DATA = 0, False
SIZES = (1, 5, 20, 100, 500)  # K
SETS, QUICK_SETS = 1_000, 150  # validation sets of each hypothesis and size
UNITS, QUICK_UNITS, HYPOTHESES = 5, 1, 6  # units of each case, hypotheses in a unit
CASES: Mapping[str, tuple[Any, Any, Any]] = {
    "least squares, squared loss": (LinearRegression(), load_diabetes, SQUARED),
    "regression tree, absolute loss": (DecisionTreeRegressor(min_samples_leaf=5), load_diabetes, ABSOLUTE),
    "naive Bayes, 0/1 loss": (GaussianNB(), load_breast_cancer, ZERO_ONE),
    "nearest neighbour, 0/1 loss": (KNeighborsClassifier(1), load_digits, ZERO_ONE),
}


def units(quick: bool) -> Sequence[tuple[str, int, int]]:
    """A case, the number of a batch of hypotheses, and the number of validation sets."""
    sets = QUICK_SETS if quick else SETS
    return [(case, batch, sets) for case in CASES for batch in range(QUICK_UNITS if quick else UNITS)]


def measure(unit: tuple[str, int, int], data: Path | None) -> list[Record]:  # noqa: ARG001
    """For each hypothesis and K, the variance over sigma^2 / K, and the mean over E_out."""
    case, batch, sets = unit
    learner, load, loss = CASES[case]
    X, y = load(return_X_y=True)
    found: list[Record] = []
    for number in range(HYPOTHESES):
        rng = np.random.default_rng([SEED, list(CASES).index(case), batch, number])
        split = holdout.split(cut(y, len(y) // 2, stratify=False, random_state=int(rng.integers(2**31))))
        population = fit_and_test(learner, X, y, split, loss, state=0).losses
        E_out, variance = population.mean(), population.var()
        for K in SIZES:
            drawn = rng.integers(len(population), size=(sets, K))
            E_val = np.array([Tested(losses, loss).error for losses in population[drawn]])
            ratio = ((E_val - E_out) ** 2).mean() / (variance / K)
            found.append({"case": case, "K": K, "variance": float(ratio), "mean": float(E_val.mean() / E_out)})
    return found


def findings(results: pd.DataFrame) -> list[Finding]:
    """Both ratios, over all learners, hypotheses and K; the variance also at both ends of K."""
    at = results.groupby("K")["variance"]
    return [
        _one("gruber-variance-sigma2-over-k", results["variance"]),
        *(_one(f"gruber-variance-k-{K}", at.get_group(K)) for K in (SIZES[0], SIZES[-1])),
        _one("gruber-mean-over-e-out", results["mean"]),
    ]


def _one(name: str, ratios: pd.Series) -> Finding:
    return Finding.of(name, *mean_interval(ratios), published=1)


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:  # noqa: ARG001
    """None: all numbers are 1."""
    return {}
