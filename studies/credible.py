"""Intervals of means that few rows carry are marked: which cells fall short of their level, and which are marked.

A cell is a distribution of losses, a number of rows and an estimate: E_cv by corrected log t, E_val and E_prog by
pooled shape, E_2cv by log t (whose bounds two-way log t has for a fixed hypothesis), and the difference of two
candidates' E_cv by corrected t. Losses are drawn as they are, those of a fixed answer; `least squares` has the losses
of a line fitted to three features, fold by fold, where the distribution is that of the noise. A sample is marked where
`heldout.intervals.credible` doubts the interval, and a cell is marked where at least half of its samples are. Wanted:
of the cells that cover below .90 at least 95 % are marked, and of those that cover .93 or more at most 5 %. The errors
count; differences are shown apart: of candidates whose losses are alike they keep their level under any tail, marked or
not.

The form of the diagnostic and its thresholds were found on the distributions of SEEN: each threshold lies between the
excess that 95 % of the kept cells stay below and the one that 95 % of the short cells reach. They are judged on those
of FRESH, which were written down before any was drawn from. The picture has both shares of their cells for every
threshold, a dot at the one that is used, and how many samples of each cell are marked.
"""

import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from heldout.intervals import corrected_log_t, corrected_t, credible, log_t, pooled_shape
from heldout.intervals.method import two_sided_t
from heldout.losses import SQUARED
from heldout.losses.tested_losses import CrossValidated, RepeatedByRow, Tested
from studies.colours import COLOURS
from studies.study import LEVEL, Finding, Record, at_most, share_interval

SEED, NEEDS_DATA = 0, False
SIZES = (50, 100, 200, 500, 1000)
SAMPLES, OF_FITS, QUICK = 600, 300, 20  # samples in a cell, of a fixed answer and with fits
RESAMPLES = 400  # of pooled shape, in place of 2000
POPULATION, DRAWS = 1_000_000, 3  # losses, so many times, whose mean is the truth
SHORT, KEPT = 0.90, 0.93  # a cell is short of its level below the first, and keeps it from the second on
LEAST_MARKED, MOST_MARKED = 0.95, 0.05
FOLDS, SUBSAMPLES = 10, 25
Values = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Values]


def _noise(draw: Callable[[np.random.Generator, int], Any], mean: float = 0.0) -> Draw:
    return lambda rng, n: np.asarray(draw(rng, n), dtype=np.float64) - mean


def _scaled(spread: float) -> Draw:
    """Normal noise whose scale is lognormal: a heteroscedastic target."""
    return lambda rng, n: np.exp(spread * rng.normal(size=n)) * rng.normal(size=n)


def _sometimes(share: float, draw: Draw, mean: float = 0.0) -> Draw:
    """0 in all rows but a share: a zero-inflated target."""
    return lambda rng, n: np.where(rng.random(n) < share, draw(rng, n), 0.0) - mean


def _wide(share: float, times: float) -> Draw:
    return lambda rng, n: rng.normal(size=n) * np.where(rng.random(n) < share, times, 1.0)


def _lognormal(rng: np.random.Generator, n: int) -> Values:
    return rng.lognormal(size=n)


def _weighted(share: float, spread: float) -> Draw:
    """0/1 errors under lognormal weights."""
    return lambda rng, n: (rng.random(n) < share) * rng.lognormal(0, spread, n)


def _log_loss(rng: np.random.Generator, n: int) -> Values:
    q = rng.beta(5, 0.5, n)
    losses: Values = -np.log(np.where(rng.random(n) < q, q, 1 - q).clip(1e-15))
    return losses


def _log_loss_of_logits(times: float) -> Draw:
    """Of a model whose logits are so many times the true ones."""

    def draw(rng: np.random.Generator, n: int) -> Values:
        logits = rng.normal(0, 1.5, n)
        signs = np.where(rng.random(n) < 1 / (1 + np.exp(-logits)), 1.0, -1.0)
        losses: Values = np.logaddexp(0, -times * signs * logits)
        return losses

    return draw


