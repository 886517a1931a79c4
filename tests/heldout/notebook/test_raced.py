"""`heldout.validate` with a race: the same numbers for those who are left, and few fits for the others."""

import dataclasses

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import heldout
from heldout.errors import BadArgument, FitFailure, LearnerWarning

X, Y = make_classification(600, 10, n_informative=6, flip_y=0.02, class_sep=1.5, random_state=3)
FEW = ["E_val", "E_prog"]  # for a race that says by itself what it did: the others need many fits


class Counted(ClassifierMixin, BaseEstimator):
    """Answers by the sign of one column, and counts its fits."""

    fits = 0

    def __init__(self, column: int = 0):
        self.column = column

    def fit(self, X, y):
        type(self).fits += 1
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[(X[:, self.column] > 0).astype(int)]


class Breaks(KNeighborsClassifier):
    """Good, but not for many rows."""

    def fit(self, X, y):
        if len(X) > 350:
            raise ValueError("too many rows")
        return super().fit(X, y)


class Late(DecisionTreeClassifier):
    """The same at the end of the stream."""

    def fit(self, X, y):
        if len(X) > 520:
            raise ValueError("too many rows")
        return super().fit(X, y)


def candidates() -> dict[str, object]:
    trees = {f"tree {depth}": DecisionTreeClassifier(max_depth=depth) for depth in (1, 2, 4, 6, 8)}
    neighbours = {f"{k}-NN": KNeighborsClassifier(k) for k in (1, 5, 15, 45, 200)}
    return {"coin": Counted(), **trees, **neighbours}


@pytest.fixture(scope="module")
def raced():
    return heldout.validate(candidates(), X, Y, repeats=4)


@pytest.fixture(scope="module")
def few():
    return heldout.validate(candidates(), X, Y, estimates=FEW)


@pytest.fixture(scope="module")
def without():
    return heldout.validate(candidates(), X, Y, repeats=4, race="off")


def test_estimates_of_those_who_are_left_are_those_without_a_race(raced, without):
    assert raced.dropped
    assert {*raced.candidates} | {one.candidate for one in raced.dropped} == {*without.candidates}
    assert not {*raced.candidates} & {one.candidate for one in raced.dropped}
    known = {(record.candidate, record.estimate): record for record in without.estimates}
    of_each = [record for record in raced.estimates if record.estimate != "E_bbc"]
    assert of_each == [known[record.candidate, record.estimate] for record in of_each]


def test_processes_change_nothing(raced):
    shared = heldout.validate(candidates(), X, Y, repeats=4, n_jobs=2)
    assert (shared.estimates, shared.dropped) == (raced.estimates, raced.dropped)


def test_one_that_is_dropped_has_been_fitted_for_the_first_blocks_alone(raced):
    (coin,) = (one for one in raced.dropped if one.candidate == "coin")
    Counted.fits = 0
    heldout.validate(candidates(), X, Y, estimates=FEW)
    steps = np.cumsum([len(split.validation) for split in raced.design.splits("progressive")])
    assert steps[Counted.fits - 1] == coin.rows


def test_the_bound_counts_all_that_started(raced):
    started = len(candidates())
    assert raced.bound() == raced.bound(models=started)
    with pytest.raises(BadArgument, match=f"at least {started}"):
        raced.bound(models=started - 1)


def test_claims_about_pairs_are_at_most_those_without_a_race(raced, without):
    """The level is shared among the pairs of all that started, since the same rows decided who is left."""
    winner = raced.select().selected
    found = {record.against: record for record in without.differences(winner)}
    for record in raced.differences(winner):
        other = found[record.against]
        assert (record.difference, record.level) == (other.difference, other.level)
        # those that a race dropped are not among the ones that the steps leave out
        assert record.low <= other.low + 1e-12
        assert record.high >= other.high - 1e-12


