"""Draws with known probabilities, and errors that weigh by them: LURE, its laws, and E_cv of picked rows."""

import itertools
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t
from sklearn.neighbors import KNeighborsClassifier

from heldout.decision.judging import no_bound
from heldout.errors import BadArgument
from heldout.estimates import ESTIMATES
from heldout.estimates.methods import choose
from heldout.learners.fitting import fit_and_test
from heldout.losses import SQUARED, ZERO_ONE, choose_loss
from heldout.schemes.design import Design, Evidence, cross_validated
from heldout.splits.partition import make_partition
from heldout.splits.split import Split
from heldout.splits.weights import Weights
from heldout.unlabelled.label_next import UNIFORM, draw, lure, lure_weights

LAWS = settings(max_examples=40, deadline=None, derandomize=True, database=None)
pools = st.integers(2, 6).flatmap(
    lambda n: st.tuples(
        st.lists(st.floats(0, 5), min_size=n, max_size=n),
        st.lists(st.floats(0, 1), min_size=n, max_size=n),
        st.integers(1, n),
    )
)


def chance(scores, left, row) -> float:
    """The probability of a row among those that are left."""
    total = sum(scores[one] for one in left)
    return UNIFORM / len(left) + (1 - UNIFORM) * (scores[row] / total if total > 0 else 1 / len(left))


def paths(scores, size, grown=()):
    """Every sequence of draws with its probability, the conditional probabilities, and the pools: the law by hand.

    `grown` has at each draw the number of rows of the pool; all rows are there from the start if it is empty.
    """
    n = grown or [len(scores)] * size
    for sequence in itertools.permutations(range(len(scores)), size):
        each = []
        for m, row in enumerate(sequence):
            left = [one for one in range(n[m]) if one not in sequence[:m]]
            each.append(chance(scores, left, row) if row in left else 0.0)
        if all(each):
            yield sequence, each, n


@LAWS
@given(pools)
def test_the_expectation_over_all_draws_is_the_mean_loss_of_the_pool_whatever_the_scores(pool):
    scores, losses, size = pool
    found = total = 0.0
    for sequence, each, n in paths(scores, size):
        found += np.prod(each) * np.mean(lure_weights(each, n) * np.array(losses)[list(sequence)])
        total += np.prod(each)
    assert total == pytest.approx(1)
    assert np.mean(losses) == pytest.approx(found, abs=1e-9)


def test_in_a_pool_that_grows_each_draw_is_unbiased_for_the_rows_of_then():
    scores, losses, grown = [0.0, 3.0, 1.0, 0.5, 2.0], np.array([0.3, 1.0, 0.2, 0.0, 0.7]), [3, 3, 5]
    found = sum(
        np.prod(each) * np.mean(lure_weights(each, n) * losses[list(sequence)])
        for sequence, each, n in paths(scores, 3, grown)
    )
    share = np.array([9 / 6, 9 / 2, 25 / 6])  # N² / ((N - m) (N - m + 1)) at each draw
    of_pools = np.array([losses[:3].mean(), losses[:3].mean(), losses.mean()])
    assert share @ of_pools / share.sum() == pytest.approx(found)


@LAWS
@given(st.lists(st.floats(1e-4, 1), min_size=1, max_size=8), st.integers(0, 30))
def test_the_weights_are_those_of_the_paper(probability, more):
    n, m = len(probability) + more, np.arange(1, len(probability) + 1)
    made = lure_weights(probability, np.full(len(probability), n))
    if more:
        size = len(probability)
        paper = 1 + (n - size) / (n - m) * (1 / ((n - m + 1) * np.array(probability)) - 1)
        assert paper.tolist() == pytest.approx(made.tolist(), rel=1e-9, abs=1e-9)
    assert (made >= 0).all()


