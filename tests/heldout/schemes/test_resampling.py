"""Further fits for the intervals of E_cv: which rows they train and test on, and what their losses become."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.errors import BadArgument
from heldout.losses.tested_losses import FIELD_OF
from heldout.schemes import SCHEMES
from heldout.schemes.resampling import REPEATS, SUBSAMPLES, Resampling, fold_pairs, repeated_folds, subsamples
from heldout.splits.partition import draw_folds, make_halves, make_partition

LAWS = settings(max_examples=40, deadline=None, derandomize=True, database=None)
Y = np.repeat([0, 1], [30, 10])
every_scheme = pytest.mark.parametrize("scheme", FIELD_OF)
DRAWN = ("subsamples", "repeated_folds")


def folds_of(y, folds: int) -> np.ndarray:
    return draw_folds(np.asarray(y), folds, stratify=False, random_state=1)


def make(scheme: str, y=Y, folds: int = 5, stratify: bool = True, seed: int = 0) -> Resampling:
    return SCHEMES[scheme].draw(y, folds_of(y, folds), stratify, seed)


def rows_of(scheme: Resampling) -> list[tuple[list[int], list[int]]]:
    return [(split.train.tolist(), split.validation.tolist()) for split in scheme.splits]


def numbered(scheme: Resampling) -> list[np.ndarray]:
    """Losses in which split s gives s + row / 1000 for each of its rows."""
    return [number + split.validation / 1000 for number, split in enumerate(scheme.splits)]


@every_scheme
@LAWS
@given(n=st.integers(8, 40), folds=st.integers(3, 40), stratify=st.booleans(), seed=st.integers(0, 2**40))
def test_no_row_is_both_trained_on_and_tested_and_rows_ascend(scheme, n, folds, stratify, seed):
    made = make(scheme, np.arange(n) % 2, min(folds, n // 2 if stratify else n), stratify, seed)
    for train, validation in rows_of(made):
        assert train
        assert validation
        assert sorted(set(train)) == train
        assert sorted(set(validation)) == validation
        assert set() == set(train) & set(validation)
        assert set(train) | set(validation) <= set(range(n))


@pytest.mark.parametrize(
    ("scheme", "fits"),
    [
        ("subsamples", SUBSAMPLES),
        ("repeated_folds", (REPEATS - 1) * 5),
        ("fold_pairs", 10),  # 5 x 4 / 2
    ],
)
def test_a_scheme_makes_so_many_fits(scheme, fits):
    assert fits == len(make(scheme).splits)


@pytest.mark.parametrize("scheme", DRAWN)
@pytest.mark.parametrize("stratify", [True, False])
def test_the_same_seed_gives_the_same_rows_and_another_seed_others(scheme, stratify):
    first, again, other = (rows_of(make(scheme, stratify=stratify, seed=seed)) for seed in (3, 3, 4))
    assert first == again
    assert first != other


@pytest.mark.parametrize("scheme", DRAWN)
def test_each_split_of_a_scheme_is_a_new_draw(scheme):
    found = rows_of(make(scheme))
    assert len(found) == len({tuple(validation) for _, validation in found})


def test_no_draw_of_one_scheme_is_that_of_another_or_of_the_partition():
    partition = make_partition(
        Y, validation_fraction=0.2, folds=5, tested_fraction=0.2, stratify=True, seed=0
    )  # 8 rows each
    halves = make_halves(Y, repeats=20, stratify=True, seed=0)
    drawn = [tuple(np.flatnonzero(mask)) for mask in (partition.validation, partition.step >= 0, *halves)]
    drawn += [tuple(np.flatnonzero(partition.fold == fold)) for fold in range(5)]
    for scheme in ("subsamples", "repeated_folds"):
        drawn += [tuple(split.validation) for split in SCHEMES[scheme].draw(Y, partition.fold, True, 0).splits]
    assert len(drawn) == len(set(drawn))


@pytest.mark.parametrize(
    ("n", "folds", "tested"),
    # 40 / 5 = 8; 40 / 7 = 5.7, rounded 6; 40 / 10 = 4; leave-one-out tests a tenth: 4; of 8 rows 0.8, rounded 1
    [(40, 5, 8), (40, 7, 6), (40, 10, 4), (40, 40, 4), (8, 8, 1)],
)
def test_subsamples_test_as_many_rows_as_a_fold_but_at_least_a_tenth(n, folds, tested):
    y = np.arange(n) % 2
    made = subsamples(y, folds_of(y, folds), False, 0)
    assert {(n - tested, tested)} == {(len(train), len(validation)) for train, validation in rows_of(made)}
    assert tested / (n - tested) == made.fields([np.zeros(tested)] * SUBSAMPLES)["tested_per_trained"]


def test_the_fields_of_subsamples_are_their_errors_in_order():
    made = make("subsamples")
    errors = made.fields(numbered(made))["subsample_errors"]
    assert (SUBSAMPLES,) == errors.shape
    # a few operations on numbers of at most 25
    assert [j + split.validation.mean() / 1000 for j, split in enumerate(made.splits)] == pytest.approx(
        errors.tolist(), abs=1e-12
    )


@LAWS
@given(st.integers(2, 10), st.booleans(), st.integers(0, 2**40))
def test_each_further_partition_tests_every_row_once_in_folds_within_one(folds, stratify, seed):
    made = repeated_folds(Y, folds_of(Y, folds), stratify, seed)
    for repeat in range(REPEATS - 1):
        own = made.splits[repeat * folds : (repeat + 1) * folds]
        assert list(range(40)) == sorted(np.concatenate([split.validation for split in own]).tolist())
        assert [40] * folds == [len(split.train) + len(split.validation) for split in own]
        sizes = [len(split.validation) for split in own]
        assert max(sizes) - min(sizes) <= 1


def test_the_fields_of_repeated_folds_are_a_table_of_partitions_by_folds():
    made = make("repeated_folds")
    errors = made.fields(numbered(made))["repeated_errors"]
    assert (REPEATS - 1, 5) == errors.shape
    assert 5 + made.splits[5].validation.mean() / 1000 == pytest.approx(errors[1, 0], abs=1e-12)


@LAWS
@given(st.integers(3, 8).flatmap(lambda k: st.permutations([*range(k), *range(k), 0])))
def test_every_pair_of_folds_is_left_out_once_and_tested(fold):
    fold, k = np.array(fold), max(fold) + 1
    made = fold_pairs(np.zeros(len(fold)), fold, False, 0)
    assert [set(pair) for pair in combinations(range(k), 2)] == [
        set(fold[split.validation].tolist()) for split in made.splits
    ]
    for split in made.splits:
        out = set(fold[split.validation].tolist())
        assert [row for row, its in enumerate(fold) if its in out] == split.validation.tolist()
        assert [row for row, its in enumerate(fold) if its not in out] == split.train.tolist()


@LAWS
@given(st.integers(3, 8).flatmap(lambda k: st.permutations([*range(k), *range(k), 0])))
def test_the_table_of_pairs_holds_each_loss_where_its_hypothesis_saw_neither_fold(fold):
    fold = np.array(fold)
    k = fold.max() + 1
    made = fold_pairs(np.zeros(len(fold)), fold, False, 0)
    table = made.fields(numbered(made))["pair_losses"]
    assert (k, len(fold)) == table.shape
    pairs = list(combinations(range(k), 2))
    for i in range(k):
        for row, own in enumerate(fold):
            if own == i:
                assert np.isnan(table[i, row])
            else:
                assert pairs.index((min(i, own), max(i, own))) + row / 1000 == table[i, row]


def test_two_folds_are_no_pair_to_leave_out():
    with pytest.raises(BadArgument, match="^folds is 2; nested selection needs at least 3$") as caught:
        fold_pairs(Y, folds_of(Y, 2), True, 0)
    assert "folds" == caught.value.argument


def test_the_table_of_pairs_by_hand():
    # rows 0, 1, 2 are folds 0, 1, 2; pairs (0, 1), (0, 2), (1, 2) give the losses 0.1 and 0.2, 0.3 and 0.4, 0.5 and 0.6
    made = fold_pairs(np.zeros(3), np.arange(3), False, 0)
    assert [[2], [1], [0]] == [split.train.tolist() for split in made.splits]
    table = made.fields([np.array([0.1, 0.2]), np.array([0.3, 0.4]), np.array([0.5, 0.6])])["pair_losses"]
    expected = [[np.nan, 0.2, 0.4], [0.1, np.nan, 0.6], [0.3, 0.5, np.nan]]
    assert np.array_equal(np.array(expected), table, equal_nan=True)


@pytest.mark.parametrize("scheme", ["subsamples", "repeated_folds"])
def test_parts_hold_each_class_in_proportion_when_requested(scheme):
    # 8 tested rows of 30 and 10: 6 and 2
    assert {(6, 2)} == {tuple(np.bincount(Y[split.validation])) for split in make(scheme).splits}
    assert 1 < len({tuple(np.bincount(Y[split.validation])) for split in make(scheme, stratify=False).splits})


def test_a_part_too_small_for_every_class_is_drawn_without_regard_to_them():
    y = np.repeat(np.arange(5), 8)  # 4 tested rows under leave-one-out, 5 classes
    assert {4} == {len(split.validation) for split in make("subsamples", y, folds=40).splits}
    single = np.repeat([0, 1], [39, 1])
    assert {4} == {len(split.validation) for split in make("subsamples", single, folds=10).splits}
