"""The pooled shape: its definition, its limit for many rows, sparse losses, coverage, and which losses it reads."""

import math
from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import heldout
from heldout import seeds
from heldout.errors import BadArgument
from heldout.estimates import estimate_candidate
from heldout.estimates.methods import default_method
from heldout.intervals import log_t, pooled_shape
from heldout.losses import SQUARED, ZERO_ONE, choose_loss
from heldout.losses.tested_losses import Tested
from heldout.schemes.design import Evidence

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = X[:, 0] + RNG.exponential(size=60)
HOW = {"repeats": 2, "progress": False}


def observe(losses, pool, seed: int = 0) -> Tested:
    return Tested(np.array(losses, dtype=float), SQUARED, seed, pool=np.array(pool, dtype=float))


@pytest.mark.parametrize("at_once", [1, 70, 1_000_000])
def test_the_bounds_equal_those_of_a_loop_over_resamples(at_once, monkeypatch):
    pool = np.sort(np.random.default_rng(1).exponential(size=50))
    rng = np.random.default_rng(seeds.child(7, "pooled"))
    logs = [math.log(pool[rng.integers(50, size=10)].mean() / pool.mean()) for _ in range(2000)]
    # t of 0.95 with 49 degrees is 1.6765509; times sqrt(50 / 49) it is 1.6935723, the normal quantile of 1 - 0.0451733
    # quantiles of ratios and of their logarithms differ by the interpolation between two of 2000
    expected = [4 * math.exp(-np.quantile(logs, q)) for q in (1 - 0.0451733, 0.0451733)]
    monkeypatch.setattr(pooled_shape, "_AT_ONCE", at_once)
    assert expected == pytest.approx(pooled_shape.bounds(observe(np.full(10, 4.0), pool, 7), 0.9), rel=1e-3)


def test_the_unit_of_the_losses_scales_the_bounds_and_that_of_the_pool_does_not_matter():
    losses, pool = RNG.exponential(size=20), RNG.exponential(size=80)
    bounds = np.array(pooled_shape.bounds(observe(losses, pool), 0.95))
    assert bounds == pytest.approx(pooled_shape.bounds(observe(losses, 8 * pool), 0.95), rel=1e-12)
    assert 1e300 * bounds == pytest.approx(pooled_shape.bounds(observe(1e300 * losses, 1e300 * pool), 0.95), rel=1e-12)


def test_many_rows_have_the_normal_limit_which_the_resamples_approach():
    pool = np.random.default_rng(2).exponential(size=400)
    drawn, limit = (
        np.log(pooled_shape.bounds(observe(np.ones(n), pool), 0.9)) * math.sqrt(n)
        for n in (pooled_shape._MOST_DRAWN, pooled_shape._MOST_DRAWN + 1)
    )
    # three standard errors of a quantile of 2000 at 0.05: 3 sqrt(0.05 x 0.95 / 2000) / 0.103 = 0.14
    assert limit == pytest.approx(drawn, abs=0.16)
    # t of 0.95 with 399 degrees
    assert limit[1] == pytest.approx(1.6486815 * pool.std(ddof=1) / pool.mean(), rel=1e-6)


def test_where_most_losses_are_0_the_upper_bound_is_finite():
    losses, pool = np.append(np.zeros(19), 3.0), np.append(np.zeros(97), [1.0, 2.0, 3.0])
    # most resamples of 20 hold no loss above 0; the largest of the pool, times 0.15 over its mean of 0.06
    low, high = pooled_shape.bounds(observe(losses, pool), 0.95)
    assert low < losses.mean()
    assert high == pytest.approx(3.0 * 0.15 / 0.06)
    assert (0.0, 0.0) == pooled_shape.bounds(observe(np.zeros(20), np.zeros(60)), 0.95)
    low, high = pooled_shape.bounds(observe(np.zeros(20), pool), 0.95)
    assert (0.0, 0.025) == (low, pytest.approx((1 - high / 2) ** 20))


