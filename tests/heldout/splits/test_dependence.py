"""Dependent rows: no split of any scheme tests a group, or a time, that it was trained on."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import TimeSeriesSplit

from heldout.errors import BadArgument
from heldout.estimates import NOT_IN_TIME, OF_THE_WINNER, PER_CANDIDATE
from heldout.estimates.methods import choose
from heldout.losses import SQUARED, ZERO_ONE
from heldout.losses.tested_losses import FIELD_OF
from heldout.schemes.design import Design
from heldout.splits.batches import batches
from heldout.splits.dependence import INDEPENDENT, Dependence, distinct, joined
from heldout.splits.partition import cut, make_halves, make_partition
from heldout.splits.split import Split

LAWS = settings(max_examples=60, deadline=None, derandomize=True, database=None)
OWN = ("holdout", "cross_validation", "progressive", "covalidation")
seeds = st.integers(0, 2**32)


def design(y, dependence, *, folds=3, block=2, seed=0, loss=ZERO_ONE, copies=None) -> Design:
    in_time = dependence.time is not None
    return Design(
        y=y,
        loss=loss,
        partition=make_partition(
            y,
            validation_fraction=0.3,
            folds=folds,
            tested_fraction=0.5,
            stratify=loss.binary,
            seed=seed,
            dependence=dependence,
        ),
        halves=make_halves(y, repeats=2, stratify=loss.binary, seed=seed, dependence=dependence),
        block=block,
        stratify=loss.binary,
        seed=seed,
        level=0.95,
        methods=choose(None, loss, dependence.kind),
        estimates=[one for one in (*PER_CANDIDATE, *OF_THE_WINNER) if not (in_time and one in NOT_IN_TIME)],
        dependence=dependence,
        copies=copies,
    )


def unless_refused(make, *arguments):
    """What `make` makes; None where it refuses one of `arguments`."""
    try:
        return make()
    except BadArgument as error:
        if error.argument not in arguments:
            raise
        return None


@st.composite
def tables(draw):
    """Labels of up to three classes, and 6 to 14 groups of 1 to 12 rows each, in any order of rows."""
    sizes = draw(st.lists(st.integers(1, 12), min_size=6, max_size=14))
    rng = np.random.default_rng(draw(seeds))  # a draw of hypothesis for each row takes longer than all else
    group = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return rng.integers(0, draw(st.integers(1, 3)), len(group)), group


@st.composite
def streams(draw):
    """Labels, and times of 24 to 60 rows, with ties, in any order of rows."""
    n, rng = draw(st.integers(24, 60)), np.random.default_rng(draw(seeds))
    gaps = rng.choice(draw(st.sampled_from([[0, 1, 1, 1, 5], [0, 0, 0, 1], [1]])), n)
    return rng.integers(0, 2, n), distinct(rng.permutation(np.cumsum(gaps)))


# --- groups


@settings(LAWS, max_examples=20)
@given(tables(), seeds, st.integers(2, 5), st.integers(1, 7), st.sampled_from([ZERO_ONE, SQUARED]))
def test_no_group_is_on_both_sides_of_any_split_of_any_scheme(table, seed, folds, block, loss):
    y, group = table
    made = design(y, Dependence(group=group), folds=folds, block=block, seed=seed, loss=loss)
    further = [name for name in FIELD_OF if not (name == "fold_pairs" and folds == 2)]
    for scheme in (*OWN, *further):
        for split in made.splits(scheme):
            assert not set(group[split.train]) & set(group[split.validation])
            assert len(split.train)
            assert len(split.validation)


@LAWS
@given(tables(), seeds, st.integers(2, 5))
def test_every_row_is_in_one_fold_and_no_fold_is_empty(table, seed, folds):
    y, group = table
    fold = design(y, Dependence(group=group), folds=folds, seed=seed).partition.fold
    assert set(range(folds)) == set(fold.tolist())
    for one in np.unique(group):
        assert 1 == len(set(fold[group == one].tolist()))


@LAWS
@given(tables(), seeds, st.floats(0.1, 0.6))
def test_a_cut_is_no_further_from_its_size_than_half_of_the_smallest_group_left_outside(table, seed, fraction):
    y, group = table
    size = max(1, round(len(y) * fraction))
    mask = cut(y, size, stratify=False, random_state=seed % 2**32, group=group)
    sizes = np.bincount(group)
    outside = sizes[~np.isin(np.arange(len(sizes)), group[mask])]
    assert 0 < mask.sum() < len(y)
    # a group was left outside since it would not have brought the part nearer, or as the last one
    assert size - mask.sum() <= outside.min() / 2 or len(outside) == 1
    if mask.sum() > size:  # the last group that was taken brought it nearer, or it is the smallest of all
        inside = sizes[np.unique(group[mask])]
        assert mask.sum() - size < inside.max() / 2 or [sizes.min()] == inside.tolist()


def test_folds_of_many_groups_have_nearly_equal_sizes_and_shares_of_classes():
    rng = np.random.default_rng(0)
    group = distinct(rng.integers(0, 100, 1000))
    y = (rng.random(1000) < 0.3).astype(int)
    fold = design(y, Dependence(group=group), folds=5).partition.fold
    sizes = np.bincount(fold)
    shares = np.bincount(fold, weights=y) / sizes
    # groups have 10 rows on average: a fold of 200 is at most some groups off
    assert sizes.max() - sizes.min() <= 30
    # unstratified rows would have a range of 2.3 sqrt(0.3 x 0.7 / 200) = 0.075 on average
    assert np.ptp(shares) < 0.04


def test_a_giant_group_is_a_fold_of_its_own_and_the_others_share_the_rest():
    group = np.repeat(np.arange(41), [400, *[10] * 40])
    fold = design(np.arange(800) % 2, Dependence(group=group), folds=5).partition.fold
    assert [100, 100, 100, 100, 400] == sorted(np.bincount(fold).tolist())


@LAWS
@given(tables(), seeds, st.integers(1, 9))
def test_the_steps_of_a_group_follow_one_another_and_its_rows_never_train_for_it(table, seed, block):
    y, group = table
    made = design(y, Dependence(group=group), block=block, seed=seed)
    step = made.partition.step
    for one in np.unique(group):
        own = np.sort(step[group == one])
        assert (own == -1).all() or np.array_equal(own, own[0] + np.arange(len(own)))
    for number, split in enumerate(made.splits("progressive")):
        tested = (step >= number * block) & (step < (number + 1) * block)
        trained = (step < number * block) & ~np.isin(group, group[tested])
        assert np.flatnonzero(tested).tolist() == split.validation.tolist()
        assert np.flatnonzero(trained).tolist() == split.train.tolist()


def test_leave_one_out_of_groups_is_one_group_a_fold():
    group = np.array([3, 0, 1, 1, 2, 0, 3, 3])
    assert group.tolist() == design(np.arange(8) % 2, Dependence(group=group), folds=8).partition.fold.tolist()


def test_groups_of_single_rows_are_drawn_in_the_requested_sizes():
    made = design(np.arange(40) % 2, Dependence(group=np.arange(40)), folds=4)
    assert [10] * 4 == np.bincount(made.partition.fold).tolist()
    assert (12, 20) == (made.partition.validation.sum(), (made.partition.step >= 0).sum())


def test_too_few_groups_are_refused_with_their_number():
    y, group = np.arange(12) % 2, np.repeat([0, 1, 2], 4)
    with pytest.raises(BadArgument, match=r"^folds is 5, but there are 3 groups; use 2 to 3 folds$"):
        design(y, Dependence(group=group), folds=5)
    with pytest.raises(BadArgument, match=r"^groups has 1 group; at least 2 are needed"):
        design(y, Dependence(group=np.zeros(12, dtype=int)))


# --- time


@LAWS
@given(streams(), st.integers(2, 5), st.integers(1, 5), st.integers(0, 3))
def test_no_training_row_is_later_than_a_tested_one_or_within_its_gap(stream, folds, block, gap):
    y, time = stream

    def make():
        made = design(y, Dependence(time=time, gap=gap), folds=folds, block=block)
        return [split for scheme in OWN for split in made.splits(scheme)]

    # ties may leave a fold empty, and the gap nothing to train on
    splits = unless_refused(make, "folds", "gap", "time") or []
    for split in splits:
        if len(split.validation):
            first = time[split.validation].min()
            assert (time[split.train] < first).all()
            between = (time < first) & (time > time[split.train].max())
            assert between.sum() >= gap
    assert all(not len(split.validation) for split in splits[-4:])  # 2 repeats of halves


@pytest.mark.parametrize(("n", "folds", "gap"), [(24, 5, 0), (31, 4, 3), (50, 10, 2)])
def test_forward_folds_of_distinct_times_are_those_of_scikit_learn(n, folds, gap):
    order = np.random.default_rng(n).permutation(n)  # row order[i] comes at time i
    time = np.argsort(order)
    made = design(np.arange(n) % 2, Dependence(time=time, gap=gap), folds=folds)
    expected = TimeSeriesSplit(folds, gap=gap).split(np.zeros(n))
    for split, (train, tested) in zip(made.splits("cross_validation"), expected, strict=True):
        assert sorted(order[train]) == split.train.tolist()
        assert sorted(order[tested]) == split.validation.tolist()
    assert (made.partition.fold == -1).sum() == n - folds * (n // (folds + 1))


@LAWS
@given(streams())
def test_hold_out_and_steps_are_the_last_rows_and_no_time_is_divided(stream):
    y, time = stream
    found = unless_refused(lambda: design(y, Dependence(time=time), folds=2), "folds", "time")
    if found is None:
        return
    made = found.partition
    for mask in (made.validation, made.step >= 0):
        assert time[~mask].max() < time[mask].min()
    in_order = time[np.argsort(made.step)][(made.step == -1).sum() :]
    assert (np.diff(in_order) >= 0).all()


@pytest.mark.parametrize(
    ("time", "changes", "said"),
    [
        (np.arange(20), {"folds": 20}, "folds is leave-one-out, .* with time use a number"),
        (np.repeat([0, 1, 2], [8, 6, 6]), {"folds": 3}, "folds is 3, but there are 3 distinct times; use 2 to 2"),
        (np.zeros(20, dtype=int), {"folds": 2}, "time has a single distinct value; at least 2 are needed"),
        (np.repeat([0, 1, 2, 3], [1, 17, 1, 1]), {"folds": 3}, "folds is 3, but so many rows share a time"),
    ],
)
def test_what_cannot_be_done_in_time_is_refused(time, changes, said):
    with pytest.raises(BadArgument, match=f"^{said}"):
        design(np.arange(20) % 2, Dependence(time=time), **changes)


def test_a_gap_that_leaves_nothing_is_refused():
    with pytest.raises(
        BadArgument, match=r"^gap is 5, but the first of 3 forward folds begins after 5 rows; use at mo"
    ):
        design(np.arange(20) % 2, Dependence(time=np.arange(20), gap=5))
    with pytest.raises(BadArgument, match=r"^gap is 9, which leaves no row to train on before 2 tested rows"):
        Dependence(time=np.arange(20), gap=9).purged(Split(np.arange(9), np.array([9, 10])))


def test_a_panel_leaves_nothing_where_every_group_is_tested_later():
    both = Dependence(group=np.arange(20) % 2, time=np.arange(20))
    with pytest.raises(BadArgument, match="for later rows of the same groups give time alone"):
        both.purged(Split(np.arange(10), np.arange(10, 20)))


@LAWS
@given(streams(), st.integers(2, 4))
def test_groups_and_time_hold_together(stream, folds):
    y, time = stream
    group = time // 3  # groups that are stretches of time

    def make():
        made = design(y, Dependence(group=distinct(group), time=time), folds=2, block=folds)
        return [split for scheme in OWN[:3] for split in made.splits(scheme)]

    for split in unless_refused(make, "groups", "time", "folds") or []:
        assert not set(group[split.train]) & set(group[split.validation])
        assert time[split.train].max() < time[split.validation].min()


# --- copies


@LAWS
@given(tables(), seeds, st.sampled_from(["none", "groups", "time"]))
def test_copies_together_never_splits_copies_whatever_else_rows_depend_by(table, seed, other):
    y, copies = table
    n = len(y)
    time = np.random.default_rng(seed).permutation(n)
    by = {
        "none": INDEPENDENT,
        "groups": Dependence(group=distinct(copies // 3)),
        "time": Dependence(time=time),
    }[other]
    made = replace(design(np.zeros(n), by, folds=2, loss=SQUARED), copies=copies)
    for split in unless_refused(lambda: made.splits("copies_together"), *(["groups"] if other == "time" else [])) or []:
        assert not set(copies[split.train]) & set(copies[split.validation])
        if other == "time":
            assert time[split.train].max() < time[split.validation].min()


@LAWS
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=30))
def test_joined_groups_are_the_finest_that_divide_neither(pairs):
    one, other = (distinct(np.array(column)) for column in zip(*pairs, strict=True))
    found = joined(one, other)
    for grouping in (one, other):
        for value in np.unique(grouping):
            assert 1 == len(set(found[grouping == value].tolist()))
    # and no finer than the closure of the relation, followed by hand
    reached, todo = {0}, [0]
    while todo:
        row = todo.pop()
        met = {near for near in range(len(pairs)) if one[near] == one[row] or other[near] == other[row]} - reached
        reached |= met
        todo += met
    assert sorted(reached) == np.flatnonzero(found == found[0]).tolist()


# --- clusters


def test_independent_rows_have_no_clusters_and_those_in_time_have_batches_of_sqrt_n():
    rows, same = np.arange(100), np.zeros(100)
    assert INDEPENDENT.clusters(rows, same) is None
    assert [10] * 10 == np.bincount(Dependence(time=rows[::-1].copy()).clusters(rows, same)).tolist()
    assert 9 == Dependence(time=rows[::-1].copy()).clusters(rows, same)[0]
    assert [0, 0, 1] == Dependence(group=np.array([5, 5, 7, 2])).clusters(np.array([0, 1, 2]), same[:3]).tolist()


def test_batches_follow_the_losses_in_the_order_of_time():
    alike = np.repeat([0.0, 1.0, 0.0], [90, 210, 100])
    shuffled = np.random.default_rng(0).permutation(400)
    cluster = Dependence(time=shuffled).clusters(np.arange(400), alike[shuffled])
    assert batches(alike).tolist() == cluster[np.argsort(shuffled)].tolist()
    assert 20 < np.bincount(cluster).max()


def test_values_that_cannot_be_compared_are_distinguished():
    assert [0, 1, 0, 2] == distinct(np.array(["a", 1, "a", None], dtype=object)).tolist()
