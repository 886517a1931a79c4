"""Plain parts leave each class in the training rows; stratified parts are for two classes; numbers are one class."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from heldout import seeds
from heldout.schemes import SCHEMES
from heldout.splits import class_shares
from heldout.splits.class_shares import DRAWS, redrawn, strata, stratified
from heldout.splits.dependence import Dependence
from heldout.splits.partition import cut, draw_folds, make_halves, make_partition

LAWS = settings(max_examples=40, deadline=None, derandomize=True, database=None)
VALUES, FOLDS = 100, 10  # of a row, and of cross-validation
HOW = {"validation_fraction": 0.2, "tested_fraction": 0.5, "stratify": False}


@st.composite
def labels(draw):
    """Three to six classes of 4 to 8 rows each, in random order."""
    counts = draw(st.lists(st.integers(4, 8), min_size=3, max_size=6))
    return np.array(draw(st.permutations(np.repeat(np.arange(len(counts)), counts).tolist())))


def lacking(y, train) -> int:
    """The number of classes that the training rows lack."""
    return len(np.unique(y)) - len(np.unique(y[train]))


@LAWS
@given(labels(), st.integers(0, 2**40), st.integers(2, 5))
def test_each_class_is_in_all_training_rows_of_plain_parts(y, seed, folds):
    made = make_partition(y, **HOW, folds=folds, seed=seed)
    assert 0 == lacking(y, ~made.validation) == lacking(y, made.step < 0)
    assert [0] * folds == [lacking(y, made.fold != number) for number in range(folds)]
    for half in make_halves(y, repeats=3, stratify=False, seed=seed):
        assert 0 == lacking(y, half == 0) == lacking(y, half == 1)
    for scheme in ("subsamples", "repeated_folds"):
        assert all(
            0 == lacking(y, split.train) for split in SCHEMES[scheme].draw(y, made.fold, False, seed, None).splits
        )


def test_a_draw_that_leaves_no_class_out_is_the_first_draw_and_another_is_redrawn():
    """Of rows that are many, parts are those of a single draw; of two rows of a class, some need a second draw."""
    many, few = np.arange(300) % 3, np.repeat([0, 1, 2], [10, 10, 2])
    for seed in range(5):
        first = cut(many, 150, stratify=False, random_state=seed)
        assert np.array_equal(
            first, redrawn(lambda state: cut(many, 150, stratify=False, random_state=state), many, seed)
        )
    redraws = 0
    for seed in range(20):
        first = cut(few, 11, stratify=False, random_state=seed)
        found = redrawn(lambda state: cut(few, 11, stratify=False, random_state=state), few, seed)
        again = redrawn(lambda state: cut(few, 11, stratify=False, random_state=state), few, seed)
        assert np.array_equal(found, again)
        redraws += not np.array_equal(first, found)
    assert 0 < redraws < 20


def test_a_class_that_cannot_be_divided_is_not_asked_for():
    y, group = np.repeat([0, 1, 2], [10, 9, 1]), np.repeat(np.arange(10), 2)
    drawn = []
    redrawn(lambda state: drawn.append(state) or np.arange(20) % 2, y, 0)
    assert 1 == len(drawn)
    y[group == 0] = 3  # two rows of a class, in one group
    assert draw_folds(y, 5, False, 0, group).max() == 4
    redrawn(lambda state: drawn.append(state) or group % 2, y, 0, group=group)
    assert 2 == len(drawn)


def test_after_the_last_draw_the_first_one_counts_whatever_the_others_leave_out():
    y = np.repeat(np.arange(3), 2)
    parts = {number: np.array([0, 0, 1, 1, number != 7, 1]) for number in range(DRAWS)}  # always class 0 and 1
    count = iter(range(DRAWS))
    found = redrawn(lambda _: parts[next(count)], y, 0)
    assert DRAWS == next(count, DRAWS)
    assert np.array_equal(parts[0], found)  # class 2 is divided in number 7 alone


def test_two_rows_of_a_class_are_divided_no_more_often_than_by_chance_where_no_draw_divides_all():
    """A learner errs on a class that it did not see: dividing all pairs of rows makes E_2cv of letters too low."""
    y = np.repeat(np.arange(26), 2)
    halves = make_halves(y, repeats=100, stratify=False, seed=0)
    divided = np.mean(halves[:, ::2] != halves[:, 1::2])
    # 26 of the 51 other rows are in the other half; four standard errors of a share of 2600, as if independent
    assert 26 / 51 == pytest.approx(divided, abs=4 * 0.5 / np.sqrt(2600))


def test_groups_are_whole_and_each_class_is_in_the_training_rows():
    group = np.repeat(np.arange(12), 3)
    y = np.repeat(np.arange(4), 9)  # each class has three groups
    for seed in range(5):
        made = make_partition(y, **HOW, folds=4, seed=seed, dependence=Dependence(group=group))
        assert 0 == lacking(y, ~made.validation) == lacking(y, made.step < 0)
        assert [0] * 4 == [lacking(y, made.fold != number) for number in range(4)]
        assert all(1 == len({*made.fold[group == number].tolist()}) for number in range(12))


@pytest.mark.parametrize(
    ("classes", "wanted", "found"),
    [(2, None, True), (3, None, False), (2, False, False), (3, True, True), (2, True, True), (26, None, False)],
)
def test_two_classes_are_stratified_unless_asked_otherwise(classes, wanted, found):
    assert found == stratified(np.arange(60) % classes, wanted)


def test_numbers_are_one_class_and_are_never_redrawn():
    y = np.repeat([1.5, 2.5, 7.5], [10, 8, 2])
    assert y is strata(y, True)
    for seed in range(20):
        fold = draw_folds(strata(y, False), 2, False, seed)
        assert np.array_equal(cut(y, 10, stratify=False, random_state=seed).shape, fold.shape)
    drawn = []
    redrawn(lambda state: drawn.append(state) or (y > 7), strata(y, False), 0)
    assert 1 == len(drawn)


@pytest.mark.parametrize(
    ("classes", "rows", "warned"),
    [(2, 10, False), (3, 400, False), (3, 399, True), (26, 30000, True), (26, 30100, False)],
)
def test_the_warning_goes_by_classes_over_the_root_of_rows(classes, rows, warned):
    said = class_shares.optimism(np.arange(rows) % classes)
    assert warned == (said is not None)
    if said:
        assert f"{classes} classes" in said
        assert f"{rows} rows" in said
        assert "0.15" in said


def biases(classes: int, n: int, spread: float, samples: int) -> tuple[float, float]:
    """The bias of E_cv in standard errors, with stratified and with plain folds.

    The classes are equally frequent; a row is one of 100 values, whose frequencies f differ from class to class by a
    factor exp(spread Z), Z standard normal. The learner is Bayes' rule with the true f and the class shares of its
    training rows: nothing but these shares changes between samples.
    """
    logs = spread * np.random.default_rng(classes).normal(size=(classes, VALUES))
    frequencies = np.exp(logs) / np.exp(logs).sum(axis=1, keepdims=True)
    found = np.array([_differences(frequencies, n, number) for number in range(samples)])
    stratified, plain = (found.mean(axis=0) / found.std(axis=0)).tolist()
    return stratified, plain


def _differences(frequencies: NDArray[np.float64], n: int, sample: int) -> list[float]:
    """E_cv less the error of its hypotheses, a sum over the values, with stratified and with plain folds."""
    rng = np.random.default_rng([len(frequencies), n, sample])
    y = rng.integers(len(frequencies), size=n)
    ends = frequencies.cumsum(axis=1)
    x = np.minimum((rng.random(n)[:, None] > ends[y]).sum(axis=1), VALUES - 1)
    differences = []
    for stratify in (True, False):
        fold = draw_folds(y, FOLDS, stratify, seeds.random_state(sample, "folds"))
        difference = 0.0
        for number in range(FOLDS):
            tested = fold == number
            shares = np.bincount(y[~tested], minlength=len(frequencies))
            answers = (shares[:, None] * frequencies).argmax(axis=0)
            error = 1 - frequencies[answers, np.arange(VALUES)].sum() / len(frequencies)
            difference += ((answers[x[tested]] != y[tested]) - error).sum() / n
        differences.append(float(difference))
    return differences


def test_stratified_parts_of_many_classes_are_optimistic_and_plain_parts_are_not():
    stratified_parts, plain = biases(10, 500, 0.3, 100)
    # a mean of 100 samples strays by 0.1 standard errors: 3.5 of those
    assert stratified_parts < -0.35
    assert abs(plain) < 0.35
