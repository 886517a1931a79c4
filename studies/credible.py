"""Intervals of means that few rows carry are marked: how often those without a mark hold.

A cell is a distribution of losses, a number of rows and an estimate: E_cv by corrected log t, E_val and E_prog by
pooled shape, E_2cv by log t (whose bounds two-way log t has for a fixed hypothesis), and the difference of two
candidates' E_cv by corrected t. Losses are drawn as they are, those of a fixed answer; `least squares` has the losses
of a line fitted to three features, fold by fold, where the distribution is that of the noise. A sample is marked where
`heldout.intervals.credible` doubts the interval.

A reader sees one run, so that the promise is about runs: of the intervals shown without a mark at least .90 cover, in
all cells together and in each; a cell falls short where this is ruled out at 95 %. Where losses have light tails
(LIGHT: bounded, or with an exponential tail) at most a tenth of the runs is marked. Of cells that cover below .90 at
least 95 % have half of their runs marked or more. The rule was found on all distributions but those of NEW, which were
written down before any was drawn from.

Where one row in a hundred is an outlier, .37 of the samples of 100 rows hold none, and are samples of the other rows:
who marks a tenth of these leaves .33 of all runs unmarked and wrong. So no rule keeps the promise in each cell of few
rows. The pictures have each cell's coverage without a mark, and its marked runs.
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
from heldout.losses import SQUARED, Loss
from heldout.losses.tested_losses import CrossValidated, RepeatedByRow, Tested
from studies.colours import COLOURS
from studies.study import LEVEL, Finding, Record, at_most, share_interval

SEED, NEEDS_DATA = 0, False
SIZES = (50, 100, 200, 500, 1000)
SAMPLES, OF_FITS, QUICK = 300, 150, 15  # samples in a cell, of a fixed answer and with fits
RESAMPLES = 400  # of pooled shape, in place of 2000
POPULATION, DRAWS = 1_000_000, 3  # losses, so many times, whose mean is the truth
SHORT, KEPT = 0.90, 0.93  # a cell is short of its level below the first, and keeps it from the second on
LEAST_COVERED, MOST_MARKED, LEAST_MARKED = 0.90, 0.10, 0.95
FOLDS, SUBSAMPLES = 10, 25
FEW = 20  # unmarked intervals, below which a cell is not drawn
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
    "1 % of 10 to 30 sd": lambda rng, n: np.where(
        rng.random(n) < 0.01, rng.uniform(10, 30, n) * rng.choice([-1, 1], n), rng.normal(size=n)
    ),
    "30 % lognormal 1.2": _sometimes(0.3, lambda rng, n: rng.lognormal(0, 1.2, n), 0.3 * math.exp(0.72)),
    "t2": _noise(lambda rng, n: rng.standard_t(2, n)),
    "2 % leverage": _noise(lambda rng, n: rng.normal(size=n)),  # rows ten times as far out, which the line misses
    "lognormal 1.5": _noise(lambda rng, n: rng.lognormal(0, 1.5, n), math.exp(1.125)),
    "Pareto 2.5": _noise(lambda rng, n: rng.pareto(2.5, n), 1 / 1.5),
    "0.5 % Cauchy": lambda rng, n: np.where(
        rng.random(n) < 0.005, rng.standard_cauchy(n).clip(-100, 100), rng.normal(size=n)
    ),
    "scaled exponential": _noise(lambda rng, n: np.exp(0.7 * rng.normal(size=n)) * (rng.exponential(size=n) - 1)),
    "counts with bursts": _noise(
        lambda rng, n: rng.poisson(1, n) + (rng.random(n) < 0.02) * rng.negative_binomial(1, 1 / 21, n), 1.4
    ),
}
# mean squares where the variance of squares is infinite or nearly so, and a mean of draws too far off
EXACT: Mapping[str, float] = {
    "t2.5": 5.0,
    "t3": 3.0,
    "Pareto 3": 0.75,
    "Pareto 2.5": 2.5 / (1.5**2 * 0.5),
    "scale lognormal 1.5": math.exp(4.5),
    "lognormal 1.5": math.exp(2.25) * (math.exp(2.25) - 1),
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
NEW = tuple(
    [("squared", name) for name in ("1 % of 10 to 30 sd", "30 % lognormal 1.2", "2 % leverage", "lognormal 1.5")]
    + [("squared", name) for name in ("Pareto 2.5", "0.5 % Cauchy", "scaled exponential", "counts with bursts")]
    + [("absolute", "t2")]
)
_ABSOLUTE = (
    *("normal", "Laplace", "logistic", "exponential", "t3", "t2.5", "lognormal", "Pareto 3", "Pareto 4.5"),
    *("scale lognormal 1", "beta prime 2, 6", "10 % exponential"),
)
_NOT_SQUARED = {*(name for _, name in NEW), "beta prime 2, 6"}
FOUND_ON = tuple(
    [("squared", name) for name in NOISE if name not in _NOT_SQUARED]
    + [("absolute", name) for name in _ABSOLUTE]
    + [("", name) for name in OTHER]
)
LIGHT = tuple(
    [("squared", name) for name in ("normal", "uniform", "triangular", "arcsine")]
    + [("absolute", name) for name in ("normal", "Laplace", "logistic")]
    + [("", name) for name in ("Brier", "Brier, sure", "log loss, calibrated")]
)
FITTED = (
    *("normal", "t5", "lognormal", "Pareto 4.5", "20 % lognormal", "scale lognormal 1"),
    *("skewed normal", "t6", "lognormal 3/4", "claims", "10 % exponential", "scale gamma 2"),
    *("1 % of 10 to 30 sd", "30 % lognormal 1.2", "2 % leverage", "scaled exponential", "counts with bursts"),
)
LEVERAGE, FARTHER = 0.02, 10.0
_POWER = {"squared": 2, "absolute": 1}
Unit = tuple[str, str, str, int, int]


def units(quick: bool) -> Sequence[Unit]:
    """The kind of losses, the distribution, the learner, the rows, and the divisor of the samples."""
    sizes, divisor = (SIZES[1:2], SAMPLES // QUICK) if quick else (SIZES, 1)
    fixed = [pair for pair in (*FOUND_ON, *NEW) if pair[1] != "2 % leverage"]
    direct = [(kind, name, "fixed", n, divisor) for kind, name in fixed for n in sizes]
    return [*direct, *[("squared", name, "least squares", n, divisor) for name in FITTED for n in sizes]]


def losses_of(kind: str, name: str) -> Draw:
    """The distribution of the losses of a fixed answer."""
    if not kind:
        return OTHER[name]
    return lambda rng, n: np.abs(NOISE[name](rng, n)) ** _POWER[kind]


@functools.lru_cache(maxsize=1)
def mean_loss(kind: str, name: str) -> float:
    """The true error of a fixed answer."""
    if kind == "squared" and name in EXACT:
        return EXACT[name]
    rng = np.random.default_rng([SEED, *map(ord, f"{kind}{name}")])
    return float(np.mean([losses_of(kind, name)(rng, POPULATION).mean() for _ in range(DRAWS)]))


def measure(unit: Unit, data: Path | None) -> list[Record]:  # noqa: ARG001
    """For each estimate: how many intervals hold the truth, how many have no mark, and how many of these hold it."""
    kind, name, learner, n, divisor = unit
    rng = np.random.default_rng([SEED, n, *map(ord, f"{kind}{name}{learner}")])
    pooled_shape._ratios = _ratios
    found = _fitted(name, n, rng, OF_FITS // divisor) if learner != "fixed" else _fixed(kind, name, n, rng, divisor)
    keys = {"kind": kind, "distribution": name, "learner": learner, "n": n}
    table = pd.DataFrame(found, columns=["estimate", "covers", "marked"])
    records = []
    for estimate, cell in table.groupby("estimate", sort=False):
        shown = cell[~cell["marked"]]
        counts = {"samples": len(cell), "cover": int(cell["covers"].sum())}
        counts |= {"shown": len(shown), "shown_cover": int(shown["covers"].sum())}
        records.append({**keys, "estimate": estimate, **counts})
    return records


def _ratios(pool: Values, n: int, rng: np.random.Generator) -> Values:  # noqa: ARG001
    """As pooled shape has them, from the same draws of rows for every sample of a cell: many times as fast."""
    made: Values = _shares(len(pool), n) @ pool / pool.mean()
    return made


@functools.lru_cache(maxsize=4)
def _shares(rows: int, n: int) -> Values:
    """How often each row is among n that are drawn, over n, shape (RESAMPLES, rows)."""
    drawn = np.random.default_rng([SEED, rows, n]).multinomial(n, np.full(rows, 1 / rows), size=RESAMPLES)
    shares: Values = drawn / n
    return shares


Line = tuple[str, bool, bool]
LIMITED = SQUARED.limited(1.0)


def _fixed(kind: str, name: str, n: int, rng: np.random.Generator, divisor: int) -> Iterator[Line]:
    draw, truth = losses_of(kind, name), mean_loss(kind, name)
    loss = LIMITED if name.startswith("Brier") else SQUARED
    drawn = np.argpartition(rng.random((SUBSAMPLES, n)), n // FOLDS, axis=1)[:, : n // FOLDS]
    for sample in range(SAMPLES // divisor):
        losses, other = draw(rng, n), draw(rng, n)
        yield _line("E_cv", corrected_log_t, _cross_validated(losses, drawn, loss), truth)
        table = RepeatedByRow(np.array([losses.mean()]), 0.0, n, loss, row_means=losses)
        yield _line("E_2cv", log_t, Tested(losses, loss), truth, table)
        for times, shown in ((1, "alike"), (3, "unlike")):
            yield _difference(f"difference, {shown}", losses, times * other, (1 - times) * truth, drawn, loss)
        for estimate, tested in (("E_val", losses[: n // 5]), ("E_prog", losses[: n // 2])):
            yield _line(estimate, pooled_shape, Tested(tested, loss, sample, pool=losses), truth)


def _cross_validated(losses: Values, drawn: NDArray[np.intp], loss: Loss = SQUARED) -> CrossValidated:
    """Of a fixed answer, which no training row changes; `drawn` are the rows of each subsample."""
    n, tested = len(losses), drawn.shape[1]
    fold, ratio, errors = np.arange(n) % FOLDS, tested / (n - tested), losses[drawn].mean(axis=1)
    return CrossValidated(losses, loss, fold=fold, subsample_errors=errors, tested_per_trained=ratio)


def _line(estimate: str, module: Any, seen: Tested, truth: float, judged: Any = None) -> Line:
    low, high = module.bounds(seen, LEVEL)
    marked = credible.doubt(seen if judged is None else judged, module.METHOD) is not None
    return estimate, low <= truth <= high, marked


def _difference(
    estimate: str, losses: Values, other: Values, truth: float, drawn: NDArray[np.intp], loss: Loss
) -> Line:
    """As `heldout.selection.paired_differences` has it for two candidates."""
    seen = _cross_validated(losses - other, drawn, loss)
    reach = two_sided_t(LEVEL, SUBSAMPLES - 1) * float(np.sqrt(corrected_t.variance_or_pooled(seen)))
    return estimate, abs(seen.error - truth) <= reach, credible.of_difference(losses, other, loss) is not None


def _fitted(name: str, n: int, rng: np.random.Generator, samples: int) -> Iterator[Line]:
    """E_cv and E_val of a line in three features, whose true errors are known but for the variance of the noise."""
    noise, variance = NOISE[name], mean_loss("squared", name)
    far = LEVERAGE if name == "2 % leverage" else 0.0
    slopes, tested = np.array([0.0, 2.0, 1.0, 0.5]), n // FOLDS
    for sample in range(samples):
        X = np.column_stack([np.ones(n), rng.normal(size=(n, 3))])
        y, fold = X @ slopes + noise(rng, n), rng.permutation(n) % FOLDS
        if far:
            missed = rng.random(n) < far
            y[missed] -= X[missed] @ slopes
            X[missed, 1:] *= FARTHER
        drawn = np.argsort(rng.random((SUBSAMPLES, n)), axis=1) < tested
        masks = np.vstack([fold == np.arange(FOLDS)[:, None], drawn, np.arange(n) < n // 5])
        found = np.stack([np.linalg.lstsq(X[~mask], y[~mask], rcond=None)[0] for mask in masks])
        losses = (y - found @ X.T) ** 2
        errors = variance + (1 - far) * ((found - slopes) ** 2).sum(axis=1)
        errors += far * (found**2 @ np.r_[1.0, np.full(3, FARTHER**2)])
        held_out = losses[fold, np.arange(n)]
        of_subsamples = np.array([own[mask].mean() for own, mask in zip(losses[FOLDS:-1], drawn, strict=True)])
        folds = CrossValidated(
            held_out, SQUARED, fold=fold, subsample_errors=of_subsamples, tested_per_trained=tested / (n - tested)
        )
        yield _line("E_cv", corrected_log_t, folds, float(errors[:FOLDS].mean()))
        of_val = Tested(losses[-1][masks[-1]], SQUARED, sample, pool=held_out)
        yield _line("E_val", pooled_shape, of_val, float(errors[-1]))


def findings(results: pd.DataFrame) -> list[Finding]:
    """By estimate: coverage without a mark, and runs that are unmarked and wrong, of the distributions that the rule
    was found on and of the new ones; the short cells that are marked; and the marked runs where tails are light."""
    cells, found = with_shares(results), []
    for estimate, every in cells.groupby("estimate", sort=False):
        called = str(estimate).replace(", ", "-")
        for name, own in ((called, every[~every["new"]]), (f"{called}-new", every[every["new"]])):
            if len(own):
                found += [_unmarked(name, own), _wrong(name, own)]
        short = every[every["coverage"] < SHORT]
        if len(short):
            marked = int((short["marked"] >= 0.5).sum())
            share, low, high = share_interval(marked, len(short))
            said = f"{marked} of {len(short)} cells, of whose runs {short['marked'].mean():.2f} are marked"
            if marked < len(short):
                said += f"; the others: {', '.join(_named(short[short['marked'] < 0.5]))}"
            agrees = high >= LEAST_MARKED
            found.append(Finding(f"credible-short-{called}", share, agrees, said, _at_least(LEAST_MARKED), low, high))
        worst = every[every["light"]].sort_values("marked").iloc[-1]
        share, low, high = share_interval(int(worst["samples"] - worst["shown"]), int(worst["samples"]))
        kept = every[every["coverage"] >= KEPT]["marked"].mean()
        said = f"{worst['kind']} {worst['distribution']}, {worst['n']} rows; on average {_mean_marked(every):.3f}, and "
        said += f"{kept:.2f} in the cells of all distributions that cover {KEPT} or more"
        name = f"credible-light-{called}"
        found.append(Finding(name, share, low <= MOST_MARKED, said.strip(), at_most(MOST_MARKED), low, high))
    return found


def _at_least(bound: float) -> str:
    return f"at least {bound:g}"


def _mean_marked(cells: pd.DataFrame) -> float:
    return float(cells[cells["light"]]["marked"].mean())


def _unmarked(name: str, own: pd.DataFrame) -> Finding:
    shown, short = int(own["shown"].sum()), own[own["short"]]
    share, low, high = share_interval(int(own["shown_cover"].sum()), shown)
    said = f"{shown} of {own['samples'].sum()} intervals"
    if len(short):
        said += f"; {len(short)} of {len(own)} cells fall short: {', '.join(_counts(short))}"
    agrees = high >= LEAST_COVERED
    return Finding(f"credible-unmarked-{name}", share, agrees, said, _at_least(LEAST_COVERED), low, high)


def _wrong(name: str, own: pd.DataFrame) -> Finding:
    wrong = own["shown"] - own["shown_cover"]
    share, low, high = share_interval(int(wrong.sum()), int(own["samples"].sum()))
    more = own[wrong / own["samples"] > 1 - LEAST_COVERED]
    said = f"{len(more)} of {len(own)} cells have more" + (f": {', '.join(_counts(more))}" if len(more) else "")
    return Finding(
        f"credible-wrong-{name}", share, low <= 1 - LEAST_COVERED, said, at_most(1 - LEAST_COVERED), low, high
    )


def _counts(short: pd.DataFrame) -> Iterator[str]:
    for n, cells in short.groupby("n"):
        yield f"{len(cells)} of {n} rows"


def _named(cells: pd.DataFrame) -> Iterator[str]:
    for (kind, name), own in cells.groupby(["kind", "distribution"], sort=False):
        covers = ", ".join(f"{n} rows {c:.2f}" for n, c in zip(own["n"], own["coverage"], strict=True))
        yield f"{kind} {name}".strip() + f" ({covers})"


def with_shares(results: pd.DataFrame) -> pd.DataFrame:
    """The cells with their coverage and marked share, and whether they are new, light, or short without a mark."""
    pairs = [*zip(results["kind"], results["distribution"], strict=True)]
    ends = [
        share_interval(k, n)[2] if n else 1.0 for k, n in zip(results["shown_cover"], results["shown"], strict=True)
    ]
    return results.assign(
        coverage=results["cover"] / results["samples"],
        marked=1 - results["shown"] / results["samples"],
        unmarked=results["shown_cover"] / results["shown"].replace(0, np.nan),
        short=np.array(ends) < LEAST_COVERED,
        new=[pair in NEW for pair in pairs],
        light=[pair in LIGHT for pair in pairs],
    )


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:
    """Each cell's coverage, with that of its unmarked intervals and with the share of its runs that are marked."""
    cells, figure = with_shares(results), Figure(figsize=(8, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    by_estimate = cells.groupby("estimate", sort=False)
    for (estimate, own), colour in zip(by_estimate, COLOURS.values(), strict=False):
        many = own[own["shown"] >= FEW]
        left.plot(many["coverage"], many["unmarked"], ".", color=colour, label=estimate, markersize=4)
        right.plot(own["coverage"], own["marked"], ".", color=colour, markersize=4)
    left.axhline(LEAST_COVERED, color="0.5", linewidth=0.8, linestyle=":")
    left.set(xlabel="coverage of the cell", ylabel=f"of its unmarked intervals, where {FEW} or more", xlim=(0.3, 1.0))
    left.legend(fontsize=7, loc="upper left")
    right.axhline(0.5, color="0.5", linewidth=0.8, linestyle=":")
    right.set(xlabel="coverage of the cell", ylabel="share of its samples that are marked", xlim=(0.3, 1.0))
    return {"": figure}
