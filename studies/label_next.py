"""Errors from rows that were picked where half models disagree, weighed and not: the table of operations.md.

A pool of rows, of which some are drawn by `heldout.unlabelled.label_next.draw` and labelled next to a few random draws
of the same population. Two targets: the true error of a hypothesis that was fixed before the draws, for which LURE is
unbiased, and the mean true error of the fold hypotheses of E_cv, which the drawn rows train. Bias and noise over
samples, in points.

    python -m studies.label_next             # 400 samples of each case: minutes
    python -m studies.label_next --quick     # 50 samples, printed and not written
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import KNeighborsClassifier

from heldout.intervals import corrected_fold_wilson
from heldout.losses import ZERO_ONE
from heldout.losses.ratio import weighed
from heldout.losses.tested_losses import CrossValidated
from heldout.unlabelled.label_next import draw, lure, lure_weights
from studies.made_tables import markdown, write_between

PAGE = Path("docs/operations.md")
BEGIN, END = "<!-- made by `python -m studies.label_next` -->\n", "<!-- end -->"
SAMPLES, RANDOM, REPEATS, FOLDS, LEVEL, FRESH = 400, 40, 5, 5, 0.95, 5000
Rows = tuple[NDArray[np.float64], NDArray[np.int64]]


def boundary(rng: np.random.Generator, n: int) -> Rows:
    """Two features; the class is uncertain near a line alone, where half models differ."""
    X = rng.normal(size=(n, 2))
    return X, (X[:, 0] + 0.4 * rng.normal(size=n) > 0).astype(np.int64)


def agreed(rng: np.random.Generator, n: int) -> Rows:
    """The same, and a tenth of the rows of one class have the features of the other: models agree, and are wrong."""
    X, y = boundary(rng, n)
    wrong = rng.random(n) < 0.1
    X[wrong] = np.column_stack([3 + 0.3 * rng.normal(size=wrong.sum()), rng.normal(size=wrong.sum())])
    y[wrong] = (rng.random(wrong.sum()) < 0.25).astype(np.int64)
    return X, np.where(wrong, 1 - y, y)


@dataclass(frozen=True)
class Case:
    """A population, the rows of the pool, and how many of them are drawn."""

    name: str
    rows: Callable[[np.random.Generator, int], Rows]
    pool: int
    drawn: int

    def __str__(self) -> str:
        return f"{self.name}, {self.drawn} of {self.pool} rows"


CASES = (
    Case("models differ where they err", boundary, 1000, 60),
    Case("models differ where they err", boundary, 1000, 200),
    Case("models differ where they err", boundary, 300, 200),
    Case("models agree, and err", agreed, 1000, 200),
)


@dataclass(frozen=True)
class Found:
    """Of one sample, for both targets: the estimates less the target, and whether the interval holds it."""

    fixed_as_drawn: float
    fixed_random: float
    fixed: float
    fixed_covered: bool
    folds_as_drawn: float
    folds: float
    folds_covered: bool


def sample(case: Case, seed: int) -> Found:
    """One sample of a case."""
    rng = np.random.default_rng([seed, case.pool, case.drawn])
    X, y = case.rows(rng, case.pool + RANDOM)
    random, (new, labels) = np.arange(case.pool, case.pool + RANDOM), case.rows(rng, FRESH)
    scores = np.zeros(case.pool)
    for _ in range(REPEATS):
        halves = np.array_split(rng.permutation(random), 2)
        one, other = (_fitted(X, y, half).predict(X[: case.pool]) for half in halves)
        scores += one != other
    rows, probability = draw(scores, case.drawn, rng)
    pool = np.full(case.drawn, case.pool)
    g = _fitted(X, y, random)
    losses = (g.predict(X[rows]) != y[rows]).astype(np.float64)
    value, interval = lure(losses, ZERO_ONE, probability, pool, LEVEL)
    true = float((g.predict(new) != labels).mean())
    plain = rng.permutation(case.pool)[: case.drawn]
    by_random = float((g.predict(X[plain]) != y[plain]).mean())

    some = np.concatenate([rows, random])
    weights = np.concatenate([lure_weights(probability, pool), np.ones(RANDOM)])
    fold, of_folds, errors = rng.permutation(len(some)) % FOLDS, np.empty(len(some)), []
    for number in range(FOLDS):
        held = fold == number
        hypothesis = _fitted(X, y, some[~held])
        of_folds[held] = hypothesis.predict(X[some[held]]) != y[some[held]]
        errors.append((hypothesis.predict(new) != labels).mean())
    target = float(np.mean(errors))
    loss = ZERO_ONE.with_weights(drawn=True)
    observed = CrossValidated(weighed(of_folds, weights), loss, fold=fold, weights=weights)
    of_cv = corrected_fold_wilson.METHOD.interval("E_cv", observed, LEVEL)
    return Found(
        fixed_as_drawn=float(losses.mean()) - true,
        fixed_random=by_random - true,
        fixed=value - true,
        fixed_covered=interval.low <= true <= interval.high,
        folds_as_drawn=float(of_folds.mean()) - target,
        folds=observed.error - target,
        folds_covered=of_cv.low <= target <= of_cv.high,
    )


def _fitted(X: NDArray[np.float64], y: NDArray[np.int64], rows: NDArray[np.int64]) -> KNeighborsClassifier:
    return KNeighborsClassifier(3).fit(X[rows], y[rows])


def table(samples: int) -> str:
    """The table in Markdown: biases and their noise (standard deviation) in points."""
    lines = [["pool", "a fixed hypothesis: rows as they are", "LURE", "random rows", "LURE interval covers"]]
    lines[0] += ["E_cv: rows as they are", "weighed", "interval covers"]
    for case in CASES:
        found = [sample(case, seed) for seed in range(samples)]
        numbers = {name: np.array([getattr(one, name) for one in found]) for name in Found.__dataclass_fields__}
        shown = {
            name: f"{100 * values.mean():.0f} %"
            if name.endswith("covered")
            else f"{100 * values.mean():+.1f} ± {100 * values.std():.1f}"
            for name, values in numbers.items()
        }
        order = ("fixed_as_drawn", "fixed", "fixed_random", "fixed_covered", "folds_as_drawn", "folds", "folds_covered")
        lines.append([str(case), *(shown[name] for name in order)])
    return markdown(lines)


def main() -> int:
    """Write the table into the page, or print it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    if parser.parse_args().quick:
        print(table(50))
        return 0
    write_between(PAGE, BEGIN, END, table(SAMPLES))
    return 0


if __name__ == "__main__":
    sys.exit(main())
