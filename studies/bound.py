"""How often the winner's true error passes its bound, for several bounds that pay for the choice among M candidates.

    python -m studies.bound [--data FOLDER] [--draws 2000] [--joint] [--out bound.csv]    # for decision 54, in hours

K losses of 0 and 1 of each of M candidates, whose rows are independent. Simulated candidates err by a uniform number of
the row, with chance sqrt(rho) the row's own, else the candidate's, so that equal errors correlate by rho. Real ones
are trees, neighbours, naive Bayes and logistic regression of various settings, trained on rows of a population whose
mean losses are the true errors. The winner has the least error on the K rows, or on these and 4K others, as in E_cv;
`any` counts the draws in which any candidate's true error passes its own bound. The excess is the bound less the true
error, for the winner by the K rows.
"""

import argparse
import functools
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import bdtr, betainccinv, ndtri
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from heldout.intervals import betting
from heldout.losses import ZERO_ONE
from heldout.losses.tested_losses import Tested
from heldout.selection.joint_level import joint_level
from studies.populations import REAL, SIMULATED, population

DELTA, TESTED, MODELS, CORRELATIONS = 0.05, (30, 60, 200, 1000), (1, 8, 30, 100), (0.0, 0.5, 0.9)
SHARE = {1: 1, 8: 1, 30: 2, 100: 6}  # of the draws: fewer where a draw takes long
TRAINED, TRAININGS, RESAMPLES, BETS = 240, 5, 500, 8
SPREAD = np.array([1.0, 1.5, 1.1, 1.3, 1.2])  # true errors over the least, in turn
Losses = NDArray[np.float64]


def clopper_pearson(count: Losses, n: int, delta: float) -> Losses:
    """The one-sided upper limits for `count` errors among n."""
    limits: Losses = betainccinv(count + 1, np.maximum(n - count, 1e-9), delta)
    return np.where(count < n, limits, 1.0)


@functools.cache
def _bet(count: int, n: int, delta: float, seed: int) -> float:
    return betting.upper_limit(Tested(np.repeat([1.0, 0.0], [count, n - count]), ZERO_ONE, seed), delta)


@functools.lru_cache(maxsize=2)
def _resamples(n: int, block: int) -> NDArray[np.float32]:
    return np.random.default_rng([n, block]).multinomial(n, np.full(n, 1 / n), RESAMPLES).astype(np.float32)


@functools.cache
def _below(count: int, n: int) -> Losses:
    """Pr(Bin(n, count / n) < 0), … , Pr(Bin(n, count / n) < n)."""
    below: Losses = bdtr(np.arange(n + 1) - 1, n, count / n)
    return np.where(np.arange(n + 1) > 0, below, 0.0)


