"""Weights of rows: in the fit, in the mean loss, and what of them is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from heldout.errors import BadArgument
from heldout.estimates import ESTIMATES, estimate_candidate, schemes_of
from heldout.estimates.methods import choose
from heldout.family import TunedEstimator
from heldout.learners.fitting import fit_and_test
from heldout.learners.fitting import test as losses_on  # a name that pytest does not collect
from heldout.losses import ZERO_ONE, choose_loss
from heldout.schemes.design import Design, Evidence, cross_validated
from heldout.splits.partition import make_halves, make_partition
from heldout.splits.split import Split
from heldout.splits.weights import Weights, check, fit_argument

LAWS = settings(max_examples=25, deadline=None, derandomize=True, database=None)
seeds = st.integers(0, 2**32 - 1)


def rows(seed, n=40) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, classes and whole weights from 1 to 4."""
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], n // 2)
    return rng.normal(size=(n, 3)) + y[:, None], y, rng.integers(1, 5, n)


def design(y, spec, values, wanted=("E_in", "E_val", "E_cv", "E_prog", "E_2cv", "E_train")) -> Design:
    weights = Weights.of(values)
    loss = choose_loss(spec, y, None if weights is None else weights.values)
    stratify = loss.of_classes
    return Design(
        y=y,
        loss=loss,
        partition=make_partition(y, validation_fraction=0.3, folds=4, tested_fraction=0.5, stratify=stratify, seed=1),
        halves=make_halves(y, repeats=2, stratify=stratify, seed=1),
        block=5,
        stratify=stratify,
        seed=1,
        level=0.9,
        methods=choose(None, loss),
        estimates=wanted,
        weights=weights,
    )


def evidence(made, learner, X) -> Evidence:
    fitted = {
        scheme: [fit_and_test(learner, X, made.y, split, made.loss, 0, made.weights) for split in made.splits(scheme)]
        for scheme in schemes_of(made)
    }
    training = [
        losses_on(one.hypothesis, X, made.y, split.train, made.loss)
        for one, split in zip(fitted["covalidation"], made.splits("covalidation"), strict=True)
    ]
    return Evidence({scheme: [one.losses for one in of] for scheme, of in fitted.items()}, training)


@LAWS
@given(seeds)
def test_whole_weights_equal_repeated_rows_in_the_fit_and_in_the_mean_loss(seed):
    X, y, weights = rows(seed)
    rng = np.random.default_rng(seed)
    train = np.sort(rng.permutation(len(y))[:30])
    split = Split(train, np.setdiff1d(np.arange(len(y)), train))
    again = np.repeat(np.arange(len(y)), weights)
    repeated = Split(np.flatnonzero(np.isin(again, train)), np.flatnonzero(~np.isin(again, train)))
    for learner, target, spec in (
        (GaussianNB(), y, "log"),
        (LinearRegression(), X[:, 0] + rng.normal(size=len(y)), "squared"),
        (make_pipeline(DecisionTreeClassifier(max_depth=2)), y, "zero_one"),
    ):
        of = Weights.of(weights)
        weighted = fit_and_test(learner, X, target, split, choose_loss(spec, target, of.values), 0, of)
        plain = fit_and_test(learner, X[again], target[again], repeated, choose_loss(spec, target), 0)
        total = weights[split.validation] @ weighted.losses
        assert plain.losses.sum() == pytest.approx(total, rel=1e-6, abs=1e-9)


@LAWS
@pytest.mark.slow
@given(seeds, st.sampled_from(["zero_one", "log", "balanced"]))
def test_every_estimate_is_the_weighted_mean_of_losses_of_weighted_fits(seed, spec):
    X, y, weights = rows(seed)
    made = design(y, spec, weights)
    found = {one.estimate: one for one in estimate_candidate(made, "a", evidence(made, GaussianNB(), X))}
    plain = choose_loss(spec, y, np.asarray(weights, dtype=float))

    def tested(train, part):
        bayes = GaussianNB().fit(X[train], y[train], sample_weight=weights[train])
        answers = bayes.predict_proba(X[part]) if spec == "log" else bayes.predict(X[part])
        return plain.pointwise(y[part], answers)

    fold = made.partition.fold
    of_folds = [tested(np.flatnonzero(fold != i), np.flatnonzero(fold == i)) for i in range(4)]
    everything, held_out = np.arange(len(y)), np.flatnonzero(made.partition.validation)
    counted = np.concatenate([weights[fold == i] for i in range(4)])
    assert np.average(np.concatenate(of_folds), weights=counted) == pytest.approx(found["E_cv"].value, rel=1e-12)
    of_val = tested(np.setdiff1d(everything, held_out), held_out)
    assert np.average(of_val, weights=weights[held_out]) == pytest.approx(found["E_val"].value, rel=1e-12)
    whole = np.average(tested(everything, everything), weights=weights)
    assert whole == pytest.approx(found["E_in"].value, rel=1e-12)
    assert not made.loss.bounded
    assert all(found[name].low <= found[name].value <= found[name].high for name in ("E_val", "E_cv", "E_2cv"))


