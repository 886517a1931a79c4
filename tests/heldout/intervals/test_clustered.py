"""The intervals of dependent rows: their variance, and their coverage where rows are alike within groups or in time."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.signal import lfilter
from scipy.special import stdtrit
from sklearn.linear_model import LinearRegression

import heldout
from heldout.errors import BadArgument
from heldout.fits.baseline import NAME
from heldout.intervals import clustered_log_t, clustered_t, clustered_wilson, corrected_fold_t, wilson
from heldout.intervals.method import estimate_with
from heldout.losses import SQUARED, ZERO_ONE
from heldout.losses.tested_losses import CrossValidated, Tested, effective_number
from heldout.selection.comparison import Comparison
from heldout.splits.batches import batches
from studies.intervals import martingale_clt, student_t

LAWS = settings(max_examples=60, deadline=None, derandomize=True, database=None)
LEVEL = 0.95
SAMPLES = 2000
ERROR = 3 * np.sqrt(LEVEL * (1 - LEVEL) / SAMPLES)  # three standard errors of a coverage: 0.015
rows = st.lists(st.tuples(st.floats(0, 100), st.integers(0, 5)), min_size=2, max_size=40).filter(
    lambda pairs: len({cluster for _, cluster in pairs}) > 1
)


def clusters_of(pairs):
    losses, cluster = (np.array(column) for column in zip(*pairs, strict=True))
    return losses, np.unique(cluster, return_inverse=True)[1]


@LAWS
@given(rows)
def test_the_variance_is_that_of_the_sums_of_deviations_over_clusters(pairs):
    losses, cluster = clusters_of(pairs)
    n, groups = len(losses), cluster.max() + 1
    sums = [sum(losses[row] - losses.mean() for row in range(n) if cluster[row] == one) for one in range(groups)]
    effective = n**2 / sum((cluster == one).sum() ** 2 for one in range(groups))
    expected = effective / (effective - 1) * sum(its**2 for its in sums) / n**2
    # sums of at most 40 numbers below 100, and a factor of at most 20.5, of 39 rows and 1
    assert expected == pytest.approx(clustered_t.variance(losses, cluster), abs=1e-8)
    assert 1 < effective_number(cluster) <= groups + 1e-12
    assert Tested(losses, SQUARED, cluster=cluster).units == pytest.approx(effective)


def test_unequal_clusters_have_the_factor_and_the_degrees_of_their_effective_number_by_hand():
    # 2, 1 and 1 rows: G* = 16 / 6 = 8/3, factor 8/5; q = 1, z = 2, -1, -1, V = 8/5 x 6/16 = 0.6
    seen = Tested(np.array([2.0, 2.0, 0.0, 0.0]), SQUARED, cluster=np.array([0, 0, 1, 2]))
    assert 0.6 == pytest.approx(clustered_t.variance(seen.losses, seen.cluster), rel=1e-12)
    reach = stdtrit(5 / 3, 0.975) * np.sqrt(0.6)
    assert (1 - reach, 1 + reach) == pytest.approx(clustered_t.bounds(seen, LEVEL), rel=1e-12)
    # V passes 1/4 x 3/4: fewer than the one row that a table weighs at least
    wrong = Tested(np.array([1.0, 1.0, 0.0, 0.0]), ZERO_ONE, cluster=seen.cluster)
    expected = wilson.roots_at(0.5, 0.25 / 0.15, stdtrit(5 / 3, 0.975))
    assert expected == pytest.approx(clustered_wilson.bounds(wrong, LEVEL), rel=1e-12)


@LAWS
@given(st.lists(st.floats(0, 100), min_size=2, max_size=30), st.floats(0.5, 0.99))
def test_with_one_row_a_cluster_it_is_students_t(losses, level):
    losses = np.array(losses)
    alone = Tested(losses, SQUARED, cluster=np.arange(len(losses)))
    expected = student_t.bounds(Tested(losses, SQUARED), level)
    assert expected == pytest.approx(clustered_t.bounds(alone, level), abs=1e-9)
    assert expected == pytest.approx(clustered_t.bounds(Tested(losses, SQUARED), level), abs=1e-9)


@LAWS
@given(st.lists(st.floats(0, 100), min_size=2, max_size=30), st.integers(1, 5))
def test_copies_of_each_row_in_one_cluster_add_nothing(losses, copies):
    losses = np.array(losses)
    many = Tested(np.repeat(losses, copies), SQUARED, cluster=np.repeat(np.arange(len(losses)), copies))
    assert student_t.bounds(Tested(losses, SQUARED), LEVEL) == pytest.approx(clustered_t.bounds(many, LEVEL), abs=1e-6)


def test_wilsons_roots_are_those_of_the_effective_size():
    # 4 clusters of 5 rows with 4, 0, 1, 0 errors: q = 1/4, z_g = 2.75, -1.25, -0.25, -1.25, V = 4/3 x 10.75 / 400
    losses = np.repeat([1.0, 0, 0, 1, 0, 0], [4, 1, 5, 1, 4, 5])
    seen = Tested(losses, ZERO_ONE, cluster=np.repeat(np.arange(4), 5))
    size = 0.25 * 0.75 / (4 / 3 * 10.75 / 400)
    expected = wilson.roots_at(0.25, size, 3.182446305)  # t with 3 degrees of freedom
    assert expected == pytest.approx(clustered_wilson.bounds(seen, LEVEL), abs=1e-9)


def test_without_an_error_each_cluster_counts_as_one_row():
    seen = Tested(np.zeros(200), ZERO_ONE, cluster=np.repeat(np.arange(10), 20))
    low, high = clustered_wilson.bounds(seen, LEVEL)
    assert (0, wilson.roots_at(0.0, 10, 2.262157163)[1]) == (low, pytest.approx(high, abs=1e-9))


@pytest.mark.parametrize("method", [clustered_t.METHOD, clustered_wilson.METHOD])
@pytest.mark.parametrize(
    ("sizes", "effective"), [([10], "1"), ([5, 5], "2"), ([8, 1, 1], "1.52"), ([96, 1, 1, 1, 1], "1.08")]
)
def test_two_clusters_or_their_weight_have_no_interval(method, sizes, effective):
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    seen = Tested(np.resize([0.0, 1.0], len(cluster)), ZERO_ONE, cluster=cluster)
    with pytest.raises(BadArgument, match=f"^{method.name} needs more than 2 groups .* got {effective}$") as caught:
        method.interval("E_val", seen, LEVEL)
    assert "groups" == caught.value.argument
    assert estimate_with("any", "E_val", seen, "g-", 5, method, LEVEL).low is None
    [of_baseline] = Comparison({"a": seen, NAME: replace(seen, losses=np.ones(seen.n))}, None, LEVEL).differences("a")
    assert of_baseline.low is None


def coverage(method, estimate, draw, seed=0) -> float:
    """The share of samples whose interval covers the target; `draw` gives what is observed and the target."""
    rng = np.random.default_rng(seed)
    hits = 0
    for _ in range(SAMPLES):
        seen, target = draw(rng)
        found = method.interval(estimate, seen, LEVEL)
        hits += found.low <= target <= found.high
    return hits / SAMPLES


def patients(loss):
    """60 groups of 1 to 20 rows; a group's rows err with a probability of its own, 0.2 on average."""

    def draw(rng):
        sizes = rng.integers(1, 21, 60)
        cluster = np.repeat(np.arange(60), sizes)
        rate = rng.beta(0.5, 2, 60)[cluster]
        losses = (
            (rng.random(len(rate)) < rate).astype(float) if loss is ZERO_ONE else rate * rng.exponential(1, len(rate))
        )
        return Tested(losses, loss, cluster=cluster), 0.2

    return draw