def tilted(losses: Losses, draw: int) -> Losses:
    """Rink and Brannath's: the tilted error at which the winner's rank in the bootstrap is that of the largest of M.

    The rows are resampled, and the count of a candidate that errs on a share p of them is binomial, tilted or not: so
    the importance weights need no resampling. Wilson's limit where a candidate has no error, as in their code.
    """
    n, m = losses.shape
    count = losses.sum(axis=0)
    drawn = _resamples(n, draw // 20) @ losses.astype(np.float32)
    ranks = [_below(int(c), n)[these] for c, these in zip(count, drawn.T.astype(np.intp), strict=True)]
    level = float(np.quantile(np.min(ranks, axis=0), DELTA))
    z = -float(ndtri(1 - (1 - DELTA) ** (1 / m)))
    return np.where(count > 0, clopper_pearson(count - 1, n, level), z**2 / (n + z**2))


def limits(losses: Losses, draw: int, *, joint_alone: bool) -> Iterator[tuple[str, Losses]]:
    """The upper limit of each candidate's error, by bound."""
    n, m = losses.shape
    count, mean = losses.sum(axis=0), losses.mean(axis=0)
    yield "Clopper-Pearson", clopper_pearson(count, n, DELTA / m)
    if m > 1:
        yield "joint", clopper_pearson(count, n, joint_level(losses, DELTA, draw, draws=500))
    if joint_alone:
        return
    yield "Hoeffding", mean + np.sqrt(np.log(m / DELTA) / (2 * n))
    yield "betting", np.array([_bet(int(c), n, DELTA / m, draw % BETS) for c in count])
    if m > 1:
        # normal multipliers of the rows make the standardised means normal with the correlation of the losses
        level = joint_level(losses, DELTA, draw, own_errors=0, draws=500)
        yield "joint, without own errors", clopper_pearson(count, n, level)
        yield "maxT", mean - ndtri(level) * np.sqrt(mean * (1 - mean) / n)
        yield "tilting", tilted(losses, draw)


def simulated(n: int, m: int, rho: float, errors: Losses, draw: int) -> tuple[Losses, Losses]:
    """5n rows of m losses, and the true errors."""
    rng = np.random.default_rng([n, m, int(100 * rho), int(1e4 * errors.sum()), draw])
    shared = rng.random((5 * n, m), dtype=np.float32) < np.sqrt(rho)
    uniform = np.where(shared, rng.random((5 * n, 1), dtype=np.float32), rng.random((5 * n, m), dtype=np.float32))
    return (uniform < errors).astype(np.float64), errors


@functools.cache
def _trained(name: str, folder: Path | None, training: int) -> Losses:
    """The losses of 100 hypotheses on all rows of a population."""
    whole, rng = population(name, folder), np.random.default_rng(training)
    rows = rng.choice(len(whole.y), TRAINED, replace=False)
    settings: list[tuple[Any, ...]] = [
        (
            DecisionTreeClassifier(min_samples_leaf=1 + i, random_state=i),
            KNeighborsClassifier(1 + 2 * i),
            LogisticRegression(C=10.0 ** (i / 5 - 3)),
            GaussianNB(var_smoothing=10.0 ** (i / 3 - 9)),
        )
        for i in range(25)
    ]
    fitted = [learner.fit(whole.X[rows], whole.y[rows]) for learner in itertools.chain(*settings)]
    return np.stack([ZERO_ONE.pointwise(whole.y, g.predict(whole.X)) for g in fitted], axis=1)


def real(n: int, m: int, name: str, folder: Path | None, draw: int) -> tuple[Losses, Losses]:
    """As `simulated`, for m hypotheses that were trained on rows of a population."""
    losses = _trained(name, folder, draw % TRAININGS)[:, :m]
    rows = np.random.default_rng([n, m, draw]).integers(0, len(losses), 5 * n)
    return losses[rows], losses.mean(axis=0)


def judge(
    cell: str, n: int, m: int, draws: int, make: Callable[[int], tuple[Losses, Losses]], *, joint_alone: bool = False
) -> pd.DataFrame:
    """A line for each bound: how often it is passed, and by how much it exceeds the true error on average."""
    lines = []
    for draw in range(draws):
        losses, errors = make(draw)
        won, by_cv = int(losses[:n].mean(axis=0).argmin()), int(losses.mean(axis=0).argmin())
        for name, limit in limits(losses[:n], draw, joint_alone=joint_alone):
            over = limit - errors
            lines.append((name, over[won] < 0, over[by_cv] < 0, bool((over < 0).any()), over[won]))
    table = pd.DataFrame(lines, columns=["bound", "E_val", "E_cv", "any", "excess"])
    return table.groupby("bound", sort=False).mean().reset_index().assign(cell=cell, K=n, M=m, draws=draws)


def cells(folder: Path | None) -> Iterator[tuple[str, int, int, Callable[[int], tuple[Losses, Losses]]]]:
    """Name, K, M and maker of each cell."""
    named = [*SIMULATED, *(REAL if folder else ())]
    populations = [name for name in named if population(name, folder).loss is ZERO_ONE]
    for m, n in itertools.product(MODELS, TESTED):
        for name in populations:
            yield name, n, m, functools.partial(real, n, m, name, folder)
        for rho, least, spread in itertools.product(CORRELATIONS if m > 1 else (0.0,), (0.02, 0.1, 0.3), (0, 1)):
            errors = least * np.resize(SPREAD, m) ** spread
            name = f"rho {rho}, error {least}{', spread' * spread}"
            yield name, n, m, functools.partial(simulated, n, m, rho, errors)


def main() -> None:
    """Write the table of cells as it grows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--joint", action="store_true", help="only the union bound and the joint level, in less time")
    parser.add_argument("--out", type=Path, default=Path("bound.csv"))
    given = parser.parse_args()
    for place, (name, n, m, make) in enumerate(cells(given.data)):
        judged = judge(name, n, m, given.draws // SHARE[m], make, joint_alone=given.joint)
        judged.to_csv(given.out, mode="a" if place else "w", header=not place, index=False, float_format="%.6f")


if __name__ == "__main__":
    main()