@LAWS
@given(st.lists(st.sampled_from([0.0, 0.1, 1.0, 1e-9, 40.0]), min_size=1, max_size=40), st.integers(0, 2**32 - 1))
def test_draws_have_the_probabilities_that_they_state_and_go_on_where_fewer_end(scores, seed):
    drawn, probability = draw(scores, len(scores), np.random.default_rng(seed))
    assert list(range(len(scores))) == sorted(drawn.tolist())
    left = set(range(len(scores)))
    for row, q in zip(drawn.tolist(), probability.tolist(), strict=True):
        assert chance(scores, sorted(left), row) == pytest.approx(q, rel=1e-6)
        left.remove(row)
    size = (len(scores) + 1) // 2
    fewer, of_fewer = draw(scores, size, np.random.default_rng(seed))
    assert (drawn[:size].tolist(), probability[:size].tolist()) == (fewer.tolist(), of_fewer.tolist())
    if size < len(scores):
        assert lure_weights(of_fewer, np.full(size, len(scores))).max() <= 1 / UNIFORM + 1e-9


def test_rows_are_drawn_as_often_as_their_probability_says():
    scores, rng = [0.0, 1.0, 0.0, 3.0], np.random.default_rng(0)
    firsts = np.bincount([draw(scores, 2, rng)[0][0] for _ in range(4000)], minlength=4) / 4000
    assert [chance(scores, range(4), row) for row in range(4)] == pytest.approx(firsts.tolist(), abs=0.03)


@pytest.mark.parametrize(
    ("make", "argument", "words"),
    [
        (lambda: draw([1.0, -1.0], 1, np.random.default_rng(0)), "scores", "finite number of at least 0"),
        (lambda: draw([1.0, inf], 1, np.random.default_rng(0)), "scores", "finite number of at least 0"),
        (lambda: draw([1.0], 2, np.random.default_rng(0)), "size", "size is 2; it must lie between 1 and 1"),
        (lambda: lure_weights([0.5, 0.0], [9, 9]), "probability", "draw 2 is 0; it must lie in (0, 1]"),
        (lambda: lure_weights([0.5, 1.5], [9, 9]), "probability", "draw 2 is 1.5; it must lie in (0, 1]"),
        (lambda: lure_weights([0.5, 0.5], [9, 1]), "pool", "draw 2 is 1"),
    ],
)
def test_what_no_draw_can_have_is_refused(make, argument, words):
    with pytest.raises(BadArgument) as caught:
        make()
    assert argument == caught.value.argument
    assert words in str(caught.value)


def test_the_error_is_the_ratio_and_without_an_error_as_many_rows_count_as_the_weights_are_worth():
    n, losses = np.full(50, 1000), np.arange(50) % 3 == 0
    probability = 1 / (1000 - np.arange(50)) / np.where(np.arange(50) % 4 == 3, 2, 1)
    weights = lure_weights(probability, n)
    value, interval = lure(losses.astype(float), ZERO_ONE, probability, n, 0.95)
    assert np.average(losses, weights=weights) == pytest.approx(value, rel=1e-12)
    assert 0 < interval.low < value < interval.high < 1
    value, interval = lure(np.zeros(50), ZERO_ONE, probability, n, 0.95)
    rows = weights.sum() ** 2 / (weights @ weights)
    z = t.ppf(0.975, rows - 1)
    assert (0, 0) == (value, interval.low)
    assert z**2 / (rows + z**2) == pytest.approx(interval.high)
    assert 0 == lure(np.zeros(50), SQUARED, probability, n, 0.95)[1].high  # no limit is known


def covered(random, uncertain, wrong, wrong_elsewhere, draws, samples=150):
    """How often the interval holds the error, where a share of the rows is uncertain, and all of them have scores."""
    found = 0
    for _ in range(samples):
        rows, probability = draw((np.arange(400) < 400 * uncertain).astype(float), draws, random)
        losses = random.random(draws) < np.where(rows < 400 * uncertain, wrong, wrong_elsewhere)
        _, interval = lure(losses.astype(float), ZERO_ONE, probability, np.full(draws, 400), 0.95)
        found += interval.low <= uncertain * wrong + (1 - uncertain) * wrong_elsewhere <= interval.high
    return found / samples