# the residuals of a target, whose losses are their squares or absolute values
NOISE: Mapping[str, Draw] = {
    "normal": _noise(lambda rng, n: rng.normal(size=n)),
    "uniform": _noise(lambda rng, n: rng.uniform(-1, 1, n)),
    "Laplace": _noise(lambda rng, n: rng.laplace(size=n)),
    "logistic": _noise(lambda rng, n: rng.logistic(size=n)),
    "t5": _noise(lambda rng, n: rng.standard_t(5, n)),
    "t4": _noise(lambda rng, n: rng.standard_t(4, n)),
    "t3": _noise(lambda rng, n: rng.standard_t(3, n)),
    "exponential": _noise(lambda rng, n: rng.exponential(size=n), 1),
    "chi-squared 3": _noise(lambda rng, n: rng.chisquare(3, n), 3),
    "Gumbel": _noise(lambda rng, n: rng.gumbel(size=n), 0.5772),
    "lognormal 1/2": _noise(lambda rng, n: rng.lognormal(0, 0.5, n), float(np.exp(0.125))),
    "lognormal": _noise(_lognormal, float(np.exp(0.5))),
    "Pareto 3": _noise(lambda rng, n: rng.pareto(3, n), 1 / 2),
    "Pareto 4.5": _noise(lambda rng, n: rng.pareto(4.5, n), 1 / 3.5),
    "Pareto 6": _noise(lambda rng, n: rng.pareto(6, n), 1 / 5),
    "Poisson 1/2": _noise(lambda rng, n: rng.poisson(0.5, n), 0.5),
    "negative binomial": _noise(lambda rng, n: rng.negative_binomial(0.5, 0.1, n), 4.5),
    "5 % lognormal": _sometimes(0.05, _lognormal, 0.05 * float(np.exp(0.5))),
    "20 % lognormal": _sometimes(0.2, _lognormal, 0.2 * float(np.exp(0.5))),
    "5 % five times as wide": _wide(0.05, 5),
    "1 % ten times as wide": _wide(0.01, 10),
    "scale lognormal 1/2": _scaled(0.5),
    "scale lognormal 1": _scaled(1.0),
    "scale lognormal 1.5": _scaled(1.5),
    "triangular": _noise(lambda rng, n: rng.triangular(-1, 0, 1, n)),
    "arcsine": _noise(lambda rng, n: np.cos(np.pi * rng.random(n))),
    "skewed normal": _noise(
        lambda rng, n: 4 * np.abs(rng.normal(size=n)) + rng.normal(size=n), 4 * float(np.sqrt(2 / np.pi))
    ),
    "t6": _noise(lambda rng, n: rng.standard_t(6, n)),
    "t2.5": _noise(lambda rng, n: rng.standard_t(2.5, n)),
    "inverse Gaussian": _noise(lambda rng, n: rng.wald(1, 2, n), 1),
    "Weibull 0.7": _noise(lambda rng, n: rng.weibull(0.7, n), math.gamma(1 + 1 / 0.7)),
    "lognormal 3/4": _noise(lambda rng, n: rng.lognormal(0, 0.75, n), float(np.exp(0.28125))),
    "F 5, 10": _noise(lambda rng, n: rng.f(5, 10, n), 10 / 8),
    "log-logistic 5": _noise(lambda rng, n: np.exp(rng.logistic(0, 1 / 5, n)), float(np.pi / 5 / np.sin(np.pi / 5))),
    "beta prime 2, 6": _noise(lambda rng, n: rng.gamma(2, size=n) / rng.gamma(6, size=n), 2 / 5),
    "negative binomial 3": _noise(lambda rng, n: rng.negative_binomial(3, 0.3, n), 7),
    "Poisson 3": _noise(lambda rng, n: rng.poisson(3, n), 3),
    "claims": _noise(lambda rng, n: rng.gamma(1.5 * rng.poisson(0.5, n)), 0.75),  # compound Poisson-gamma, as Tweedie's
    "60 % gamma": _sometimes(0.6, lambda rng, n: rng.gamma(2, size=n), 1.2),
    "10 % exponential": _sometimes(0.1, lambda rng, n: rng.exponential(size=n), 0.1),
    "20 % three times as wide": _wide(0.2, 3),
    "2 % six times as wide": _wide(0.02, 6),
    "scale gamma 2": _noise(lambda rng, n: rng.gamma(2, size=n) * rng.normal(size=n)),
}
# losses that are no power of residuals
OTHER: Mapping[str, Draw] = {
    "gamma 0.2": lambda rng, n: rng.gamma(0.2, size=n),
    "Weibull 0.35": lambda rng, n: rng.weibull(0.35, n),
    "30 % squared normal": _sometimes(0.3, lambda rng, n: rng.normal(size=n) ** 2),
    "2 % gamma": _sometimes(0.02, lambda rng, n: rng.gamma(2, size=n)),
    "10 % squared gamma": _sometimes(0.1, lambda rng, n: rng.gamma(2, size=n) ** 2),
    "log loss": _log_loss,
    "Brier": lambda rng, n: (1 - rng.beta(5, 1, n)) ** 2,
    "pinball 0.9": lambda rng, n: np.where((e := rng.exponential(size=n) - 2.3) > 0, 0.9 * e, -0.1 * e),
    "weighted 0/1, 20 %": _weighted(0.2, 1.0),
    "weighted 0/1, 5 %": _weighted(0.05, 1.5),
    "log loss, calibrated": _log_loss_of_logits(1.0),
    "log loss, over-confident": _log_loss_of_logits(3.0),
    "Brier, sure": lambda rng, n: (1 - rng.beta(4, 0.5, n)) ** 2,
    "pinball 0.5": lambda rng, n: np.abs(rng.gumbel(size=n) + math.log(math.log(2))) / 2,
    "pinball 0.95": lambda rng, n: np.where((e := rng.normal(size=n) - 1.645) > 0, 0.95 * e, -0.05 * e),
    "gamma weights, 30 %": lambda rng, n: (rng.random(n) < 0.3) * rng.gamma(2, size=n),
    "Pareto weights, 10 %": lambda rng, n: (rng.random(n) < 0.1) * (1 + rng.pareto(3, n)),
}
_SQUARED_FRESH = (
    *("triangular", "arcsine", "skewed normal", "t6", "t2.5", "inverse Gaussian", "Weibull 0.7", "lognormal 3/4"),
    *("F 5, 10", "log-logistic 5", "negative binomial 3", "Poisson 3", "claims", "60 % gamma", "10 % exponential"),
    *("20 % three times as wide", "2 % six times as wide", "scale gamma 2"),
)
FRESH = tuple(
    [("squared", name) for name in _SQUARED_FRESH]
    + [("absolute", name) for name in ("t2.5", "beta prime 2, 6", "10 % exponential")]
    + [("", name) for name in ("log loss, calibrated", "log loss, over-confident", "Brier, sure")]
    + [("", name) for name in ("pinball 0.5", "pinball 0.95", "gamma weights, 30 %", "Pareto weights, 10 %")]
)
_OF_FRESH = {name for _, name in FRESH}
SEEN = tuple(
    [("squared", name) for name in NOISE if name not in _OF_FRESH]
    + [("absolute", name) for name in ("normal", "Laplace", "exponential", "t3", "lognormal")]
    + [("absolute", name) for name in ("Pareto 3", "Pareto 4.5", "scale lognormal 1")]
    + [("", name) for name in OTHER if name not in _OF_FRESH]
)
FITTED = (
    *("normal", "t5", "lognormal", "Pareto 4.5", "20 % lognormal", "scale lognormal 1"),
    *("skewed normal", "t6", "lognormal 3/4", "claims", "10 % exponential", "scale gamma 2"),
)
_POWER = {"squared": 2, "absolute": 1}
Unit = tuple[str, str, str, int, int]


