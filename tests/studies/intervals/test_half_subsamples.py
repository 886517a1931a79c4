"""The fits of the conservative z: which rows they train and test on, and what their losses become."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout import seeds
from heldout.losses import ZERO_ONE
from heldout.schemes import SCHEMES, fit_state
from heldout.schemes.resampling import Resampling
from heldout.splits.partition import draw_folds
from studies.intervals.half_subsamples import HALF_SUBSAMPLES, HALVINGS, NAME, Halved, draw

Y = np.repeat([0, 1], [30, 10])


def make(y=Y, folds: int = 5, stratify: bool = True, seed: int = 0) -> Resampling:
    return draw(y, draw_folds(np.asarray(y), folds, stratify=False, random_state=1), stratify, seed)


def rows_of(scheme: Resampling) -> list[tuple[list[int], list[int]]]:
    return [(split.train.tolist(), split.validation.tolist()) for split in scheme.splits]


@settings(max_examples=12, deadline=None, derandomize=True, database=None)  # 300 subsamples each time
@given(n=st.integers(8, 40), folds=st.integers(3, 40), stratify=st.booleans(), seed=st.integers(0, 2**40))
def test_no_row_is_both_trained_on_and_tested_and_rows_ascend(n, folds, stratify, seed):
    made = make(np.arange(n) % 2, min(folds, n // 2 if stratify else n), stratify, seed)
    assert HALVINGS * 2 * HALF_SUBSAMPLES == len(made.splits)
    for train, validation in rows_of(made):
        assert train
        assert validation
        assert sorted(set(train)) == train
        assert sorted(set(validation)) == validation
        assert set() == set(train) & set(validation)
        assert set(train) | set(validation) <= set(range(n))


@pytest.mark.parametrize("stratify", [True, False])
def test_the_same_seed_gives_the_same_rows_and_another_seed_others(stratify):
    first, again, other = (rows_of(make(stratify=stratify, seed=seed)) for seed in (3, 3, 4))
    assert first == again
    assert first != other
    assert len(first) == len({tuple(validation) for _, validation in first})


@pytest.mark.parametrize(("n", "folds", "tested"), [(40, 5, 8), (40, 2, 10), (41, 2, 10), (40, 40, 4), (8, 4, 2)])
def test_each_subsample_of_a_half_stays_in_its_half(n, folds, tested):
    # a fold's rows, but at most n // 4: 40 / 5 = 8; 20 falls to 10; leave-one-out tests a tenth; 8 / 4 = 2
    y = np.arange(n) % 2
    made = make(y, folds)
    for halving in range(HALVINGS):
        halves = []
        for number in range(2):
            first = (2 * halving + number) * HALF_SUBSAMPLES
            own = [{*train, *validation} for train, validation in rows_of(made)[first : first + HALF_SUBSAMPLES]]
            assert all(rows == own[0] for rows in own)
            halves.append(own[0])
        assert set() == halves[0] & halves[1]
        assert set(range(n)) == halves[0] | halves[1]
        assert n // 2 == len(halves[0])
    assert {tested} == {len(split.validation) for split in made.splits}


def test_the_fields_of_half_subsamples_are_the_mean_errors_of_both_halves():
    made = make()
    constant = [np.full(len(split.validation), float(number)) for number, split in enumerate(made.splits)]
    errors = made.fields(constant)["half_errors"]
    assert (HALVINGS, 2) == errors.shape
    # splits 0 … 14 are of the first half, 15 … 29 of the second: means 7 and 22; the next halving is 30 further on
    assert [[7.0, 22.0], [37.0, 52.0]] == errors[:2].tolist()


def test_subsamples_of_halves_hold_each_class_in_proportion_when_requested():
    # halves of 15 and 5, and of 8 tested rows of them 6 and 2
    assert {(6, 2)} == {tuple(np.bincount(Y[split.validation])) for split in make().splits}


def test_a_part_too_small_for_every_class_is_drawn_without_regard_to_them():
    y = np.repeat(np.arange(5), 8)  # 4 tested rows under leave-one-out, 5 classes
    assert {4} == {len(split.validation) for split in make(y, folds=40).splits}
    single = np.repeat([0, 1], [39, 1])
    assert {4} == {len(split.validation) for split in make(single, folds=10).splits}


def test_its_seeds_are_those_of_when_it_was_a_scheme_of_the_package():
    assert NAME not in SCHEMES
    assert seeds.random_state(3, "fit", 7, 299) == fit_state(3, NAME, 299)
    assert (11, 2, 1, 4) == seeds.child(0, NAME, 2, 1, 4).spawn_key


def test_it_says_whether_its_fits_were_made_and_those_of_others():
    fold = np.arange(4) % 2
    without = Halved(np.zeros(4), ZERO_ONE, fold=fold, subsample_errors=np.zeros(25))
    assert [False, True, False] == [without.has(name) for name in (NAME, "subsamples", "fold_pairs")]
    assert Halved(np.zeros(4), ZERO_ONE, fold=fold, half_errors=np.zeros((10, 2))).has(NAME)