def stream(losses_of, correlation=0.7, batches=batches):
    """2500 rows whose hidden state is an AR(1) of this correlation from row to row, in batches of at least 50."""

    def draw(rng):
        noise = rng.normal(size=2500) * np.sqrt(1 - correlation**2)
        noise[0] = rng.normal()
        losses = losses_of(lfilter([1], [1, -correlation], noise))
        return Tested(losses, ZERO_ONE if losses_of is _wrong else SQUARED, cluster=batches(losses)), 0.5

    return draw


def _of_sqrt_n(losses):
    return np.arange(len(losses)) // 50


def lopsided(rng):
    """10 groups, half of all rows in the largest, whose rows have the mean of their group."""
    cluster = np.repeat(np.arange(10), [200, 100, 50, 25, 12, 6, 3, 2, 1, 1])
    losses = (1 + 0.5 * rng.normal(size=10))[cluster] + 0.5 * rng.normal(size=len(cluster))
    return Tested(losses, SQUARED, cluster=cluster), 1.0


def _wrong(state):
    return (state > 0).astype(float)


def _half_of_the_square(state):
    return state**2 / 2


@pytest.mark.parametrize(
    ("method", "draw"),
    [
        pytest.param(clustered_t.METHOD, patients(SQUARED), marks=pytest.mark.long),
        (clustered_wilson.METHOD, patients(ZERO_ONE)),
        (clustered_t.METHOD, stream(_half_of_the_square)),
        pytest.param(clustered_wilson.METHOD, stream(_wrong), marks=pytest.mark.long),
    ],
    ids=["groups, numbers", "groups, classes", "time, numbers", "time, classes"],
)
def test_the_level_is_kept_for_new_groups_and_along_time(method, draw):
    # 0.02: terms of order 1/G that both methods neglect, for 60 groups and 50 batches (skewed sums, batches that
    # still correlate at their ends)
    assert LEVEL - 0.02 - ERROR <= coverage(method, "E_val", draw) <= LEVEL + 0.01 + ERROR