@pytest.mark.parametrize("tested", [20, 40, 100])
def test_no_upper_bound_of_a_zero_inflated_target_passes_the_largest_loss_in_the_unit_of_the_tested(tested):
    rng = np.random.default_rng(tested)
    for sample in range(8):
        said = 0.01 * rng.normal(size=200)  # nearly right where the target is 0
        pool = (np.where(rng.random(200) < 0.05, rng.lognormal(0, 1.5, 200), 0.0) - said) ** 2
        seen = observe(pool[:tested], pool, sample)
        low, high = pooled_shape.bounds(seen, 0.95)
        assert low <= seen.error <= high <= pool.max() * max(1.0, seen.error / pool.mean()) * (1 + 1e-12)


def test_it_covers_heavy_tailed_losses_in_few_rows_where_log_t_does_not():
    rng = np.random.default_rng(3)
    covered = {log_t: 0, pooled_shape: 0}
    for sample in range(300):
        pool = rng.standard_exponential(100) ** 3  # mean 6
        seen = observe(pool[:20], pool, sample)
        for method in covered:
            low, high = method.bounds(seen, 0.95)
            covered[method] += low <= 6 <= high
    # standard errors of shares of 300: 0.02
    assert covered[log_t] / 300 < 0.85
    assert covered[pooled_shape] / 300 > 0.89


def test_it_is_the_default_of_losses_of_numbers_that_are_cross_validated():
    log = choose_loss("log", np.array([0, 0, 1]))
    for estimate in ("E_val", "E_test", "E_prog"):
        assert pooled_shape.METHOD is default_method(estimate, SQUARED)
        assert log_t.METHOD is default_method(estimate, SQUARED, cross_validated=False)
        assert log_t.METHOD is default_method(estimate, log)
        assert default_method(estimate, ZERO_ONE, cross_validated=False).losses == "0/1"


def test_a_notebook_pools_the_losses_of_cross_validation_whatever_estimate_asks_for_them():
    found = heldout.validate({"line": LinearRegression()}, X, Y, estimates=["E_val", "E_prog", "E_cv"], **HOW)
    design, evidence = found.design, found.evidence["line"]
    of = {record.estimate: record for record in found.estimates}
    for estimate, scheme in (("E_val", "holdout"), ("E_prog", "progressive")):
        losses = np.concatenate([*evidence.losses[scheme]])
        seen = observe(losses, np.concatenate([*evidence.losses["cross_validation"]]))
        assert pooled_shape.METHOD.name == of[estimate].interval
        assert (of[estimate].low, of[estimate].high) == pytest.approx(pooled_shape.bounds(seen, 0.95), rel=1e-9)
    assert [pooled_shape.METHOD.name] == [one.interval for one in found.baseline if one.estimate == "E_val"]
    # E_bbc alone makes the folds too, for the candidates and for the baseline
    lines = {"line": LinearRegression(), "half": LinearRegression(fit_intercept=False)}
    bbc = heldout.validate(lines, X, Y, estimates=["E_val", "E_bbc"], **HOW)
    assert {pooled_shape.METHOD.name} == {
        one.interval for one in [*bbc.estimates, *bbc.baseline] if one.estimate == "E_val"
    }
    # of several partitions into folds, the single losses and not their means
    parts = [*evidence.losses["cross_validation"]]
    twice = replace(design, fold_repeats=2, estimates=["E_val"])
    again = Evidence({"holdout": evidence.losses["holdout"], "cross_validation": parts + parts})
    (record,) = estimate_candidate(twice, "line", again)
    assert len(parts) == 10
    assert (record.low, record.high) == pytest.approx((of["E_val"].low, of["E_val"].high), rel=0.1)


def test_without_cross_validation_numbers_have_log_t_and_its_choice_is_refused_before_any_fit():
    found = heldout.validate({"line": LinearRegression()}, X, Y, estimates=["E_val", "E_prog"], **HOW)
    assert {"log t"} == {record.interval for record in [*found.estimates, *found.baseline]}

    class Fails(LinearRegression):
        def fit(self, X, y):
            raise AssertionError("fitted")

    with pytest.raises(BadArgument, match="^intervals: pooled shape needs .* E_cv; .* for E_val use .*log t") as caught:
        heldout.validate({"line": Fails()}, X, Y, estimates=["E_val"], intervals={"E_val": "pooled_shape"}, **HOW)
    assert "intervals" == caught.value.argument
    with pytest.raises(BadArgument, match="^pooled shape needs the losses of cross-validation") as caught:
        pooled_shape.METHOD.interval("E_val", Tested(np.ones(9), SQUARED), 0.95)
    assert "intervals" == caught.value.argument
