"""The one random partition: its sizes, its proportions, its seed."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.splits.partition import Partition, cut, make_partition, part_size, rarest_class

LAWS = settings(max_examples=60, deadline=None, derandomize=True, database=None)
DEFAULTS = {"validation_fraction": 0.25, "folds": 5, "tested_fraction": 0.5, "stratify": True, "seed": 0}
Y = np.repeat([0, 1], [30, 10])


def partition(y=Y, **changes) -> Partition:
    return make_partition(y, **{**DEFAULTS, **changes})


@st.composite
def labels(draw):
    """One to three classes of 4 to 15 rows each, in random order."""
    counts = draw(st.lists(st.integers(4, 15), min_size=1, max_size=3))
    return np.array(draw(st.permutations(np.repeat(np.arange(len(counts)), counts).tolist())))


seed = st.integers(0, 2**40)
fraction = st.floats(0.3, 0.7)  # of at least 4 rows a class: either side holds every class


@LAWS
@given(labels(), seed, st.integers(2, 4), st.booleans())
def test_folds_partition_the_rows_in_sizes_within_one(y, seed, folds, stratify):
    fold = partition(y, folds=folds, stratify=stratify, seed=seed).fold
    assert y.shape == fold.shape
    assert set(range(folds)) == set(fold.tolist())
    sizes = np.bincount(fold)
    assert sizes.max() - sizes.min() <= 1


@LAWS
@given(labels(), seed, st.integers(2, 4))
def test_stratified_folds_hold_each_class_in_numbers_within_one(y, seed, folds):
    fold = partition(y, folds=folds, seed=seed).fold
    for label in np.unique(y):
        counts = np.bincount(fold[y == label], minlength=folds)
        assert counts.max() - counts.min() <= 1


@LAWS
@given(labels(), seed, fraction, st.booleans())
def test_the_held_out_part_has_round_n_f_rows(y, seed, fraction, stratify):
    made = partition(y, validation_fraction=fraction, folds=2, stratify=stratify, seed=seed)
    assert round(len(y) * fraction) == made.validation.sum()
    assert bool == made.validation.dtype


@LAWS
@given(labels(), seed, fraction)
def test_a_stratified_cut_holds_each_class_in_proportion(y, seed, fraction):
    mask = cut(y, part_size(len(y), fraction, "fraction"), stratify=True, random_state=seed % 2**32)
    for label in np.unique(y):
        share = mask.sum() * (y == label).mean()  # K n_c / N, rounded up or down
        assert abs(mask[y == label].sum() - share) < 1


@LAWS
@given(labels(), seed, fraction, st.booleans())
def test_steps_are_a_permutation_of_the_first_m_numbers(y, seed, fraction, stratify):
    step = partition(y, tested_fraction=fraction, folds=2, stratify=stratify, seed=seed).step
    m = round(len(y) * fraction)
    assert list(range(m)) == sorted(step[step >= 0].tolist())
    assert len(y) - m == (step == -1).sum()


def test_steps_are_in_random_order():
    step = partition(np.zeros(40, dtype=int), stratify=False).step
    tested = step[step >= 0].tolist()
    assert sorted(tested) != tested


@pytest.mark.parametrize("stratify", [True, False])
def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(stratify):
    first, again, other = (partition(stratify=stratify, seed=seed) for seed in (3, 3, 4))
    for field in fields(Partition):
        assert getattr(first, field.name).tobytes() == getattr(again, field.name).tobytes()
        assert getattr(first, field.name).tobytes() != getattr(other, field.name).tobytes()


def test_the_three_partitions_do_not_depend_on_each_other():
    plain, changed = partition(), partition(validation_fraction=0.4, folds=3)
    assert plain.step.tobytes() == changed.step.tobytes()
    equal_sizes = partition(tested_fraction=DEFAULTS["validation_fraction"])
    assert (equal_sizes.validation != (equal_sizes.step >= 0)).any()


@pytest.mark.parametrize("stratify", [True, False])
def test_leave_one_out_is_one_row_a_fold_and_is_not_refused_for_a_rare_class(stratify):
    y = np.repeat([0, 1], [9, 3])  # 12 folds of a class with 3 rows
    assert list(range(12)) == sorted(partition(y, folds=12, stratify=stratify).fold.tolist())


def test_leave_one_out_is_never_refused_by_stratification():
    y = np.repeat([0, 1], [9, 1])
    assert list(range(10)) == sorted(partition(y, folds=10).fold.tolist())


def test_labels_of_any_kind_give_the_same_partition():
    for same in (np.where(Y == 0, "a", "b"), np.where(Y == 0, "a", "b").astype(object), Y == 1, Y.astype(float)):
        assert partition().fold.tobytes() == partition(same).fold.tobytes()


def test_labels_may_be_an_array_of_objects():
    assert ("'b'", 10) == rarest_class(np.where(Y == 0, "a", "b").astype(object))


@pytest.mark.parametrize(
    ("n", "fraction", "size"), [(10, 0.2, 2), (7, 0.5, 4), (10, 0.01, 1), (10, 0.99, 9), (2, 0.5, 1)]
)
def test_a_part_has_round_n_f_rows_but_at_least_1_and_at_most_n_minus_1(n, fraction, size):
    # 10 x 0.2 = 2; 7 x 0.5 = 3.5, to even 4; 0.1 rises to 1; 9.9 falls to 9; 2 x 0.5 = 1
    assert size == part_size(n, fraction, "fraction")
