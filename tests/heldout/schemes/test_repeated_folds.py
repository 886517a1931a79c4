"""Repeated folds: E_cv is the mean over R partitions, each row tested once by each, and its interval covers."""

import numpy as np
import pytest

from heldout.estimates import estimate_candidate, schemes_of
from heldout.estimates.methods import choose
from heldout.losses import ZERO_ONE
from heldout.schemes.design import Design, Evidence, cross_validated
from heldout.splits.partition import make_halves, make_partition

K = 5


def design(y, repeats: int, seed: int = 0, group=None) -> Design:
    return Design(
        y=y,
        loss=ZERO_ONE,
        partition=make_partition(
            y, validation_fraction=0.2, folds=K, tested_fraction=0.5, stratify=True, seed=seed, **(group or {})
        ),
        halves=make_halves(y, repeats=1, stratify=True, seed=seed),
        block=10,
        stratify=True,
        seed=seed,
        level=0.95,
        methods=choose({"E_cv": "corrected repeated t"}, ZERO_ONE),
        estimates=["E_cv"],
        fold_repeats=repeats,
    )


def draw(rng, n: int):
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 3)) + 0.7 * y[:, None], y


class Midway:
    """Splits space midway between the means of two classes: a learner that is fitted in microseconds."""

    def __init__(self, X, y):
        low, high = X[y == 0].mean(axis=0), X[y == 1].mean(axis=0)
        self.normal, self.middle = high - low, (high @ high - low @ low) / 2

    def errors(self, X, y):
        return ((X @ self.normal > self.middle) != y).astype(float)


def fit_all(made: Design, X) -> tuple[list[Midway], Evidence]:
    splits = made.splits("cross_validation")
    fitted = [Midway(X[split.train], made.y[split.train]) for split in splits]
    losses = [
        one.errors(X[split.validation], made.y[split.validation]) for one, split in zip(fitted, splits, strict=True)
    ]
    return fitted, Evidence({"cross_validation": losses})


@pytest.mark.parametrize("repeats", [1, 2, 5])
def test_each_partition_tests_each_row_once_and_the_first_is_that_of_one_alone(repeats):
    _, y = draw(np.random.default_rng(0), 63)
    made, alone = design(y, repeats), design(y, 1)
    splits = made.splits("cross_validation")
    assert repeats * K == len(splits)
    for first in range(0, len(splits), K):
        rows = np.concatenate([split.validation for split in splits[first : first + K]])
        assert list(range(63)) == sorted(rows)
    tested = [tuple(split.validation) for split in splits]
    assert [tuple(split.validation) for split in alone.splits("cross_validation")] == tested[:K]
    assert tested == [tuple(split.validation) for split in design(y, 6).splits("cross_validation")][: len(tested)]
    assert len(set(tested)) == len(tested)
    assert all(len(set(y[split.validation])) == 2 for split in splits)  # stratified too


def test_no_fit_is_made_for_the_interval():
    _, y = draw(np.random.default_rng(0), 40)
    assert ["cross_validation"] == schemes_of(design(y, 2))
    assert ["cross_validation", "repeated_folds"] == schemes_of(design(y, 1))


def test_the_estimate_is_the_mean_over_all_partitions_and_the_interval_is_that_of_their_fold_errors():
    X, y = draw(np.random.default_rng(1), 57)
    made = design(y, 3)
    _, evidence = fit_all(made, X)
    by_row = np.zeros(57)
    for split, part in zip(made.splits("cross_validation"), evidence.losses["cross_validation"], strict=True):
        by_row[split.validation] += part / 3
    errors = np.array([part.mean() for part in evidence.losses["cross_validation"]])
    seen = cross_validated(made, evidence)
    np.testing.assert_allclose(seen.losses, by_row, atol=1e-15)
    np.testing.assert_array_equal(seen.fold_errors, errors[:K])
    (found,) = estimate_candidate(made, "centroid", evidence)
    assert found.value == pytest.approx(by_row.mean(), abs=1e-15)
    assert found.target == "the k-fold hypothesis: one of the 3 k hypotheses, drawn uniformly"
    assert (found.n_train, found.n_tested, found.interval) == (46, 57, "corrected repeated t")
    # t with 14 degrees at 0.975 is 2.144787
    reach = 2.144787 * errors.std(ddof=1) * np.sqrt(1 / 15 + 1 / 4)
    assert [found.low, found.high] == pytest.approx([max(found.value - reach, 0), found.value + reach], abs=1e-6)


def test_more_partitions_leave_less_of_the_noise_of_drawing_folds():
    X, y = draw(np.random.default_rng(2), 50)

    def spread(repeats: int) -> float:
        made = [design(y, repeats, seed) for seed in range(40)]
        return float(np.std([cross_validated(one, fit_all(one, X)[1]).error for one in made], ddof=1))

    # independent partitions: a third of the standard deviation; a ratio of two of them from 40 values each has a
    # standard error of about 0.16 of itself, so that 0.5 lies three of them above 1/3
    assert spread(9) < 0.5 * spread(1)


@pytest.mark.slow
def test_the_interval_covers_at_its_level():
    rng = np.random.default_rng(3)
    X_true, y_true = draw(rng, 4000)
    samples, covered = 200, 0
    for sample in range(samples):
        X, y = draw(rng, 60)
        fitted, evidence = fit_all(made := design(y, 3, sample), X)
        (found,) = estimate_candidate(made, "centroid", evidence)
        error = np.mean([one.errors(X_true, y_true) for one in fitted])
        covered += found.low <= error <= found.high
    # three binomial standard errors of 0.95 in 200 samples are 0.046
    assert covered / samples >= 0.95 - 0.046
