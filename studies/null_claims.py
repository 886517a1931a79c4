"""How often something false is said of the winner among equal candidates, at each place where people read it.

    python -m studies.null_claims [--runs 300] [--fits 40]    # the tables in docs/method.md, in some minutes

Equal candidates have one true error, so that every sentence "shown to err less" is false, and so is a candidate that is
left out of those that are not shown to err more than the winner. A line counts the runs with one such sentence or more,
of the table of differences and of every text that is made from it.

`of_losses`: M candidates by losses that are drawn, of hypotheses that were fixed (E_val alone; the least protected
case, since nothing but the losses enters the variance). Of `cost` (20 for a row that is ill, 1 for an alarm) and of
`balanced` every other candidate misses none of the rare rows, and errs as much more often elsewhere. `of_fits`:
learners that are equal by symmetry, least squares on three columns that matter and on a column of noise each, trees of
one kind on columns of noise, by E_cv with the shipped settings, its notebook page included.
"""

import argparse
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm
from sklearn.base import BaseEstimator
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.losses import SQUARED, ZERO_ONE, Loss, Losses
from heldout.losses.balanced import balanced
from heldout.losses.cost import cost_matrix
from heldout.losses.tested_losses import Tested
from heldout.selection.comparison import Comparison

LEVEL = 0.95
KINDS = ("independent", "correlated", "one errs, others do not", "identical", "squared", "cost", "balanced")
COSTS = cost_matrix({0: {1: 1}, 1: {0: 20}}, np.array([0, 1]))
ILL, RARE, ALARMS = 0.05, 0.1, 0.05  # shares: of rows that cost 20, of the rare class, and of answers to the other one
_SHOWN = re.compile(r"E_cv of .*? is shown to be (?:lower|higher) than")
_LEFT_OUT = re.compile(r"at [0-9.]+ % (?:none of these (\d+) is|.+ is not) shown to err more than")


def losses_of(kind: str, m: int, n: int, error: float, rng: np.random.Generator) -> tuple[Losses, Loss]:
    """Losses of m equal candidates on n rows, shape (m, n)."""
    if kind == "independent":
        return (rng.random((m, n)) < error).astype(float), ZERO_ONE
    if kind == "correlated":
        normal = math.sqrt(0.9) * rng.standard_normal(n) + math.sqrt(0.1) * rng.standard_normal((m, n))
        return (normal < norm.ppf(error)).astype(float), ZERO_ONE
    if kind == "one errs, others do not":
        return (rng.random((m, n)).argsort(axis=0) < max(round(error * m), 1)).astype(float), ZERO_ONE
    if kind == "identical":
        return np.repeat((rng.random((1, n)) < error).astype(float), m, axis=0), ZERO_ONE
    if kind == "squared":
        return rng.standard_normal((m, n)) ** 2, SQUARED
    if kind == "cost":
        rare, loss, costs = rng.random(n) < ILL, COSTS, (20.0, 1.0)
        more = 20 * ILL / (1 - ILL)
    else:
        rare = np.arange(n) < max(round(RARE * n), 1)
        loss, more = balanced(rare), 1.0
        costs = (n / (2 * rare.sum()), n / (2 * (~rare).sum()))
    # every other candidate misses none of the rare rows, and has as much more of the other errors
    misses = np.where(np.arange(m) % 2 == 0, error, 0.0)
    alarms = ALARMS + (error - misses) * more
    errs = (rng.random((m, n)) < np.where(rare, misses[:, None], alarms[:, None])).astype(float)
    return errs * np.where(rare, *costs), loss


def of_losses(kind: str, m: int, n: int, error: float, runs: int) -> float:
    """The share of runs in which a candidate is said to err more than the winner."""
    false, rng = 0, np.random.default_rng([m, n, KINDS.index(kind)])
    for _ in range(runs):
        losses, loss = losses_of(kind, m, n, error, rng)
        compared = Comparison({str(place): Tested(of, loss) for place, of in enumerate(losses)}, None, LEVEL)
        false += len(compared.alike(str(int(losses.mean(axis=1).argmin())))) < m
    return false / runs


