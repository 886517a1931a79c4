"""Is E_bbc right after a race, although its bootstrap repeats the choice among those left alone?

What the race looked at is a part of what E_cv looks at: the losses of the same rows. In the *learned* case the labels
are drawn without regard to the features, so that each hypothesis errs .5: nearest centroids on three columns each,
of 20 sets of columns. In the other cases a candidate's loss on a row is the same in E_prog and in E_cv, which is
the most that both can have in common: candidates that are equal, that are worse by 10 points, or graded. Each sample is
looked at with the race, without, and with finalists: of those left after the race the eight of the least E_prog go on,
as `init` proposes. The target is the true error of the candidate of the least E_cv among those left, the interval that
of E_bbc at .95; *where some were dropped* has only the samples in which the race did something.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

import heldout
from heldout.losses import ZERO_ONE, Losses
from heldout.losses.tested_losses import Tested
from heldout.schemes.design import cross_validated
from heldout.schemes.progressive import first_steps
from heldout.selection import bbc
from heldout.selection.race import Race
from studies.study import Finding, Record, mean_interval, share_interval
from tasks.plans.budget import FINALISTS

SEED, NEEDS_DATA = 0, False
LEVEL = 0.95
BATCH, BATCHES, LEARNED_BATCHES, QUICK_BATCHES = 25, 12, 4, 1  # samples of a unit, and units
COLUMNS, OF_EACH = 60, 3
LEARNED: Mapping[str, tuple[int, int]] = {  # candidates, rows
    "20 learned nulls, 300 rows": (20, 300),
}
DRAWN: Mapping[str, tuple[Sequence[float], int]] = {  # true errors, rows
    "20 equal, 300 rows": ([0.2] * 20, 300),
    "50 equal, 300 rows": ([0.2] * 50, 300),
    "50 equal, 1000 rows": ([0.2] * 50, 1000),
    "50 coins, 300 rows": ([0.5] * 50, 300),
    "10 equal and 40 that err 10 points more, 1000 rows": ([0.15] * 10 + [0.25] * 40, 1000),
    "30 from 10 % to 30 %, 300 rows": ([*np.linspace(0.1, 0.3, 30).round(4).tolist()], 300),
}
FIRST_DRAWN = 3  # its place in the seeds
ALIKE = 0.3  # how often two losses of a row come from one draw


@dataclass(frozen=True)
class Unit:
    """Some samples of a case."""

    case: str
    batch: int


class Centroids(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """The class of the nearer mean, on some columns; of two classes 0 and 1."""

    def __init__(self, columns: Sequence[int]) -> None:
        self.columns = columns

    def fit(self, X: Any, y: Any) -> "Centroids":
        """Take the means of both classes."""
        own = X[:, list(self.columns)]
        self.classes_ = np.array([0, 1])
        means = [own[y == label].mean(axis=0) for label in (0, 1)]
        self.direction_, self.middle_ = means[1] - means[0], (means[0] + means[1]) / 2
        return self

    def predict(self, X: Any) -> Any:
        """The class of each row."""
        return ((X[:, list(self.columns)] - self.middle_) @ self.direction_ > 0).astype(np.int64)


def units(quick: bool) -> Sequence[Unit]:
    """Each case in batches."""
    cases = {**dict.fromkeys(DRAWN, BATCHES), **dict.fromkeys(LEARNED, LEARNED_BATCHES)}
    return [
        Unit(case, batch) for case, batches in cases.items() for batch in range(QUICK_BATCHES if quick else batches)
    ]


def measure(unit: Unit, data: Path | None) -> list[Record]:  # noqa: ARG001
    """E_bbc of each sample's winner, with a race, without, and with finalists, next to the winner's true error."""
    place = [*LEARNED].index(unit.case) if unit.case in LEARNED else FIRST_DRAWN + [*DRAWN].index(unit.case)
    rng = np.random.default_rng([SEED, place, unit.batch])
    records = []
    for _ in range(BATCH):
        seed = int(rng.integers(2**31))
        if unit.case in LEARNED:
            of_rows, observed, stream, errors = _learned(*LEARNED[unit.case], seed)
        else:
            of_rows, observed, stream, errors = _drawn(*DRAWN[unit.case], seed)
        after_race, finalists = left(stream), left(stream, FINALISTS)
        dropped = len(errors) - len(after_race)
        for kind, among in (("none", np.arange(len(errors))), ("race", after_race), ("finalists", finalists)):
            found = _of(of_rows, observed, errors, among, seed)
            records.append({**found, "kind": kind, "dropped": dropped})
    return [{"case": unit.case, **record} for record in records]


Sample = tuple[Losses, Sequence[Tested], Sequence[Losses], Losses]  # of E_cv, the same to look at, of blocks, true


def _learned(count: int, rows: int, seed: int) -> Sample:
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(rows, COLUMNS)), rng.permutation(np.arange(rows) % 2)
    learners = {
        f"c{place}": Centroids(tuple(rng.choice(COLUMNS, OF_EACH, replace=False).tolist())) for place in range(count)
    }
    made = heldout.validate(
        learners, X, y, estimates=["E_cv", "E_prog"], loss="zero_one", seed=seed, race="off", progress=False
    )
    observed = [cross_validated(made.design, evidence) for evidence in made.evidence.values()]
    progressive = [evidence.losses["progressive"] for evidence in made.evidence.values()]
    blocks = [np.stack([of[number] for of in progressive]) for number in range(len(progressive[0]))]
    return np.stack([one.losses for one in observed]), observed, blocks, np.full(count, 0.5)


def _drawn(errors: Sequence[float], rows: int, seed: int) -> Sample:
    rng = np.random.default_rng(seed)
    risks, half = np.array(errors), rows // 2
    together = rng.random((len(risks), rows)) < ALIKE
    losses = (np.where(together, rng.random(rows), rng.random((len(risks), rows))) < risks[:, None]).astype(float)
    ends = [*first_steps(rows - half, half, "auto"), half]
    blocks = [losses[:, first:end] for first, end in itertools.pairwise(ends)]
    return losses, [Tested(one, ZERO_ONE, seed) for one in losses], blocks, risks


def left(blocks: Sequence[Losses], finalists: int | None = None) -> NDArray[np.intp]:
    """Who is left after the race on blocks of losses, each of shape (M, rows), and of these the finalists."""
    names = [str(place) for place in range(len(blocks[0]))]
    race = Race.of(names, sum(block.shape[1] for block in blocks), 1.0, LEVEL, finalists)
    for block in blocks:
        race = race.after({name: block[int(name)] for name in race.racing})
    return np.array([int(name) for name in race.racing])


def _of(of_rows: Losses, observed: Sequence[Tested], errors: Losses, among: NDArray[np.intp], seed: int) -> Record:
    """The choice among some of the candidates, and what is said of it."""
    winner = int(among[of_rows[among].mean(axis=1).argmin()])
    corrected, truth = bbc.corrected(of_rows[among], seed), float(errors[winner])
    found = bbc.interval(corrected.error, observed[winner], LEVEL, taken=corrected.losses)
    if found is None:
        raise ValueError(f"no interval of {of_rows.shape[1]} rows")
    return {
        "E_cv": float(of_rows[winner].mean()) - truth,
        "E_bbc": corrected.error - truth,
        "covered": found.low <= truth <= found.high,
    }


def findings(results: pd.DataFrame) -> list[Finding]:
    """The mean of E_bbc less the true error, and how often its interval covers that, with and without a race."""
    found = []
    for case in (*LEARNED, *DRAWN):
        short = case.replace(",", "").replace(" %", "").replace(" ", "-")
        of_case = results[results["case"] == case]
        for word in ("race", "none", "finalists"):
            own = of_case[of_case["kind"] == word]
            bias, low, high = mean_interval(own["E_bbc"])
            why = f"E_bbc less the true error; E_cv {own['E_cv'].mean():+.4f}"
            found.append(Finding(f"bbc-bias-{word}-{short}", bias, True, why, "", low, high))
            covered, low, high = share_interval(int(own["covered"].sum()), len(own))
            why = f"{len(own)} samples"
            found.append(Finding(f"bbc-covered-{word}-{short}", covered, True, why, LEVEL, low, high))
        some = of_case[(of_case["dropped"] > 0) & (of_case["kind"] == "race")]
        if len(some) > 1:
            without = of_case[(of_case["dropped"] > 0) & (of_case["kind"] == "none")]
            covered, low, high = share_interval(int(some["covered"].sum()), len(some))
            why = (
                f"in the {len(some)} samples where some were dropped, {some['dropped'].mean():.1f} on average; E_bbc "
                f"less the true error is {some['E_bbc'].mean():+.4f}, without the race {without['E_bbc'].mean():+.4f}, "
                f"which covers {without['covered'].mean():.3f}"
            )
            found.append(Finding(f"bbc-covered-dropped-{short}", covered, True, why, "", low, high))
    return found


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:  # noqa: ARG001
    """None: the numbers are few."""
    return {}
