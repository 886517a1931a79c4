"""Labels that no feature knows of: what the winner's error seems to be, and what its corrections make of it.

Varma, Simon, Bias in error estimation when using cross-validation for model selection (BMC Bioinformatics 7,
2006): on such labels the least of many cross-validated errors averaged 0.38, though every hypothesis errs with
chance 1/2. Here 20 candidates look at two columns of their own; half of the N = 80 labels are 1. For independent
losses the least of 20 means would average 1/2 - 1.87 sqrt(1/4 / 80) = 0.396, 1.87 the mean of the largest of 20
normal numbers; losses that share their training rows spread a little more.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.base import BaseEstimator

import heldout
from heldout.losses import ZERO_ONE
from heldout.losses.tested_losses import Tested
from heldout.selection import bbc

ROWS, COLUMNS, CANDIDATES, LEVEL = 80, 100, 20, 0.95
TRUE = 0.5


class Nearest(BaseEstimator):
    """Takes the class whose mean is the nearer one, in its own columns."""

    def __init__(self, columns=()):
        self.columns = columns

    def fit(self, X, y):
        zero, one = (X[y == label][:, self.columns].mean(axis=0) for label in (0, 1))
        self.normal_, self.middle_ = one - zero, (one @ one - zero @ zero) / 2
        return self

    def predict(self, X):
        return (X[:, self.columns] @ self.normal_ > self.middle_).astype(int)


@dataclass(frozen=True)
class Experiment:
    """What was estimated in each repeat, arrays of shape (R,)."""

    every: np.ndarray  # the mean E_cv of all candidates
    naive: np.ndarray  # E_cv of the winner
    bbc: np.ndarray
    bbc_high: np.ndarray
    nested: np.ndarray


def repeat(number: int, folds: int) -> tuple[float, ...]:
    rng = np.random.default_rng([2006, number])
    X, y = rng.normal(size=(ROWS, COLUMNS)), rng.permutation(np.arange(ROWS) % 2)
    candidates = {
        f"columns {one}": Nearest(tuple(rng.choice(COLUMNS, 2, replace=False).tolist())) for one in range(CANDIDATES)
    }
    found = heldout.validate(
        candidates,
        X,
        y,
        seed=number,
        level=LEVEL,
        folds=folds,
        repeats=1,
        estimates=["E_cv", "E_bbc", "E_nested"],
        intervals={"E_cv": "Bayle within folds"},  # no further fit
    )
    errors = {record.candidate: record.value for record in found.estimates if record.estimate == "E_cv"}
    corrected, nested = found.estimates[-2:]
    assert errors[corrected.candidate] == min(errors.values())
    return (
        float(np.mean(list(errors.values()))),
        errors[corrected.candidate],
        corrected.value,
        corrected.high,
        nested.value,
    )


def run(repeats: int, folds: int) -> Experiment:
    return Experiment(*np.array([repeat(number, folds) for number in range(repeats)]).T)


def check(found: Experiment) -> None:
    repeats = len(found.naive)
    # one E_cv spreads by 0.06, the mean over 20 candidates, which share the labels, by 0.02
    assert TRUE == pytest.approx(found.every.mean(), abs=5 * 0.02 / np.sqrt(repeats))
    # the least of 20 spreads by 0.03, which makes 0.004 of a mean over 60 data sets
    assert 0.38 == pytest.approx(found.naive.mean(), abs=0.02)
    # E_bbc keeps what losses of different rows have in common: it was 0.478 here, and 0.47 with five columns each
    assert TRUE == pytest.approx(found.bbc.mean(), abs=0.04)
    assert TRUE == pytest.approx(found.nested.mean(), abs=0.04)
    # the least count that a chance of `level` reaches in all but one experiment of a thousand
    assert binom.ppf(1e-3, repeats, LEVEL) <= (found.bbc_high >= TRUE).sum()


@pytest.mark.slow
def test_the_winners_error_is_optimistic_and_both_corrections_undo_it():
    """On 60 data sets in 5 folds; a mean of 60 E_nested, which spread by 0.08, has a standard error of 0.01."""
    check(run(repeats=60, folds=5))


@pytest.mark.long
def test_the_winners_error_is_optimistic_and_both_corrections_undo_it_in_ten_folds():
    """On 250 data sets; the standard errors are 0.003 of E_bbc and 0.005 of E_nested."""
    check(run(repeats=250, folds=10))


def test_for_independent_losses_the_correction_is_exact():
    """Rows that are not drawn know nothing of those that chose: E_bbc is then unbiased for 1/2."""
    repeats, rng = 60, np.random.default_rng(0)
    tables = [rng.integers(0, 2, (CANDIDATES, ROWS)).astype(float) for _ in range(repeats)]
    values = [bbc.corrected(losses, seed).error for seed, losses in enumerate(tables)]
    # 1/2 - 1.87 sqrt(1/4 / 80) = 0.396; the least of 20 counts spreads by 0.03, five standard errors
    assert 0.396 == pytest.approx(
        np.mean([losses.mean(axis=1).min() for losses in tables]), abs=5 * 0.03 / np.sqrt(repeats)
    )
    assert TRUE == pytest.approx(np.mean(values), abs=5 * np.std(values) / np.sqrt(repeats))
    assert binom.ppf(1e-3, repeats, LEVEL) <= sum(
        bbc.interval(value, Tested(losses[losses.mean(axis=1).argmin()], ZERO_ONE), LEVEL).high >= TRUE
        for value, losses in zip(values, tables, strict=True)
    )