@pytest.mark.parametrize("case", [(0.05, 0.5, 0.1, 30), (0.1, 0.45, 0.02, 50), (0.2, 0.4, 0.05, 50)])
def test_with_few_draws_the_interval_covers(case):
    # log t of the plain mean of v L covered .73, .88 and .88; .89 is .95 less 3.4 standard errors of 150 samples
    assert covered(np.random.default_rng(5), *case) >= 0.89


def test_the_weights_of_draws_do_not_go_to_fit():
    X, y = boundary(np.random.default_rng(7), 40)
    values = np.linspace(0.5, 1.8, len(y))
    weights = Weights.of(values, drawn=True)
    loss = choose_loss("zero_one", y, values, drawn=True)
    assert (True, False, None) == (loss.weighted, loss.bounded, ESTIMATES["E_maxdt"].refused_by(loss))
    split = Split(np.arange(30), np.arange(30, len(y)))
    made = fit_and_test(KNeighborsClassifier(), X, y, split, loss, 0, weights)  # takes no weights
    wrong = KNeighborsClassifier().fit(X[:30], y[:30]).predict(X[30:]) != y[30:]
    assert wrong.astype(float).tolist() == made.losses.tolist()
    assert Weights.of(np.ones(3), drawn=True) is None


POOL, FEW, LABELS, FOLDS = 1500, 40, 80, 5


def boundary(rng, n):
    """Two features; the class is uncertain near the line x = 0 alone."""
    X = rng.normal(size=(n, 2))
    return X, (X[:, 0] + 0.4 * rng.normal(size=n) > 0).astype(int)


def of_draws(y, values, folds) -> Design:
    weights = Weights.of(values, drawn=True)
    loss = choose_loss(None, y, values, drawn=True)
    parts = make_partition(
        y, validation_fraction=0.2, folds=folds, tested_fraction=0.5, stratify=True, seed=1, parts=["fold"]
    )
    halves = np.zeros((1, len(y)), dtype=np.int8)
    return Design(
        y=y,
        loss=loss,
        partition=parts,
        halves=halves,
        block=5,
        stratify=True,
        seed=1,
        level=0.95,
        methods=choose(None, loss),
        estimates=["E_cv", "E_val"],
        weights=weights,
    )


def picked(seed):
    """E_cv of rows picked where half models disagree, weighted and not, and the true error of the fold hypotheses."""
    rng = np.random.default_rng(seed)
    X, y = boundary(rng, POOL + FEW)
    halves = [KNeighborsClassifier(3).fit(X[POOL:][one], y[POOL:][one]) for one in (np.arange(20), np.arange(20, 40))]
    scores = (halves[0].predict(X[:POOL]) != halves[1].predict(X[:POOL])).astype(float)
    drawn, probability = draw(scores, LABELS, rng)
    values = np.concatenate([lure_weights(probability, np.full(LABELS, POOL)), np.ones(FEW)])
    some = np.concatenate([drawn, np.arange(POOL, POOL + FEW)])
    made, (new, labels) = of_draws(y[some], values, FOLDS), boundary(rng, 600)
    fits = [
        fit_and_test(KNeighborsClassifier(3), X[some], y[some], split, made.loss, 0, made.weights)
        for split in made.splits("cross_validation")
    ]
    losses = [fit.losses for fit in fits]
    weighted = cross_validated(made, Evidence({"cross_validation": losses})).error
    true = np.mean([(fit.hypothesis.predict(new) != labels).mean() for fit in fits])
    return weighted, np.concatenate(losses).mean(), true


def test_weighted_e_cv_of_picked_rows_has_no_bias_where_that_of_the_rows_as_they_are_misleads():
    weighted, plain, true = np.array([picked(seed) for seed in range(36)]).T
    error = (weighted - true).std() / len(true) ** 0.5
    assert abs((weighted - true).mean()) < 3 * error < 0.025  # 3 standard errors of the mean of 36 samples
    assert (plain - true).mean() > true.mean() / 4


def test_no_bound_is_claimed_where_which_rows_were_drawn_depends_on_others():
    y = np.tile([0, 1], 20)
    assert "weights" == no_bound(of_draws(y, np.linspace(0.5, 1.5, 40), 4)).argument
