"""The laws of both: the true error is the mean of the members', the vote is the majority or the mean."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from scipy.stats import chisquare
from sklearn.datasets import make_classification, make_regression
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from heldout.errors import BadArgument
from heldout.hypotheses import KFoldHypothesis, ProgressiveHypothesis

both = pytest.mark.parametrize("kind", [KFoldHypothesis, ProgressiveHypothesis])
KINDS = {
    "k_fold": lambda learner, **more: KFoldHypothesis(learner, folds=7, **more),  # 7 does not divide 100
    "progressive": lambda learner, **more: ProgressiveHypothesis(learner, tested_fraction=0.5, block=11, **more),
}
every_kind = pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)

# a population of 30 000, of which the first 100 are labelled
X, y = make_classification(n_samples=30_000, n_features=6, flip_y=0.2, random_state=5)
XR, yr = make_regression(n_samples=30_000, n_features=6, noise=60, random_state=5)
LABELED = 100


def constant(label, labels=("a", "b", "c")):
    """A fitted hypothesis that always says `label`."""
    return DummyClassifier(strategy="constant", constant=label).fit(np.zeros((len(labels), 1)), list(labels))


def within_four_standard_errors(losses, members_losses, weights):
    """Whether the mean of drawn `losses`, shape (n,), is near the weighted mean of (k, n) members' losses.

    Given the rows, draws are independent with a known variance each; a right mean falls outside of four
    standard errors once in 16 000 times, and the seeds here are fixed.
    """
    mean = weights @ members_losses
    variance = weights @ (members_losses - mean) ** 2
    assert variance.sum() > 0  # members differ: the law says something
    return abs(losses.mean() - mean.mean()) <= 4 * np.sqrt(variance.sum()) / len(losses)


@every_kind
@pytest.mark.parametrize("seed", [0, 1])
def test_the_error_on_a_population_is_the_weighted_mean_of_the_members_errors(make, seed):
    whole = make(DecisionTreeClassifier(), seed=seed).fit(X[:LABELED], y[:LABELED])
    members = np.array([member.predict(X) != y for member in whole.members_])
    assert within_four_standard_errors(whole.predict(X) != y, members, whole.weights_)


@every_kind
def test_the_squared_error_on_a_population_is_the_weighted_mean_of_the_members_errors(make):
    whole = make(DecisionTreeRegressor()).fit(XR[:LABELED], yr[:LABELED])
    members = np.array([(member.predict(XR) - yr) ** 2 for member in whole.members_])
    assert within_four_standard_errors((whole.predict(XR) - yr) ** 2, members, whole.weights_)


@both
def test_over_seeds_the_error_on_few_rows_is_the_weighted_mean_of_the_members_errors(kind):
    fitted = kind(DecisionTreeClassifier()).fit(X[:LABELED], y[:LABELED])
    rows, labels = X[LABELED:][:20], y[LABELED:][:20]
    weights = np.array([3.0, 1, 2, *[1] * (len(fitted.members_) - 3)])
    seeds = range(60)
    wholes = [kind.of(fitted.members_, weights, learner=fitted.learner, seed=seed) for seed in seeds]
    losses = np.concatenate([whole.predict(rows) != labels for whole in wholes])
    members = np.array([member.predict(rows) != labels for member in fitted.members_])
    assert within_four_standard_errors(losses, np.tile(members, len(seeds)), wholes[0].weights_)


@every_kind
def test_members_are_drawn_by_their_weights(make):
    whole = make(DecisionTreeClassifier()).fit(X[:LABELED], y[:LABELED])
    drawn = np.bincount(whole.draw(X), minlength=len(whole.members_))
    # with the seed fixed, one in ten thousand good draws would fall below
    assert chisquare(drawn, len(X) * whole.weights_).pvalue > 1e-4


def test_a_member_of_weight_0_is_never_drawn():
    whole = KFoldHypothesis.of([constant("a"), constant("b"), constant("c")], [0, 1, 0], learner=DummyClassifier())
    assert ["b"] == np.unique(whole.predict(np.arange(1000)[:, None])).tolist()


@every_kind
@pytest.mark.filterwarnings("ignore:X does not have valid feature names:UserWarning")
def test_equal_rows_get_equal_answers_in_any_batch_order_type_and_container(make):
    train = X[:LABELED].astype(np.float32)  # each float32 is a float64 too
    queries = X[:2000].astype(np.float32)
    whole = make(DecisionTreeClassifier()).fit(pd.DataFrame(train), y[:LABELED])
    expected = whole.predict(queries)
    rows = np.random.default_rng(1).integers(0, len(queries), 3000)
    assert np.array_equal(expected[rows], whole.predict(queries[rows]))
    assert expected[7] == whole.predict(queries[[7]])[0]
    for other in (queries.astype(np.float64), pd.DataFrame(queries), queries.tolist(), scipy.sparse.coo_array(queries)):
        assert np.array_equal(expected, whole.predict(other))
        assert np.array_equal(whole.draw(queries), whole.draw(other))


@every_kind
def test_another_seed_draws_otherwise(make):
    whole = make(DecisionTreeClassifier()).fit(X[:LABELED], y[:LABELED])
    other = type(whole).of(whole.members_, whole.tested_, learner=whole.learner, seed=1)
    same = (whole.draw(X) == other.draw(X)).mean()
    chance = (whole.weights_**2).sum()  # of two independent draws
    assert abs(same - chance) <= 4 * np.sqrt(chance * (1 - chance) / len(X))  # four standard errors, as above


@both
def test_the_vote_is_the_majority_and_of_equals_the_smaller_class(kind):
    for labels, tested, expected in [
        ("abb", [1, 1, 1], "b"),
        ("abb", [3, 1, 1], "a"),
        ("cbbc", [1, 1, 1, 1], "b"),
        ("bacbac", [2, 3, 3, 2, 1, 1], "a"),  # four each
        ("cba" * 3, [0.1] * 9, "a"),
    ]:
        whole = kind.of([constant(label) for label in labels], tested, learner=DummyClassifier(), vote=True)
        assert [expected] * 2 == whole.predict([[0.0], [1.0]]).tolist()


@both
@pytest.mark.parametrize("vote", [False, True])
def test_predict_proba_is_the_share_of_votes(kind, vote):
    whole = kind.of([constant(label) for label in "caac"], [10, 10, 9, 9], learner=DummyClassifier(), vote=vote)
    assert list("abc") == whole.classes_.tolist()
    assert [[19 / 38, 0, 19 / 38]] == whole.predict_proba([[0.0]]).tolist()
    fitted = kind(DecisionTreeClassifier(), vote=vote).fit(X[:LABELED], y[:LABELED])
    shares = fitted.predict_proba(X[:500])
    ones = sum(
        weight * member.predict(X[:500]) for member, weight in zip(fitted.members_, fitted.weights_, strict=True)
    )
    # at most a hundred terms of at most 1: rounding below 1e-13
    np.testing.assert_allclose(ones, shares[:, 1], rtol=0, atol=1e-13)
    np.testing.assert_allclose(np.ones(500), shares.sum(axis=1), rtol=0, atol=1e-13)
    assert 0 < ((shares > 0) & (shares < 1)).mean()


@both
def test_a_class_that_only_some_members_know_counts(kind):
    members = [constant("b", "ab"), constant("c", "bc")]
    whole = kind.of(members, [1, 3], learner=DummyClassifier())
    assert list("abc") == whole.classes_.tolist()
    assert [[0, 0.25, 0.75]] == whole.predict_proba([[0.0]]).tolist()
    assert {"b", "c"} == set(whole.predict(np.arange(100)[:, None]).tolist())


@both
def test_the_vote_of_regressors_is_their_weighted_mean(kind):
    members = [DummyRegressor(strategy="constant", constant=c).fit([[0]], [0]) for c in (1.0, 2.0, 6.0)]
    whole = kind.of(members, [2, 1, 1], learner=DummyRegressor(), vote=True)
    assert [(2 * 1 + 2 + 6) / 4] * 2 == whole.predict([[0.0], [5.0]]).tolist()
    fitted = kind(Ridge(), vote=True).fit(XR[:LABELED], yr[:LABELED])
    mean = sum(weight * member.predict(XR) for member, weight in zip(fitted.members_, fitted.weights_, strict=True))
    # the same sums in another order, of numbers near 100
    np.testing.assert_allclose(mean, fitted.predict(XR), rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1], r"weights has shape (1,), but there are 2 members"),
        ([0, 0], "weights is [0 0]; they must be finite, 0 or more, and not all 0"),
        ([1, -1], "weights is [ 1 -1]; they must be finite, 0 or more, and not all 0"),
    ],
)
def test_weights_that_are_no_chances_are_refused(weights, message):
    with pytest.raises(BadArgument) as refused:
        KFoldHypothesis.of([constant("a"), constant("b")], weights, learner=DummyClassifier())
    assert message == str(refused.value)
    assert "weights" == refused.value.argument


@both
@pytest.mark.parametrize("seed", [-1, None, 0.5])
def test_a_seed_that_is_no_whole_number_is_refused(kind, seed):
    with pytest.raises(BadArgument, match="seed is .*; it must be a whole number, 0 or more"):
        kind(DecisionTreeClassifier(), seed=seed).fit(X[:LABELED], y[:LABELED])