def _columns(learner: BaseEstimator, *columns: int) -> BaseEstimator:
    return make_pipeline(FunctionTransformer(np.take, kw_args={"indices": columns, "axis": 1}), learner)


def candidates_of(kind: str, m: int) -> Mapping[str, BaseEstimator]:
    """m learners that are equal by symmetry, on columns 0 … m + 2."""
    if kind == "trees":
        return {f"t{i}": _columns(DecisionTreeClassifier(max_depth=2, random_state=0), i + 3) for i in range(m)}
    learner = RidgeClassifier(1e-9) if kind == "classes" else Ridge(1e-9)
    return {f"c{i}": _columns(learner, 0, 1, 2, i + 3) for i in range(m)}


def rows_of(kind: str, m: int, n: int, rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """n rows of m + 3 columns, of which three matter, and their labels."""
    X = rng.normal(size=(n, m + 3))
    number = X[:, :3] @ [1, 0.7, 0.4] + rng.normal(size=n)
    return X, number if kind == "numbers" else (number > 0).astype(int)


def false_claims(made: heldout.Validation) -> dict[str, bool]:
    """Whether anything is said of the winner against another candidate, at each place of a notebook."""
    shown = [one for one in made.differences() if one.against != "baseline" and (one.shown_less or one.shown_more)]
    alike = made.select().indistinguishable
    places = {"differences": bool(shown), "alike": len(alike) < len(made.candidates)}
    for name, text in {"print": str(made), "page": made._repr_html_()}.items():
        named = _LEFT_OUT.search(text)
        count = 1 if named is None else 1 + int(named[1] or 1)
        places[name] = bool(_SHOWN.search(text)) or count < len(made.candidates)
    return places


def of_fits(kind: str, m: int, n: int, runs: int) -> dict[str, float]:
    """The share of runs in which something false is said, by place."""
    found = []
    for run in range(runs):
        X, y = rows_of(kind, m, n, np.random.default_rng([m, n, run]))
        how: dict[str, Any] = {"estimates": ["E_cv"], "level": LEVEL, "seed": run, "progress": False}
        found.append(false_claims(heldout.validate(dict(candidates_of(kind, m)), X, y, **how)))
    return {place: float(np.mean([one[place] for one in found])) for place in found[0]}


def lines(runs: int, fits: int) -> Iterator[str]:
    """Both tables: cells of rows 10, 20, 50, 100, 300 and errors .05, .2, .5, with `runs` of each; and of `fits`."""
    yield "| losses | candidates | cells | false, most | mean |"
    yield "|---|---|---|---|---|"
    for kind in KINDS:
        errors = (0.2,) if kind in ("squared", "identical") else (0.05, 0.2, 0.5)
        for m in (2, 5, 10, 30):
            shares = [of_losses(kind, m, n, error, runs) for n in (10, 20, 50, 100, 300) for error in errors]
            yield f"| {kind} | {m} | {len(shares)} | {max(shares):.3f} | {np.mean(shares):.3f} |"
    yield ""
    yield f"| learners | candidates | rows | runs | {' | '.join(('differences', 'alike', 'print', 'page'))} |"
    yield "|---|---|---|---|---|---|---|---|"
    for kind in ("classes", "numbers", "trees"):
        for m, n in ((5, 40), (5, 100), (5, 300), (10, 100), (30, 100)):
            count = max(fits * 5 // max(m, 5), 1)
            shown = " | ".join(f"{share:.3f}" for share in of_fits(kind, m, n, count).values())
            yield f"| {kind} | {m} | {n} | {count} | {shown} |"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--fits", type=int, default=40, help="runs of five candidates; of more candidates fewer")
    given = parser.parse_args()
    for line in lines(given.runs, given.fits):
        print(line, flush=True)


if __name__ == "__main__":
    main()