def test_weights_of_1_go_to_the_fit_too_by_which_a_forest_draws_other_rows():
    X, y, _ = rows(3)
    found = []
    for values in (None, np.ones(len(y)), np.ones(len(y), dtype=np.int64)):
        made = design(y, "zero_one", values)
        found.append(estimate_candidate(made, "a", evidence(made, LogisticRegression(), X)))
    assert found[0] == found[1] == found[2]
    made = design(y, "zero_one", np.ones(len(y)))
    forest = RandomForestClassifier(5, random_state=0)
    losses = cross_validated(made, evidence(made, forest, X)).losses
    train, rest = np.flatnonzero(made.partition.fold != 0), np.flatnonzero(made.partition.fold == 0)
    own = clone(forest).fit(X[train], y[train], sample_weight=np.ones(len(train)))
    assert (own.predict(X[rest]) != y[rest]).astype(float).tolist() == losses[rest].tolist()


def test_weights_of_1_are_no_reason_against_a_learner_that_takes_none():
    assert not Weights.of(np.ones(3)).must_reach_fit
    assert Weights.of([1, 2, 1]).must_reach_fit


def test_with_metadata_routing_a_pipeline_takes_weights_by_their_own_name_if_a_step_asked_for_them():
    assert "logisticregression__sample_weight" == fit_argument(make_pipeline(LogisticRegression()))
    with config_context(enable_metadata_routing=True):
        asks = LogisticRegression().set_fit_request(sample_weight=True)
        assert "sample_weight" == fit_argument(make_pipeline(asks))
        assert fit_argument(make_pipeline(LogisticRegression())) is None
        X, y, weights = rows(5)
        of = Weights.of(weights)
        split = Split(np.arange(len(y) // 2), np.arange(len(y) // 2, len(y)))
        by = fit_and_test(make_pipeline(asks), X, y, split, ZERO_ONE, 0, of).hypothesis
    own = LogisticRegression().fit(X[split.train], y[split.train], sample_weight=weights[split.train])
    assert own.coef_.tolist() == by[-1].coef_.tolist()


def test_equal_weights_go_to_the_fit_and_leave_the_loss_as_it_is():
    X, y, _ = rows(4)
    made = design(y, "zero_one", np.full(len(y), 0.3))
    assert ZERO_ONE == made.loss
    assert [1.0] * len(y) == made.weights.relative.tolist()
    losses = cross_validated(made, evidence(made, LogisticRegression(C=0.01), X)).losses
    train = np.flatnonzero(made.partition.fold != 0)
    own = LogisticRegression(C=0.01).fit(X[train], y[train], sample_weight=np.full(len(train), 0.3))
    rest = np.flatnonzero(made.partition.fold == 0)
    assert (own.predict(X[rest]) != y[rest]).astype(float).tolist() == losses[rest].tolist()


@LAWS
@given(seeds, st.floats(0.01, 100))
def test_the_unit_of_the_weights_does_not_matter_to_the_loss(seed, unit):
    _, _, weights = rows(seed)
    one, other = (Weights.of(values).relative for values in (weights + 0.5, unit * (weights + 0.5)))
    assert one.tolist() == pytest.approx(other.tolist(), rel=1e-12)
    assert 1 == pytest.approx(one.mean(), rel=1e-12)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, -2, 3], "weights of row 1 is -2; a weight must be a finite number of at least 0"),
        ([1, 2, np.nan], "weights of row 2 is nan; a weight must be a finite number of at least 0"),
        ([np.inf, 2, 1], "weights of row 0 is inf; a weight must be a finite number of at least 0"),
        ([0, 0.0, 0], "weights is 0 in every row; at least one row must count"),
        (["heavy", "light"], "weights holds values that are no numbers; each row needs a number"),
    ],
)
def test_what_is_no_weight_is_refused(values, message):
    with pytest.raises(BadArgument) as caught:
        check(values)
    assert ("weights", message) == (caught.value.argument, str(caught.value))


@pytest.mark.parametrize(
    ("learner", "argument"),
    [
        (GaussianNB(), "sample_weight"),
        (CalibratedClassifierCV(GaussianNB()), "sample_weight"),
        (BaggingClassifier(GaussianNB()), "sample_weight"),
        (make_pipeline(StandardScaler(), GaussianNB()), "gaussiannb__sample_weight"),
        (make_pipeline(make_pipeline(GaussianNB())), "pipeline__gaussiannb__sample_weight"),
        (GridSearchCV(GaussianNB(), {}), "sample_weight"),
        (GridSearchCV(make_pipeline(GaussianNB()), {}), "gaussiannb__sample_weight"),
        (KNeighborsClassifier(), None),
        (make_pipeline(StandardScaler(), KNeighborsClassifier()), None),
        (GridSearchCV(KNeighborsClassifier(), {}), None),
        (TunedEstimator(LogisticRegression(), "C", [1, 2]), None),
    ],
    ids=lambda value: str(value)[:40],
)
def test_the_name_under_which_a_fit_takes_weights(learner, argument):
    X, y, weights = rows(5)
    assert argument == fit_argument(learner)
    if argument is not None:
        learner.fit(X, y, **{argument: weights})


def test_a_weighted_loss_admits_a_disagreement_but_no_bound():
    loss = choose_loss("zero_one", np.array([0, 1]), np.array([1.0, 2.0]))
    assert ESTIMATES["disagreement"].refused_by(loss) is None
    assert "labelled rows are weighted, and the weights of unlabelled rows are not known" == ESTIMATES[
        "E_dis"
    ].refused_by(loss)
    assert ESTIMATES["E_maxdt"].refused_by(loss) is not None
