"""`validate` with groups: recomputed by plain loops, honest where rows of a group are alike, sound at the extremes."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import heldout
from heldout.intervals import clustered_wilson
from heldout.losses import ZERO_ONE
from heldout.losses.tested_losses import Tested
from heldout.splits.dependence import Dependence, distinct
from heldout.splits.partition import make_partition

CANDIDATES = {"bayes": GaussianNB(), "nearest": KNeighborsClassifier(1)}
RNG = np.random.default_rng(3)
GROUP = RNG.permutation(np.repeat(np.arange(30), RNG.integers(1, 9, 30)))
N = len(GROUP)
PLACE = RNG.normal(size=(30, 2))  # each group lies close together, and has a label of its own, at random
X = PLACE[GROUP] + 0.01 * RNG.normal(size=(N, 2))
Y = RNG.integers(0, 2, 30)[GROUP]
SETTINGS = {"folds": 5, "repeats": 3, "block": 4, "seed": 1}


@pytest.fixture(scope="module")
def found():
    return heldout.validate(CANDIDATES, X, Y, groups=[f"g{one}" for one in GROUP], unlabeled=X[:20], **SETTINGS)


def record(found, candidate, estimate):
    return next(one for one in found.estimates if (one.candidate, one.estimate) == (candidate, estimate))


@pytest.fixture(scope="module")
def partition():
    return make_partition(
        Y,
        validation_fraction=0.2,
        folds=5,
        tested_fraction=0.5,
        stratify=True,
        seed=1,
        dependence=Dependence(group=distinct([f"g{one}" for one in GROUP])),
    )


@pytest.mark.parametrize("name", CANDIDATES)
def test_the_estimates_are_those_of_plain_loops_without_the_tested_groups(found, partition, name):
    def errors(tested, trained):
        assert not set(GROUP[tested]) & set(GROUP[trained])
        return clone(CANDIDATES[name]).fit(X[trained], Y[trained]).predict(X[tested]) != Y[tested]

    held_out = errors(partition.validation, ~partition.validation)
    by_fold = [errors(partition.fold == fold, partition.fold != fold) for fold in range(5)]
    step, stream = partition.step, []
    for first in range(0, step.max() + 1, 4):
        tested = (step >= first) & (step < first + 4)
        stream.append(errors(tested, (step < first) & ~np.isin(GROUP, GROUP[tested])))
    for estimate, wrong in [("E_val", held_out), ("E_cv", np.concatenate(by_fold)), ("E_prog", np.concatenate(stream))]:
        own = record(found, name, estimate)
        assert wrong.mean() == pytest.approx(own.value, abs=1e-12)
        assert len(wrong) == own.n_tested
    seen = Tested(held_out.astype(float), ZERO_ONE, cluster=distinct(GROUP[partition.validation]))
    interval = clustered_wilson.METHOD.interval("E_val", seen, 0.95)
    own = record(found, name, "E_val")
    assert (interval.low, interval.high) == pytest.approx((own.low, own.high), abs=1e-12)  # sums in another order
    assert "clustered Wilson" == own.interval


def test_what_holds_for_independent_rows_alone_is_left_out(found):
    for estimate in ("E_2cv", "E_train", "disagreement", "E_dis", "E_maxdt", "E_in"):
        own = record(found, "bayes", estimate)
        assert (None, None, None) == (own.low, own.high, own.interval)
    for estimate in ("E_val", "E_cv", "E_prog"):
        own = record(found, "bayes", estimate)
        assert "independent groups" in own.assumption
        assert own.low < own.value < own.high
    assert "independent groups" in next(one for one in found.estimates if one.estimate == "E_bbc").assumption


def test_labels_by_group_fool_the_nearest_neighbour_without_groups_and_not_with_them(found):
    plain = heldout.validate(CANDIDATES, X, Y, estimates=["E_cv"], **SETTINGS)
    assert record(plain, "nearest", "E_cv").value < 0.2
    assert record(found, "nearest", "E_cv").value > 0.3  # labels of new groups are coin tosses


@pytest.mark.parametrize("rule", ["minimum", "one_standard_error", "indistinguishable"])
@pytest.mark.parametrize("criterion", ["E_val", "E_cv", "E_2cv", "E_prog", "E_maxdt"])
def test_every_criterion_and_rule_selects(found, criterion, rule):
    if criterion == "E_maxdt" and rule != "minimum":
        return
    assert found.select(criterion, rule).selected in CANDIDATES


def test_what_is_a_target_is_what_was_fitted(found):
    assert 5 == len(found.target("bayes", "E_cv"))
    assert 6 == len(found.target("bayes", "E_2cv"))


def test_nested_selection_and_the_intervals_of_resamples_take_whole_groups():
    for name in ("corrected t", "corrected repeated t"):
        made = heldout.validate(
            CANDIDATES, X, Y, groups=GROUP, estimates=["E_cv", "E_nested"], intervals={"E_cv": name}, **SETTINGS
        )
        assert name == record(made, "bayes", "E_cv").interval
        assert "corrected fold Wilson" == next(one for one in made.estimates if one.estimate == "E_nested").interval


def test_all_distinct_groups_work_and_their_intervals_are_near_those_of_independent_rows():
    some = {"estimates": ["E_val", "E_cv", "E_prog"], **SETTINGS}
    alone = heldout.validate(CANDIDATES, X, Y, groups=np.arange(N), **some)
    for own in alone.estimates:
        assert own.low <= own.value <= own.high


def test_leave_one_out_leaves_one_group_out():
    made = heldout.validate(
        CANDIDATES, X, Y, groups=GROUP, estimates=["E_cv"], intervals={"E_cv": "corrected fold t"}, folds=N, seed=1
    )
    assert 30 == len(made.target("bayes", "E_cv"))
    wrong = [
        GaussianNB().fit(X[GROUP != one], Y[GROUP != one]).predict(X[GROUP == one]) != Y[GROUP == one]
        for one in range(30)
    ]
    assert np.concatenate(wrong).mean() == pytest.approx(record(made, "bayes", "E_cv").value, abs=1e-12)