def test_text_and_page_say_what_happened(raced):
    page = raced._repr_html_()
    for shown in (str(raced), page):
        assert "dropped after" in shown
    assert f"{len(raced.dropped)} of {len(candidates())} candidates erred so much more" in page
    assert f"{len(raced.dropped)} dropped" in repr(raced)
    (bbc,) = (record for record in raced.estimates if record.estimate == "E_bbc")
    assert "that a race left" in bbc.target


def test_nothing_is_known_of_one_that_is_dropped(raced):
    with pytest.raises(BadArgument, match="it was dropped after"):
        raced.target(raced.dropped[0].candidate, "E_cv")


def test_a_race_without_e_prog_has_its_steps_and_no_estimate_of_them():
    made = heldout.validate(candidates(), X, Y, estimates=["E_cv"], intervals={"E_cv": "Bayle within folds"})
    assert made.dropped
    assert {record.estimate for record in made.estimates} == {"E_cv"}


def test_no_race_that_costs_more_fits_than_it_can_spare():
    made = heldout.validate(candidates(), X, Y, estimates=["E_val"])
    assert made.dropped == ()


def test_one_that_is_left_alone_is_the_choice():
    coins = {f"coin {place}": DummyClassifier(strategy="uniform", random_state=place) for place in range(11)}
    made = heldout.validate({**coins, "tree": DecisionTreeClassifier(max_depth=6)}, X, Y, repeats=2)
    assert made.candidates == ("tree",)
    assert len(made.dropped) == 11
    assert made.select().selected == made.decide().advice.removeprefix("Ship ").partition(":")[0] == "tree"
    assert "11 of 12 candidates" in made._repr_html_()


def test_a_failure_is_no_drop_and_drops_nobody(few):
    learners = {**candidates(), "breaks": Breaks()}
    with pytest.raises(FitFailure, match="breaks: .*too many rows"):
        heldout.validate(learners, X, Y, estimates=FEW, on_error="raise")
    with pytest.warns(LearnerWarning, match="^breaks failed, and is left out: block 3/8: ValueError: too many rows"):
        made = heldout.validate(learners, X, Y, estimates=FEW)
    assert {"breaks": "block 3/8: ValueError: too many rows"} == made.failed
    assert (few.estimates, few.dropped) == (made.estimates, made.dropped)


def test_one_that_is_left_alone_and_fails_later_drops_nobody():
    coins = {f"coin {place}": DummyClassifier(strategy="uniform", random_state=place) for place in range(11)}
    wanted = {"estimates": FEW}
    with pytest.warns(LearnerWarning, match="late failed"):
        made = heldout.validate({**coins, "late": Late()}, X, Y, **wanted)
    alone = heldout.validate(coins, X, Y, **wanted)
    assert (alone.estimates, alone.dropped) == (made.estimates, made.dropped)
    with pytest.warns(LearnerWarning, match="late failed"):
        finals = heldout.validate({**coins, "late": Late()}, X, Y, finalists=2, **wanted)
    assert ["late"] == [*finals.failed]
    assert 2 == len(finals)


@pytest.mark.parametrize(
    ("learners", "y", "options"),
    [
        (dict(list(candidates().items())[:10]), Y, {}),
        (candidates(), Y, {"groups": np.repeat(np.arange(200), 3)}),
        ({f"d{place}": DummyRegressor(quantile=None) for place in range(11)}, Y + X[:, 0], {}),
    ],
)
def test_no_race(learners, y, options):
    made = heldout.validate(learners, X, y, estimates=FEW, **options)
    assert made.dropped == ()
    assert len(made.candidates) == len(learners)


def test_a_stated_limit_allows_a_race_among_regressors():
    y = np.clip(Y + 0.1 * X[:, 0], 0, 1)
    learners = {f"tree {leaf}": DecisionTreeRegressor(max_leaf_nodes=leaf) for leaf in range(2, 12)} | {
        "mean": DummyRegressor()
    }
    made = heldout.validate(learners, X, y, estimates=FEW, loss_max=1.0)
    assert "mean" in {one.candidate for one in made.dropped}


