"""What a partition refuses, in words that name argument, value, limit and remedy; and the halves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.errors import BadArgument
from heldout.splits.partition import cut, make_halves, make_partition, part_size, rarest_class, stratify_halves

LAWS = settings(max_examples=40, deadline=None, derandomize=True, database=None)
DEFAULTS = {"validation_fraction": 0.2, "folds": 5, "tested_fraction": 0.5, "stratify": True, "seed": 0}
Y = np.repeat(["lost", "won"], [31, 9])
SINGLE = np.repeat(["lost", "won"], [39, 1])


@pytest.mark.parametrize(
    ("y", "changes", "argument", "message"),
    [
        (Y, {"folds": 1}, "folds", "folds is 1; it must lie between 2 and 40, the number of labelled rows"),
        (Y, {"folds": 41}, "folds", "folds is 41; it must lie between 2 and 40, the number of labelled rows"),
        (Y, {"folds": 12}, "folds", "folds is 12, but class 'won' has 9 rows; use at most 9 folds"),
        (
            Y,
            {"validation_fraction": 0.0},
            "validation_fraction",
            "validation_fraction is 0.0; it must lie between 0 and 1, both excluded",
        ),
        (
            Y,
            {"tested_fraction": 1.0},
            "tested_fraction",
            "tested_fraction is 1.0; it must lie between 0 and 1, both excluded",
        ),
        (Y[:1], {}, "y", "there are 1 labelled rows; at least 2 are needed"),
        (
            SINGLE,
            {},
            "stratify",
            "class 'won' has a single row, which no stratified split can divide; "
            "merge or drop that class, or set stratify to false",
        ),
        (
            Y,
            {"validation_fraction": 0.025},
            "stratify",
            "a part of 1 rows cannot hold all 2 classes; take a larger part, or set stratify to false",
        ),
    ],
)
def test_a_bad_argument_names_argument_value_limit_and_remedy(y, changes, argument, message):
    with pytest.raises(BadArgument) as caught:
        make_partition(y, **{**DEFAULTS, **changes})
    assert argument == caught.value.argument
    assert message == str(caught.value)


def test_the_remedies_that_messages_name_do_work():
    assert 9 == make_partition(Y, **{**DEFAULTS, "folds": 9}).fold.max() + 1
    assert 1 == make_partition(Y, **{**DEFAULTS, "validation_fraction": 0.025, "stratify": False}).validation.sum()
    assert 20 == make_halves(SINGLE, repeats=1, stratify=False, seed=0).sum()


@LAWS
@given(st.one_of(st.floats(max_value=0), st.floats(min_value=1), st.just(float("nan"))))
def test_no_fraction_outside_0_and_1_is_accepted(fraction):
    with pytest.raises(BadArgument, match=r"^part is .*; it must lie between 0 and 1, both excluded$"):
        part_size(10, fraction, "part")


@LAWS
@given(st.integers().filter(lambda folds: not 2 <= folds <= len(Y)), st.booleans())
def test_no_number_of_folds_outside_2_and_n_is_accepted(folds, stratify):
    with pytest.raises(BadArgument, match=f"^folds is {folds}; it must lie between 2 and 40"):
        make_partition(Y, **{**DEFAULTS, "folds": folds, "stratify": stratify})


@pytest.mark.parametrize(("y", "expected"), [(Y, ("'won'", 9)), (np.array([3, 3, 5]), ("5", 1))])
def test_the_rarest_class_reads_as_it_was_written(y, expected):
    assert expected == rarest_class(y)


@LAWS
@given(st.integers(2, 60), st.integers(0, 2**40), st.integers(1, 4))
def test_a_half_of_n_rows_has_n_over_2_rows_rounded_down(n, seed, repeats):
    halves = make_halves(np.zeros(n, dtype=int), repeats=repeats, stratify=False, seed=seed)
    assert (repeats, n) == halves.shape
    assert {0, 1} == set(halves.ravel().tolist())
    assert [n // 2] * repeats == halves.sum(axis=1).tolist()


def test_stratified_halves_hold_each_class_in_numbers_within_one():
    halves = make_halves(Y, repeats=20, stratify=True, seed=1)
    for label in np.unique(Y):
        ones = halves[:, label == Y].sum(axis=1)
        assert (abs(2 * ones - (label == Y).sum()) <= 1).all()


def test_halves_are_stratified_as_requested_but_leave_one_out_is_never_refused_for_it():
    for folds in (5, 40):
        assert stratify_halves(Y, folds, True)
        assert not stratify_halves(Y, folds, False)
    assert not stratify_halves(SINGLE, 40, True)
    assert stratify_halves(SINGLE, 5, True)  # and `make_halves` then says why not


@pytest.mark.parametrize("stratify", [True, False])
def test_raising_the_repeats_leaves_the_earlier_halves(stratify):
    few, many = (make_halves(Y, repeats=repeats, stratify=stratify, seed=5) for repeats in (3, 8))
    assert few.tobytes() == many[:3].tobytes()
    assert 8 == len({row.tobytes() for row in many})  # and each repeat is a new draw


def test_halves_have_the_same_bytes_for_the_same_seed_and_others_for_another():
    first, again, other = (make_halves(Y, repeats=2, stratify=True, seed=seed) for seed in (3, 3, 4))
    assert first.tobytes() == again.tobytes()
    assert first.tobytes() != other.tobytes()


@pytest.mark.parametrize("repeats", [0, -1])
def test_no_number_of_repeats_below_1_is_accepted(repeats):
    with pytest.raises(BadArgument, match=f"^repeats is {repeats}; it must be at least 1$") as caught:
        make_halves(Y, repeats=repeats, stratify=True, seed=0)
    assert "repeats" == caught.value.argument


def test_every_row_is_as_likely_to_be_cut_as_any_other():
    masks = np.array([cut(np.zeros(10, dtype=int), 3, stratify=False, random_state=state) for state in range(1000)])
    # 10 frequencies of Binomial(1000, 0.3), s = sqrt(0.3 x 0.7 / 1000) = 0.0145; 5 s for all ten at once
    assert np.allclose(0.3, masks.mean(axis=0), atol=5 * 0.0145)
