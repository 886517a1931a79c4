"""How often the powered E_val and E_cv cover their targets, and how much narrower their intervals are than the plain.

    python -m studies.powered [--data FOLDER] [--samples 300]    # the table in docs/method.md, in an hour

Samples of N rows, and ten times as many without labels, are drawn from populations of 4000 rows, whose mean loss is the
true error. Of each estimate the table has the share of samples in which the plain and the powered interval hold the
error of its target, the mean width of the powered intervals over that of the plain ones, and the mean number of labels
gained; last the share of samples without a powered E_cv: too few rows carry the loss, or the test for another
population refuses by chance. The plain interval counts for them.
"""

import argparse
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import heldout
from heldout.errors import PartsWarning
from heldout.learners.fitting import test
from heldout.losses import choose_loss
from studies.judgements import LEVEL
from studies.learners import LeastSquaresClassifier, Logistic, TreeClassifier
from studies.populations import REAL, SIMULATED, Population, population

SAMPLES, HALVINGS = 300, 30
SIZES = (100, 300)
TIMES = 10  # as many unlabelled rows as labelled ones
LEAST = 3  # rows of a class: samples with fewer are drawn again, since validate refuses a class that no part can share
MANY = 10  # classes, which have no such rows
ESTIMATES = ("E_val", "E_cv")
LEARNERS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "stable": (LeastSquaresClassifier(), ("zero_one",)),
    "unstable": (TreeClassifier(random_state=None), ("zero_one",)),
    "logistic": (Logistic(), ("zero_one", "brier", "log")),
}


@dataclass(frozen=True)
class Cell:
    """A population, a learner, a loss and a sample size."""

    population: str
    learner: str
    loss: str
    n: int


def cells(folder: Path | None) -> Iterator[Cell]:
    """All cells of classes, small samples first."""
    for n in SIZES:
        for name in (*SIMULATED, *(REAL if folder else ())):
            if population(name, folder).loss.of_classes:
                for learner, (_, losses) in LEARNERS.items():
                    yield from (Cell(name, learner, loss, n) for loss in losses)


def judge(cell: Cell, sample: int, folder: Path | None) -> NDArray[np.float64]:
    """For both estimates: both intervals cover, both widths, labels gained, refused. Shape (2, 6)."""
    whole = _population(cell.population, folder)
    rng = np.random.default_rng([cell.n, sample, *map(ord, cell.population + cell.learner)])
    rows = rng.integers(0, len(whole.y), cell.n)
    while len(counts := np.unique(whole.y[rows], return_counts=True)[1]) < MANY and counts.min() < LEAST:
        rows = rng.integers(0, len(whole.y), cell.n)
    X, y = whole.X[rows], whole.y[rows]
    unlabeled = whole.X[rng.integers(0, len(whole.y), TIMES * cell.n)]
    how: dict[str, Any] = {"estimates": [*ESTIMATES, "E_2cv"], "level": LEVEL, "seed": sample, "progress": False}
    how["repeats"] = HALVINGS
    learner = {cell.learner: LEARNERS[cell.learner][0]}
    made = heldout.validate(learner, X, y, unlabeled=unlabeled, loss=cell.loss, **how)
    # rows of a class that the sample lacks count as the loss counts them
    loss, everywhere = choose_loss(cell.loss, y), np.arange(len(whole.y))
    found = np.empty((2, 6))
    plain = [record for record in made.estimates if record.estimate in ESTIMATES]
    for place, (record, line) in enumerate(zip(plain, made.powered(), strict=True)):
        hypotheses = made.target(cell.learner, record.estimate)
        truth = np.mean([test(hypothesis, whole.X, whole.y, everywhere, loss).mean() for hypothesis in hypotheses])
        of_plain, of_line = [(float(of.low or 0), float(of.high or 0)) for of in (record, line)]
        intervals = of_plain, of_plain if line.reason else of_line
        covers = [low <= truth <= high for low, high in intervals]
        widths = [high - low for low, high in intervals]
        found[place] = [*covers, *widths, line.labels_gained or 0, bool(line.reason)]
    return found


def _population(name: str, folder: Path | None) -> Population:
    """The population; whole numbers of at most 20 values are classes, so two neighbours of the 26 letters are one."""
    whole = population(name, folder)
    return replace(whole, y=whole.y // 2) if name == "letter" else whole


def line_of(cell: Cell, found: NDArray[np.float64]) -> str:
    """The line of the table for a cell, from all its samples, shape (samples, 2, 6)."""
    means = found.mean(axis=0)
    shown = [cell.loss, cell.population, cell.learner, str(cell.n)]
    for plain, powered, wide, narrow, gained, _ in means:
        shown += [f"{plain:.3f}", f"{powered:.3f}", f"{narrow / wide:.2f}", f"{gained:.0f}"]
    return f"| {' | '.join([*shown, f'{means[1, -1]:.2f}'])} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--samples", type=int, default=SAMPLES, help="of each cell")
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore", PartsWarning)  # of the rare class
    columns = ["loss", "population", "learner", "rows"]
    columns += [f"`{name}`: {column}" for name in ESTIMATES for column in ("plain", "powered", "width", "gained")]
    print(f"| {' | '.join([*columns, 'refused'])} |\n{'|---' * (len(columns) + 1)}|")
    for cell in cells(given.data):
        found = [judge(cell, sample, given.data) for sample in range(given.samples)]
        print(line_of(cell, np.array(found)), flush=True)


if __name__ == "__main__":
    main()