def test_the_level_is_kept_for_groups_of_very_different_size():
    # it was 0.77 with the number of groups in place of the effective number, which is 3.0
    assert LEVEL - ERROR <= coverage(clustered_t.METHOD, "E_val", lopsided)


@pytest.mark.long
def test_batches_as_long_as_the_correlation_asks_for_come_nearer_to_the_level():
    method = clustered_wilson.METHOD
    before, after = (coverage(method, "E_val", stream(_wrong, 0.97, how)) for how in (_of_sqrt_n, batches))
    assert before < LEVEL - 3 * ERROR
    assert max(before + ERROR, LEVEL - 0.05 - ERROR) <= after <= LEVEL + ERROR


def test_intervals_of_independent_rows_fall_far_short_for_groups():
    assert coverage(wilson.METHOD, "E_val", patients(ZERO_ONE)) < 0.75


def errors_that_follow_one_another(rng):
    """0/1 losses of a chain that repeats itself with probability 0.8; the target is the mean error given the past."""
    stays = rng.random(400) < 0.8
    state = np.empty(400)
    state[0] = rng.random() < 0.5
    for place in range(1, 400):
        state[place] = state[place - 1] if stays[place] else 1 - state[place - 1]
    given_the_past = np.where(state[:-1] == 1, 0.8, 0.2)
    return Tested(state, ZERO_ONE), float(np.mean([0.5, *given_the_past]))


@pytest.mark.slow
def test_wilsons_interval_keeps_its_level_along_a_stream_of_dependent_errors_and_successive_differences_do_not():
    # a martingale needs no independence: the variance about the target is 0.8 x 0.2 / n, below Wilson's 0.5 x 0.5 / n
    assert coverage(wilson.METHOD, "E_prog", errors_that_follow_one_another) >= LEVEL - ERROR
    # neighbours differ with probability 0.2: the method sees a variance of 0.1 in place of 0.16
    assert coverage(martingale_clt.METHOD, "E_prog", errors_that_follow_one_another) < LEVEL - 3 * ERROR


def test_folds_of_groups_have_the_factor_of_hypotheses_that_train_one_another_by_hand():
    # the clusters of 2, 1 and 1 rows above, V = 0.6, now in 2 folds: 1 + 2 / (2 - 1) = 3 times
    fold, cluster = np.array([0, 0, 1, 1]), np.array([0, 0, 1, 2])
    seen = CrossValidated(np.array([2.0, 2.0, 0.0, 0.0]), SQUARED, cluster=cluster, fold=fold)
    reach = stdtrit(5 / 3, 0.975) * np.sqrt(1.8)
    assert (1 - reach, 1 + reach) == pytest.approx(clustered_t.bounds(seen, LEVEL), rel=1e-12)
    assert (np.exp(-reach), np.exp(reach)) == pytest.approx(clustered_log_t.bounds(seen, LEVEL), rel=1e-12)
    right = CrossValidated(np.zeros(4), ZERO_ONE, cluster=cluster, fold=fold)
    expected = wilson.roots_at(0.0, 1.0, stdtrit(5 / 3, 0.975))  # (8 / 3) / 3 rows, at least one
    assert expected == pytest.approx(clustered_wilson.bounds(right, LEVEL), rel=1e-12)


def one_of_most_rows(rng):
    """30 groups in 10 folds, one with .6 of the rows and a fold of its own; a loss has the mean of its group."""
    cluster = np.repeat(np.arange(30), [174, *[4] * 29])
    fold = np.concatenate([[0], 1 + np.arange(29) % 9])[cluster]
    losses = rng.gamma(2.0, 0.5, 30)[cluster] * rng.gamma(4.0, 0.25, len(cluster))
    return CrossValidated(losses, SQUARED, cluster=cluster, fold=fold), 1.0


def test_the_level_of_e_cv_is_kept_where_one_group_has_most_rows():
    # fold errors have no weights in their variance: 0.82 of the samples were covered
    assert coverage(corrected_fold_t.METHOD, "E_cv", one_of_most_rows) < LEVEL - 3 * ERROR
    assert coverage(clustered_log_t.METHOD, "E_cv", one_of_most_rows) >= LEVEL - ERROR


def test_e_cv_of_groups_is_by_groups_and_has_no_interval_where_two_weigh_as_all():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2)), rng.normal(size=200)
    even, uneven = np.arange(200) // 10, np.repeat(np.arange(40), [161, *[1] * 39])
    for groups, shown in ((even, True), (uneven, False)):
        made = heldout.validate({"line": LinearRegression()}, X, y, groups=groups, estimates=["E_cv"], folds=5)
        [found] = made.estimates
        assert shown == (found.low is not None)
        if shown:
            assert "clustered log t" == found.interval