def units(quick: bool) -> Sequence[Unit]:
    """The kind of losses, the distribution, the learner, the rows, and the divisor of the samples."""
    sizes, divisor = (SIZES[1:2], SAMPLES // QUICK) if quick else (SIZES, 1)
    direct = [(kind, name, "fixed", n, divisor) for n in sizes for kind, name in (*SEEN, *FRESH)]
    return [*direct, *[("squared", name, "least squares", n, divisor) for n in sizes for name in FITTED]]


def losses_of(kind: str, name: str) -> Draw:
    """The distribution of the losses of a fixed answer."""
    if not kind:
        return OTHER[name]
    return lambda rng, n: np.abs(NOISE[name](rng, n)) ** _POWER[kind]


def measure(unit: Unit, data: Path | None) -> list[Record]:  # noqa: ARG001
    """For each sample and estimate: whether the interval holds the truth, whether it is marked, and the excess."""
    kind, name, learner, n, divisor = unit
    rng = np.random.default_rng([SEED, n, *map(ord, f"{kind}{name}{learner}")])
    pooled_shape._ratios = _ratios
    found = _fitted(name, n, rng, OF_FITS // divisor) if learner != "fixed" else _fixed(kind, name, n, rng, divisor)
    keys = {"kind": kind, "distribution": name, "learner": learner, "n": n}
    table = pd.DataFrame(found, columns=["estimate", "covers", "marked", "excess"])
    records = []
    for estimate, cell in table.groupby("estimate", sort=False):
        records.append(
            {
                **keys,
                "estimate": estimate,
                "samples": len(cell),
                "coverage": float(cell["covers"].mean()),
                "marked": float(cell["marked"].mean()),
                "excess": float(cell["excess"].median()),
            }
        )
    return records


def _ratios(pool: Values, n: int, rng: np.random.Generator) -> Values:  # noqa: ARG001
    """As pooled shape has them, from the same draws of rows for every sample of a cell: five times as fast."""
    made: Values = pool[_drawn(len(pool), n)].mean(axis=1) / pool.mean()
    return made


@functools.lru_cache(maxsize=4)
def _drawn(rows: int, n: int) -> NDArray[np.intp]:
    return np.random.default_rng([SEED, rows, n]).integers(rows, size=(RESAMPLES, n))


Line = tuple[str, bool, bool, float]


def _fixed(kind: str, name: str, n: int, rng: np.random.Generator, divisor: int) -> Iterator[Line]:
    draw = losses_of(kind, name)
    truth = float(np.mean([draw(rng, POPULATION).mean() for _ in range(DRAWS)]))
    for sample in range(SAMPLES // divisor):
        losses, other = draw(rng, n), draw(rng, n)
        drawn = np.argpartition(rng.random((SUBSAMPLES, n)), n // FOLDS, axis=1)[:, : n // FOLDS]
        yield _line("E_cv", corrected_log_t, _cross_validated(losses, drawn), truth)
        table = RepeatedByRow(np.array([losses.mean()]), 0.0, n, SQUARED, row_means=losses)
        yield _line("E_2cv", log_t, Tested(losses, SQUARED), truth, table)
        for times, shown in ((1, "alike"), (3, "unlike")):
            yield _difference(f"difference, {shown}", losses, times * other, (1 - times) * truth, drawn)
        for estimate, tested in (("E_val", losses[: n // 5]), ("E_prog", losses[: n // 2])):
            yield _line(estimate, pooled_shape, Tested(tested, SQUARED, sample, pool=losses), truth)


def _cross_validated(losses: Values, drawn: NDArray[np.intp]) -> CrossValidated:
    """Of a fixed answer, which no training row changes; `drawn` are the rows of each subsample."""
    n, tested = len(losses), drawn.shape[1]
    fold, ratio, errors = np.arange(n) % FOLDS, tested / (n - tested), losses[drawn].mean(axis=1)
    return CrossValidated(losses, SQUARED, fold=fold, subsample_errors=errors, tested_per_trained=ratio)


def _line(estimate: str, module: Any, seen: Tested, truth: float, judged: Any = None) -> Line:
    low, high = module.bounds(seen, LEVEL)
    marked = credible.doubt(seen if judged is None else judged, module.METHOD) is not None
    found = credible.carried(seen.losses if seen.pool is None else seen.pool)
    few = found is None or found.rows < credible.LEAST_ROWS
    return estimate, low <= truth <= high, marked, np.inf if few or found is None else found.excess


def _difference(estimate: str, losses: Values, other: Values, truth: float, drawn: NDArray[np.intp]) -> Line:
    """As `heldout.selection.paired_differences` has it for two candidates."""
    seen = _cross_validated(losses - other, drawn)
    reach = two_sided_t(LEVEL, SUBSAMPLES - 1) * float(np.sqrt(corrected_t.variance_or_pooled(seen)))
    found, marked = credible.carried(seen.losses), credible.of_difference(losses, other) is not None
    return estimate, abs(seen.error - truth) <= reach, marked, np.inf if found is None else found.skewness**2


def _fitted(name: str, n: int, rng: np.random.Generator, samples: int) -> Iterator[Line]:
    """E_cv and E_val of a line in three features, whose true errors are known but for the variance of the noise."""
    noise = NOISE[name]
    variance = float(np.mean([(noise(rng, POPULATION) ** 2).mean() for _ in range(DRAWS)]))
    slopes, tested = np.array([0.0, 2.0, 1.0, 0.5]), n // FOLDS
    for sample in range(samples):
        X = np.column_stack([np.ones(n), rng.normal(size=(n, 3))])
        y, fold = X @ slopes + noise(rng, n), rng.permutation(n) % FOLDS
        drawn = np.argsort(rng.random((SUBSAMPLES, n)), axis=1) < tested
        masks = np.vstack([fold == np.arange(FOLDS)[:, None], drawn, np.arange(n) < n // 5])
        found = np.stack([np.linalg.lstsq(X[~mask], y[~mask], rcond=None)[0] for mask in masks])
        losses = (y - found @ X.T) ** 2
        errors = variance + ((found - slopes) ** 2).sum(axis=1)
        held_out = losses[fold, np.arange(n)]
        of_subsamples = np.array([own[mask].mean() for own, mask in zip(losses[FOLDS:-1], drawn, strict=True)])
        folds = CrossValidated(
            held_out, SQUARED, fold=fold, subsample_errors=of_subsamples, tested_per_trained=tested / (n - tested)
        )
        yield _line("E_cv", corrected_log_t, folds, float(errors[:FOLDS].mean()))
        of_val = Tested(losses[-1][masks[-1]], SQUARED, sample, pool=held_out)
        yield _line("E_val", pooled_shape, of_val, float(errors[-1]))


def findings(results: pd.DataFrame) -> list[Finding]:
    """The share of marked cells among those that are short, and among those that keep their level.

    The fresh distributions together and by estimate, and those that the rule was found on together.
    """
    fresh, errors = is_fresh(results), ~results["estimate"].str.startswith("diff")
    named = {"": results[fresh & errors]}
    for estimate in dict.fromkeys(results["estimate"]):
        named[estimate.replace(", ", "-")] = results[fresh & (results["estimate"] == estimate)]
    named["seen"] = results[~fresh & errors]
    found = []
    for of, own in named.items():
        for called, some, wanted, enough in (
            ("short", own[own["coverage"] < SHORT], LEAST_MARKED, True),
            ("kept", own[own["coverage"] >= KEPT], MOST_MARKED, False),
        ):
            if some.empty:
                continue
            marked = int((some["marked"] >= 0.5).sum())
            share, low, high = share_interval(marked, len(some))
            agrees = high >= wanted if enough else low <= wanted
            said = f"{marked} of {len(some)} cells; the share of their samples that are marked is "
            said += f"{some['marked'].mean():.2f}, their coverage "
            said += f"{some['coverage'].min():.2f} to {some['coverage'].max():.2f}"
            name = "-".join(["credible", called, *filter(None, [of])])
            claimed = f"at least {wanted:g}" if enough else at_most(wanted)
            found.append(Finding(name, share, agrees, said, claimed, low, high))
    return found


def is_fresh(results: pd.DataFrame) -> NDArray[np.bool_]:
    """Which cells have a distribution that no one looked at before it was judged."""
    return np.array([pair in FRESH for pair in zip(results["kind"], results["distribution"], strict=True)])


def roc(cells: pd.DataFrame) -> pd.DataFrame:
    """For each threshold of the excess, the share of marked cells among the short ones and among the kept ones."""
    short, kept = cells[cells["coverage"] < SHORT]["excess"], cells[cells["coverage"] >= KEPT]["excess"]
    at = np.unique(np.r_[short, kept])[::-1]
    shares = [(float(level), float((short >= level).mean()), float((kept >= level).mean())) for level in at]
    return pd.DataFrame(shares, columns=["threshold", "short", "kept"])


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:
    """The shares of cells for every threshold, the chosen one marked; and each cell's coverage and marked samples."""
    cells, figure = results[is_fresh(results)], Figure(figsize=(8, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    thresholds = {
        "E_cv": credible.LEAST_OF_CV,
        "E_val": credible.least_of_pooled(1, 5),
        "E_prog": credible.least_of_pooled(1, 2),
        "E_2cv": credible.LEAST,
        "difference, unlike": credible.LEAST_OF_DIFFERENCE,
    }
    for (estimate, threshold), colour in zip(thresholds.items(), COLOURS.values(), strict=False):
        own = cells[cells["estimate"] == estimate]
        curve = roc(own)
        left.step(curve["kept"], curve["short"], where="post", color=colour, label=estimate, linewidth=1.3)
        short, kept = own[own["coverage"] < SHORT]["excess"], own[own["coverage"] >= KEPT]["excess"]
        left.plot((kept >= threshold).mean(), (short >= threshold).mean(), "o", color=colour, markersize=5)
        right.plot(own["coverage"], own["marked"], ".", color=colour, markersize=4)
    left.axhline(LEAST_MARKED, color="0.5", linewidth=0.8, linestyle=":")
    left.axvline(MOST_MARKED, color="0.5", linewidth=0.8, linestyle=":")
    left.set(xlim=(-0.01, 0.5), ylim=(0.5, 1.01), xlabel="cells that keep their level, marked")
    left.set_ylabel("cells below .90, marked")
    left.legend(fontsize=7, loc="lower right")
    right.axhline(0.5, color="0.5", linewidth=0.8, linestyle=":")
    right.set(xlabel="coverage of the cell", ylabel="share of its samples that are marked", xlim=(0.3, 1.0))
    return {"": figure}
