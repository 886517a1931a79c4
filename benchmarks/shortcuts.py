"""What a shortcut spares: its time beside that of the loop of refits, or of a peer, in one run; docs/speed.md.

    python -m benchmarks.shortcuts            # all rows, some minutes
    python -m benchmarks.shortcuts --quick    # a tenth of the rows, seconds

Each row is one work done in two ways, on one thread, in turn: the medians of five, and their ratio. Absolute times
are those of one machine and mean little.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge, RidgeCV
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

from heldout.shortcuts import find

TABLE, PAGE = Path("docs/speed.csv"), Path("docs/speed.md")
_TIMES = 5
_PEER = f"scikit-learn {sklearn.__version__}"
_START, _END = "<!-- shortcuts -->\n", "<!-- end -->\n"


@dataclass(frozen=True)
class Row:
    """One work in two ways: seconds of each, and how many times faster the shortcut is than the peer."""

    work: str
    peer: str
    rows: int
    ours: float
    theirs: float
    bar: str

    @property
    def faster(self) -> float:
        """The peer's seconds over ours."""
        return self.theirs / self.ours


def draw(n: int, p: int) -> tuple[Any, Any, Any]:
    """Rows, two classes and numbers of a linear model with noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    signal = X @ rng.normal(size=p)
    return X, (signal + rng.normal(size=n) > 0).astype(np.int64), signal + rng.normal(size=n)


def paired(ours: Callable[[], Any], theirs: Callable[[], Any], times: int = _TIMES) -> tuple[float, float]:
    """The median seconds of both, done in turn after one round that does not count."""
    found: tuple[list[float], list[float]] = ([], [])
    for number in range(times + 1):
        for kept, work in zip(found, (ours, theirs), strict=True):
            started = time.perf_counter()
            work()
            if number:
                kept.append(time.perf_counter() - started)
    return statistics.median(found[0]), statistics.median(found[1])


def against_the_loop(learner: Any, n: int, p: int, bar: str) -> Row:
    """Leave-one-out beside a refit for each row."""
    X, classes, numbers = draw(n, p)
    y = numbers if isinstance(learner, Ridge) else classes

    def loop() -> Any:
        return cross_val_predict(learner, X, y, cv=LeaveOneOut())

    def shortcut() -> Any:
        return find(learner, X, y).folds(np.arange(n))

    np.testing.assert_allclose(shortcut(), loop(), rtol=1e-9)
    ours, theirs = paired(shortcut, loop)
    return Row(f"leave-one-out, {_called(learner)}, p = {p}", f"a refit for each row, {_PEER}", n, ours, theirs, bar)


def against_one_fit(learner: Any, n: int, p: int, bar: str) -> Row:
    """Leave-one-out beside a single fit and prediction of all rows."""
    X, classes, numbers = draw(n, p)
    y = numbers if isinstance(learner, Ridge) else classes
    ours, theirs = paired(lambda: find(learner, X, y).folds(np.arange(n)), lambda: clone(learner).fit(X, y).predict(X))
    return Row(f"leave-one-out, {_called(learner)}, p = {p}", f"one fit and its answers, {_PEER}", n, ours, theirs, bar)


def against_ridge_cv(n: int, p: int, bar: str) -> Row:
    """Leave-one-out of one penalty beside RidgeCV's own."""
    X, _, y = draw(n, p)
    ours, theirs = paired(
        lambda: find(Ridge(), X, y).folds(np.arange(n)),
        lambda: RidgeCV(alphas=[1.0]).fit(X, y).best_score_,
    )
    return Row(f"leave-one-out, Ridge, p = {p}", f"RidgeCV, {_PEER}", n, ours, theirs, bar)


def rows(scale: int) -> list[Row]:
    """Every row of the table; sizes are divided by `scale`."""
    few, many = 2000 // scale, 100_000 // scale
    found = [
        against_the_loop(Ridge(), few, 6, "1000 times faster"),
        against_the_loop(LinearDiscriminantAnalysis(), few, 6, "1000 times faster"),
        against_the_loop(GaussianNB(), few, 6, "1000 times faster"),
        against_the_loop(KNeighborsClassifier(5), few, 6, "200 times faster"),
        against_ridge_cv(few, 6, "at most 1.2 times its time"),
        against_one_fit(Ridge(), many, 50, "at most 5 times its time"),
        against_one_fit(GaussianNB(), many, 50, "at most 5 times its time"),
    ]
    return [*found, *growth(Ridge(), scale), *growth(GaussianNB(), scale)]


def growth(learner: Any, scale: int) -> list[Row]:
    """Leave-one-out of a hundred times as many rows: the ratio of the times, and the exponent that it implies."""
    few, many = 1000, 100_000 // scale
    (X, a, b), (Z, c, d) = draw(few, 50), draw(many, 50)
    small, large = (b, d) if isinstance(learner, Ridge) else (a, c)
    ours, theirs = paired(
        lambda: find(learner, X, small).folds(np.arange(few)), lambda: find(learner, Z, large).folds(np.arange(many))
    )
    exponent = np.log(theirs / ours) / np.log(many / few)
    work = f"leave-one-out, {_called(learner)}, p = 50: grows with the rows to the power {exponent:.2f}"
    return [Row(work, f"itself on {many} rows", few, ours, theirs, "at most 1.25")]


def _called(learner: Any) -> str:
    return f"{learner.n_neighbors}-NN" if isinstance(learner, KNeighborsClassifier) else type(learner).__name__


def main() -> None:
    """Measure, print, and write the table into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, nothing is written")
    arguments = parser.parse_args()
    with threadpool_limits(1):
        found = rows(10 if arguments.quick else 1)
    lines = ["| work | rows | peer | peer : shortcut | bar |", "|---|---|---|---|---|"]
    lines += [f"| {one.work} | {one.rows} | {one.peer} | {float(f'{one.faster:.3g}'):g} | {one.bar} |" for one in found]
    print("\n".join(lines))
    if not arguments.quick:
        pd.DataFrame([asdict(one) | {"faster": one.faster} for one in found]).to_csv(
            TABLE, index=False, float_format="%.4g"
        )
        head, rest = PAGE.read_text(encoding="utf-8").split(_START)
        tail = rest.split(_END)[1]
        PAGE.write_text("".join([head, _START, "\n".join(lines), "\n", _END, tail]), encoding="utf-8")


if __name__ == "__main__":
    main()
