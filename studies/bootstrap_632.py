"""The bootstrap .632+ next to cross-validation: bias, spread, and how often the interval of E_boot holds.

Both are compared with the true error of the hypothesis of all N rows, g, as a share of that error: `bias` is the mean
difference, `spread` its standard deviation. Samples are drawn from the simulated populations of the coverage study, the
settings are those that ship, and the truth is the mean loss over the whole population. The interval that ships goes
from the lower bound about E_boot to the upper bound about the error on the rows that draws left out; `about-e-boot` has
both bounds about E_boot, which is too low for learners that repeat their training rows.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from heldout.estimates import e_boot
from heldout.estimates.methods import choose
from heldout.intervals import log_t, wilson
from heldout.learners.fitting import fit_and_test, test
from heldout.schemes import fit_state
from heldout.schemes.design import Design, Evidence, cross_validated
from heldout.splits.partition import make_partition, rarest_class
from studies.learners import learner_of
from studies.populations import FRESH, SIMULATED, population
from studies.study import LEVEL, Finding, Record, share_interval

SEED, NEEDS_DATA = 0, False
POPULATIONS = (*SIMULATED, *FRESH)
LEARNERS, SIZES = ("stable", "unstable"), (30, 100, 300)
SAMPLES, QUICK = 200, 4
FOLDS, LEAST = 10, 0.92


@dataclass(frozen=True)
class Cell:
    """A population, a learner, a number of rows, and how many samples are drawn."""

    population: str
    learner: str
    n: int
    samples: int


def units(quick: bool) -> Sequence[Cell]:
    """Every cell; of the quick form two with few samples."""
    if quick:
        return [Cell("interaction", learner, SIZES[0], QUICK) for learner in LEARNERS]
    return [Cell(name, learner, n, SAMPLES) for n in SIZES for name in POPULATIONS for learner in LEARNERS]


def measure(unit: Cell, data: Path | None) -> list[Record]:  # noqa: ARG001
    """The errors of both estimates, and whether each interval covers, sample by sample."""
    return [line for sample in range(unit.samples) if (line := _sample(unit, sample)) is not None]


def _sample(cell: Cell, sample: int) -> Record | None:
    """None where a sample holds a single class, or a class that no part can have."""
    whole = population(cell.population, None)
    rng = np.random.default_rng([SEED, cell.n, sample, *map(ord, cell.population + cell.learner)])
    rows = rng.integers(0, len(whole.y), cell.n)
    X, y, loss = whole.X[rows], whole.y[rows], whole.loss
    if loss.of_classes and (len(np.unique(y)) < 2 or rarest_class(y)[1] < 2):
        return None
    stratify = bool(loss.of_classes and len(np.unique(y)) == 2 and rarest_class(y)[1] >= FOLDS)
    classes = y if loss.of_classes else np.zeros(cell.n, dtype=np.int64)
    parts = make_partition(
        classes, validation_fraction=0.2, folds=FOLDS, tested_fraction=0.5, stratify=stratify, seed=sample
    )
    none = np.empty((0, cell.n), dtype=np.int8)
    methods = choose({"E_cv": "corrected fold t"}, loss)
    design = Design(y, loss, parts, none, 1, stratify, sample, LEVEL, methods, ("E_cv", "E_boot", "E_in"))
    fits = {
        scheme: [
            fit_and_test(learner_of(cell.learner, loss), X, y, split, loss, fit_state(sample, scheme, number))
            for number, split in enumerate(design.splits(scheme))
        ]
        for scheme in ("final", "cross_validation", "bootstrap")
    }
    evidence = Evidence({scheme: [fit.losses for fit in of] for scheme, of in fits.items()})
    seen = e_boot.bootstrapped(design, evidence)
    truth = float(test(fits["final"][0].hypothesis, whole.X, whole.y, np.arange(len(whole.y)), loss).mean())
    shipped = design.methods["E_boot"].interval("E_boot", seen, LEVEL)
    low, high = _about_e_boot(seen)
    return {
        "population": cell.population,
        "learner": cell.learner,
        "n": cell.n,
        "truth": truth,
        "E_boot": seen.error,
        "E_cv": cross_validated(design, evidence).error,
        "covers": shipped.low <= truth <= shipped.high,
        "covers about E_boot": low <= truth <= high,
    }


def _about_e_boot(seen: e_boot.Bootstrapped) -> tuple[float, float]:
    """Both bounds about E_boot."""
    q, spread = seen.error, seen.variance
    spread *= (q / seen.left_out) ** 2 if seen.left_out > 0 else 0.0
    if not seen.loss.binary:
        return log_t.about(q, seen.reach(LEVEL) * math.sqrt(spread))
    size = q * (1 - q) / spread if spread > 0 else float(seen.n)
    return wilson.roots_at(q, max(size, 1.0), seen.reach(LEVEL))


def findings(results: pd.DataFrame) -> list[Finding]:
    """The coverage, and the spread and the bias of both estimates, over all cells and by learner."""
    found = []
    for name in ("covers", "covers about E_boot"):
        share, low, high = share_interval(int(results[name].sum()), len(results))
        cells = results.groupby(["population", "learner", "n"])[name].mean()
        short = cells[cells < LEAST].sort_values()
        worst = ", ".join(
            f"{' '.join(map(str, cell))}: {value:.2f}" for cell, value in zip(short.index, short, strict=True)
        )
        says = f"{len(short)} of {len(cells)} cells below {LEAST:g}" + (f"; {worst}" if worst else "")
        how = "shipped" if name == "covers" else "about-e-boot"
        found.append(Finding(f"bootstrap-632-coverage-{how}", share, high >= LEAST, says, LEVEL, low, high))
    for learner, lines in results.groupby("learner"):
        parts = [_relative(lines, estimate) for estimate in ("E_boot", "E_cv")]
        (bias, spread), (of_cv, spread_of_cv) = parts
        says = f"bias {bias:+.3f} against {of_cv:+.3f} of E_cv, as shares of the true error of g"
        ratio = spread / spread_of_cv
        found.append(Finding(f"bootstrap-632-spread-to-e-cv-{learner}", round(ratio, 4), ratio < 1, says))
    return found


def _relative(lines: pd.DataFrame, estimate: str) -> tuple[float, float]:
    """The mean over cells of the bias and of the standard deviation, as shares of the mean true error."""
    by_cell = [
        ((cell[estimate] - cell["truth"]).mean(), (cell[estimate] - cell["truth"]).std(), cell["truth"].mean())
        for _, cell in lines.groupby(["population", "n"])
    ]
    bias, spread, truth = np.array([one for one in by_cell if one[2] > 0]).T
    return float((bias / truth).mean()), float((spread / truth).mean())


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:
    """Coverage in each cell by the number of rows, a dot a cell."""
    cells = results.groupby(["learner", "n", "population"])["covers"].mean().reset_index()
    figure = Figure(figsize=(7, 2.6), layout="constrained")
    panels = figure.subplots(1, len(LEARNERS), sharey=True)
    for axes, (learner, lines) in zip(panels, cells.groupby("learner"), strict=True):
        axes.plot(lines["n"], lines["covers"], "o", ms=4, alpha=0.6)
        axes.axhline(LEVEL, color="black", lw=0.8, ls=":")
        axes.set_xscale("log")
        axes.set_xticks(SIZES, [str(n) for n in SIZES])
        axes.set_title(f"{learner} learner", fontsize=9, loc="left")
        axes.set_xlabel("labelled rows n")
    panels[0].set_ylabel("coverage of E_boot")
    return {"": figure}