def test_race_is_checked():
    with pytest.raises(BadArgument, match="race is 'yes'; it must be one of auto, off"):
        heldout.validate(candidates(), X, Y, race="yes")


def test_the_record_is_plain(raced):
    assert [*dataclasses.asdict(raced.dropped[0])] == [
        "candidate",
        "rows",
        "stream",
        "e_value",
        "against",
        "error",
        "error_against",
        "by",
    ]


@pytest.mark.parametrize("race", ["auto", "off"])
def test_finalists_have_the_least_e_prog_and_keep_their_numbers(race, without):
    made = heldout.validate(candidates(), X, Y, repeats=4, race=race, finalists=3)
    e_prog = {record.candidate: record.value for record in without.estimates if record.estimate == "E_prog"}
    assert sorted(e_prog, key=e_prog.__getitem__)[:3] == sorted(made.candidates, key=e_prog.__getitem__)
    assert {"race", "finalists"} - ({"race"} if race == "off" else set()) == {one.by for one in made.dropped}
    for one in made.dropped:
        if one.by == "finalists":
            assert one.error == pytest.approx(e_prog[one.candidate], rel=1e-12)
            assert one.error >= one.error_against == pytest.approx(min(e_prog.values()), rel=1e-12)
    known = {(record.candidate, record.estimate): record for record in without.estimates}
    of_each = [record for record in made.estimates if record.estimate != "E_bbc"]
    assert of_each == [known[record.candidate, record.estimate] for record in of_each]
    assert made.bound() == made.bound(models=len(candidates()))


def test_finalists_of_a_loss_without_a_limit_and_of_groups():
    trees = {f"tree {depth}": DecisionTreeRegressor(max_depth=depth) for depth in range(1, 6)}
    groups = np.repeat(np.arange(60), 10)
    for further in ({}, {"groups": groups}):
        made = heldout.validate(trees, X, X[:, 0], estimates=FEW, finalists=2, **further)
        assert len(made.candidates) == 2
        assert {"finalists"} == {one.by for one in made.dropped}
        shown = " ".join(str(made).split())
        assert "on all 300 tested rows, the least is" in shown
        assert "3 of 5 candidates got no further fits, since finalists allows no more" in made._repr_html_()


def test_as_many_finalists_as_candidates_change_nothing():
    some, how = dict(list(candidates().items())[1:4]), {"estimates": [*FEW, "E_2cv"], "repeats": 2}
    plain = heldout.validate(some, X, Y, **how)
    assert plain.estimates == heldout.validate(some, X, Y, **how, finalists=3).estimates


def test_finalists_without_e_prog_have_its_steps():
    some = dict(list(candidates().items())[1:6])
    made = heldout.validate(some, X, Y, estimates=["E_val"], finalists=1)
    assert len(made.candidates) == 1
    assert {record.estimate for record in made.estimates} == {"E_val"}


@pytest.mark.parametrize("finalists", [0, -1, 1.5, True, "3"])
def test_what_is_no_number_of_finalists_is_refused(finalists):
    with pytest.raises(BadArgument, match="finalists"):
        heldout.validate(candidates(), X, Y, finalists=finalists)


def test_finalists_are_not_chosen_in_each_fold():
    with pytest.raises(BadArgument, match="leave one out"):
        heldout.validate(candidates(), X, Y, finalists=2, estimates=["E_nested"])


def test_of_many_that_are_left_out_a_table_of_text_has_the_nearest_and_counts_the_others():
    made = heldout.validate(candidates(), X, Y, estimates=FEW, finalists=2)
    errors = sorted((one.error, one.candidate) for one in made.dropped)
    said, page = str(made), made._repr_html_()
    assert all(name in said for _, name in errors[:5])
    assert f"{len(errors) - 5} others" in said
    assert all(name in page for _, name in errors)
