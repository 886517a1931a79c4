"""Choosing a penalty or a stopping time by validation: the optimism that it brings, and the union bound.

Abu-Mostafa, lecture 13, "How much bias": the smallest of M validation errors is too low, and with the union bound
E_out <= E_val + O(sqrt(ln M / K)). A penalty and a time T of early stopping are single parameters, however many values
are tried, and cost little; K = 100 serves for two parameters, and is ruined by twenty.

Two normal classes on 20 features, least-squares classifiers trained on 40 rows, 0/1 loss, K = 100, E_out exact. The
choice is among M penalties, M times T, or M hypotheses that err independently, each with E_out = 0.15 (the worst case).
Further 1, 2 or 20 penalties, each for as many directions, each chosen among 20 values, one after the other, twice.
Bounds at level 0.95: Hoeffding's, E_val + sqrt(ln(M / 0.05) / 2K), and heldout's two: Clopper and Pearson's limit for
M candidates, and their joint limit, which sees how alike they are.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from heldout.decision.select import select
from heldout.losses import ZERO_ONE
from heldout.losses.tested_losses import Tested
from heldout.selection.bound import selection_bound
from studies import bound_pictures
from studies.shrunken import Classes, Directions, Numbers
from studies.study import LEVEL, Finding, Record, mean_interval, share_interval

SEED, NEEDS_DATA = 0, False
FEATURES, TRAINED, K = 20, 40, 100
CLASSES = Classes(np.full(FEATURES, 0.3), np.geomspace(3, 0.5, FEATURES))
CANDIDATES, QUICK_CANDIDATES = (2, 5, 10, 20, 50, 100), (2, 10, 100)  # M
JOINT, JOINT_REPEATS = (2, 10), 6  # for which M the joint limit is computed, and in how many repeats of a unit
PENALTIES, EPOCHS, UNLIKE = (1e-2, 1e4), (1, 1e4), 0.15  # ranges of the values; E_out of unlike hypotheses
NUMBERS_OF_PENALTIES, VALUES, ROUNDS = (1, 2, 20), np.geomspace(*PENALTIES, 20), 2
UNITS, REPEATS, QUICK_UNITS, QUICK_REPEATS = 20, 120, 5, 60
RESAMPLED = 1_000
FAMILIES = {"penalty": "a penalty", "early-stopping": "a time T", "unlike": "unlike hypotheses"}


def units(quick: bool) -> Sequence[tuple[int, int, tuple[int, ...]]]:
    """The number of a batch, its repeats and the numbers of candidates."""
    count, repeats, candidates = (
        (QUICK_UNITS, QUICK_REPEATS, QUICK_CANDIDATES) if quick else (UNITS, REPEATS, CANDIDATES)
    )
    return [(batch, repeats, candidates) for batch in range(count)]


def measure(unit: tuple[int, int, tuple[int, ...]], data: Path | None) -> list[Record]:  # noqa: ARG001
    """E_val, E_out and the bounds of the chosen hypothesis, in each repeat."""
    batch, repeats, candidates = unit
    found: list[Record] = []
    for repeat in range(repeats):
        rng = np.random.default_rng([SEED, batch, repeat])
        trained = Directions.of(*CLASSES.draw(rng, TRAINED))
        X, y = CLASSES.draw(rng, K)
        joint = JOINT if repeat < JOINT_REPEATS else ()
        for M in candidates:
            paths = {
                "penalty": trained.penalized(np.geomspace(*PENALTIES, M)),
                "early-stopping": trained.stopped(np.geomspace(*EPOCHS, M)),
            }
            answers = {name: (_losses(weights, X, y), CLASSES.E_out(weights)) for name, weights in paths.items()}
            answers["unlike"] = ((rng.random((K, M)) < UNLIKE).astype(np.float64), np.full(M, UNLIKE))
            for family, (losses, E_out) in answers.items():
                found.append({"family": family, "M": M, "batch": batch, **_chosen(losses, E_out, M in joint)})
        for number in NUMBERS_OF_PENALTIES:
            weights = _several(trained, number, X, y)
            E_val = Tested(_losses(weights, X, y)[:, 0], ZERO_ONE).error
            line = {"E_val": E_val, "E_out": float(CLASSES.E_out(weights)[0])}
            found.append({"family": f"{number} penalties", "M": len(VALUES), "batch": batch, **line})
    return found


def _losses(weights: Numbers, X: Numbers, y: Numbers) -> Numbers:
    """Of each hypothesis at each row, shape (K, M)."""
    return ZERO_ONE.pointwise(y[:, None], np.where(X @ weights > 0, 1.0, -1.0))


def _chosen(losses: Numbers, E_out: Numbers, joint: bool) -> Record:
    place = _smallest(losses)
    held_out = Tested(losses[:, place], ZERO_ONE)
    line = {"E_val": held_out.error, "E_out": float(E_out[place])}
    bound = selection_bound(held_out, losses.shape[1], LEVEL, losses if joint else None)
    if bound is None:  # never: the loss has a limit, and the rows are independent
        return line
    if joint:
        return line | {"hoeffding": bound.hoeffding, "joint": bound.value if bound.joint is None else bound.joint}
    return line | {"hoeffding": bound.hoeffding, "exact": bound.value}


def _smallest(losses: Numbers) -> int:
    E_val = {str(place): error for place, error in enumerate(losses.mean(axis=0).tolist())}
    return int(select(E_val, "E_val", "minimum").selected)


def _several(trained: Directions, number: int, X: Numbers, y: Numbers) -> Numbers:
    """The coefficients, shape (p, 1), with a penalty for each of `number` groups of directions, chosen in turn."""
    group = np.arange(FEATURES) * number // FEATURES
    penalties = np.full(FEATURES, VALUES[len(VALUES) // 2])
    for each in [*range(number)] * ROUNDS:
        tried = np.where(group == each, VALUES[:, None], penalties)
        penalties = tried[_smallest(_losses(trained.penalized(tried), X, y))]
    return trained.penalized(penalties[None])


def findings(results: pd.DataFrame) -> list[Finding]:
    """The optimism of each choice, and the bounds: how often they fail, and how much too wide they are."""
    most, worst = int(results["M"].max()), _of(results, "unlike", 10)
    return [
        *(_optimism(f"of-{family}", _of(results, family, most)) for family in FAMILIES),
        *(_optimism(f"{number}-penalties", _of(results, f"{number} penalties", len(VALUES))) for number in (2, 20)),
        *(_violations(bound, worst) for bound in ("hoeffding", "exact", "joint")),
        *(
            _too_wide(bound, family, _of(results, family, most))
            for bound, family in (("hoeffding", "penalty"), ("exact", "penalty"), ("exact", "unlike"))
        ),
    ]


def _of(results: pd.DataFrame, family: str, M: int) -> pd.DataFrame:
    return results[(results["family"] == family) & (results["M"] == M)]


def _optimism(name: str, table: pd.DataFrame) -> Finding:
    """E_out - E_val of the chosen. Of one or two parameters it should be below the standard error of E_val."""
    ours, low, high = mean_interval(table["E_out"] - table["E_val"])
    error = float(np.sqrt(table["E_out"] * (1 - table["E_out"]) / K).mean())
    said = f"{'below' if ours < error else 'above'} one standard error of E_val, {error:.3f}"
    agrees = (ours > error) == (name in ("20-penalties", "of-unlike"))
    return Finding(f"chosen-parameter-optimism-{name}", ours, agrees, said, "", low, high)


def _violations(bound: str, table: pd.DataFrame) -> Finding:
    """The share of repeats in which E_out is above the bound."""
    there = table.dropna(subset=[bound])
    share, low, high = share_interval(int((there["E_out"] > there[bound]).sum()), len(there))
    said = f"at most {1 - LEVEL:.2g} is promised; {int(table['M'].iloc[0])} unlike hypotheses"
    return Finding(f"union-bound-violations-{bound}", share, low <= 1 - LEVEL, said, "", low, high)


def _too_wide(bound: str, family: str, table: pd.DataFrame) -> Finding:
    """The mean reach of the bound over that which would do. The interval is of repeats drawn again with replacement."""
    there = table.dropna(subset=[bound])
    reach, needed = (there[column].to_numpy() - there["E_val"].to_numpy() for column in (bound, "E_out"))
    drawn = np.random.default_rng(SEED).integers(len(there), size=(RESAMPLED, len(there)))
    ratios = reach[drawn].mean(axis=1) / np.quantile(needed[drawn], LEVEL, axis=1)
    ours = float(reach.mean() / np.quantile(needed, LEVEL))
    low, high = np.quantile(ratios, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    said = f"times the {LEVEL:g} quantile of E_out - E_val; {int(table['M'].iloc[0])} candidates"
    return Finding(
        f"union-bound-too-wide-{bound}-{family}", ours, bool(low > 1), said, "", min(low, ours), max(high, ours)
    )


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:
    """The optimism of each choice against M, and what the bounds add to E_val."""
    return {"": bound_pictures.optimism(results, FAMILIES, NUMBERS_OF_PENALTIES)}
