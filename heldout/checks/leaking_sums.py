"""Columns of numbers that give the target when they are added or multiplied: `casual + registered = cnt`."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout.checks.leakage import Leak, drawn_rows
from heldout.findings import checks
from heldout.findings.words import percent

_FEWEST_ROWS, _ROWS = 40, 2000  # an equation of all rows holds in a sample
_MOST_STEPS, _MOST_COLUMNS = 6, 20  # of a greedy search; of a least squares fit to all columns
_MOST_ROWS, _MOST_FITS = 0.9, 200  # of an equation with exceptions: the share of rows that it meets; draws of rows
_MOST_ADDED, _ROWS_A_COLUMN = 30, 8  # columns of it: a draw of more rows has an exception
_LEAST_WEIGHT = 0.01  # of a column, in standard deviations of the target
_DECIMALS = 9
_UNEXPLAINED, _EXACT = 1e-3, 1e-6  # shares of the variance: what rounding may leave, and what is no rounding at all

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class _Equation:
    """Weights of `names`, and the constant, that give the target, or its logarithm from theirs."""

    names: tuple[str, ...]
    weights: tuple[float, ...]
    constant: float
    product: bool

    def __str__(self) -> str:
        if self.product:
            powers = [f"{name}{'' if weight == 1 else f'^{weight:.4g}'}" for name, weight in self._terms()]
            factor = np.exp(self.constant)
            return " × ".join([*([] if abs(factor - 1) < 1e-6 else [f"{factor:.4g}"]), *powers])
        text = " + ".join(f"{'' if weight == 1 else f'{weight:.4g} '}{name}" for name, weight in self._terms())
        text += "" if abs(self.constant) < 1e-6 else f" + {self.constant:.4g}"
        return text.replace("+ -1 ", "- ").replace("+ -", "- ")

    def _terms(self) -> Iterator[tuple[str, float]]:
        for name, weight in zip(self.names, self.weights, strict=True):
            yield name, round(weight, 4) if abs(weight - round(weight)) < 1e-4 else weight


def of_sums(features: pd.DataFrame, target: pd.Series) -> list[Leak]:
    """The columns of numbers whose weighted sum, or whose product of powers, is the target but for rounding.

    Weights are fitted to one half of a sample and tested on the other half: every row must be met to the last digit
    that the target and the columns have, and a thousandth of the variance may be left. Or nine of ten different rows
    are met without any rounding: a bill has exceptions. `target` has no gaps.
    """
    numbers = features.select_dtypes(["number", "bool"])
    for columns in _without_gaps(numbers):
        rows = columns.dropna().index
        if len(rows) < _FEWEST_ROWS or columns.shape[1] < 2:
            continue
        rows = rows if len(rows) <= _ROWS else rows[drawn_rows(len(rows), _ROWS)]
        X, y = columns.loc[rows].to_numpy(np.float64), target.loc[rows].to_numpy(np.float64)
        names = [str(name) for name in columns.columns]
        equation = _equation(X, y, names, product=False)
        positive = np.flatnonzero((X > 0).all(axis=0))
        if equation is None and (y > 0).all() and len(positive) > 1:
            equation = _equation(X[:, positive], y, [names[place] for place in positive.tolist()], product=True)
        if equation is not None:
            said = f"{equation} = {target.name} in all of {len(rows)} rows, but for rounding"
            return [Leak(equation.names, said, code=checks.TOGETHER.code)]
        equation, share = _equation_of_most(X, y, names)
        if equation is not None:
            held = f"in {percent(share)} of {len(rows)} rows, to the last digit"
            said = f"{equation} = {target.name} {held}"
            return [Leak(equation.names, said, evidence={"share of the rows": share}, code=checks.TOGETHER.code)]
    return []


def _without_gaps(numbers: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """The columns without gaps, and then all that have a value in most rows: their complete rows are searched."""
    gaps = numbers.isna().mean()
    yield numbers.loc[:, gaps == 0]
    if (gaps > 0).any():
        yield numbers.loc[:, gaps < 0.5]


def _equation(X: Numbers, y: Numbers, names: Sequence[str], *, product: bool) -> _Equation | None:
    """The equation of the fewest columns, if there is one."""
    order = np.random.default_rng(0).permutation(len(y))
    fitted, tested = order[::2], order[1::2]
    varies = np.flatnonzero(X[fitted].std(axis=0) > 0)
    if len(varies) < 2:
        return None
    X, names = X[:, varies], [names[place] for place in varies.tolist()]
    units = np.array([_unit(column) for column in X.T])
    inputs, wanted = (np.log(X), np.log(y)) if product else (X, y)
    for columns in sorted(_supports(inputs[fitted], wanted[fitted]), key=len):
        design = np.column_stack([inputs[:, columns], np.ones(len(y))])
        weights = np.linalg.lstsq(design[fitted], wanted[fitted])[0]
        given = np.exp(design @ weights) if product else design @ weights
        slope = given[:, None] / X[:, columns] if product else 1.0
        rounding = (np.abs(weights[:-1] * slope) * units[columns]).sum(axis=-1)
        allowed = (np.broadcast_to(rounding, y.shape) + _unit(y)) / 2
        if _holds(given[tested], y[tested], allowed[tested]) and _holds(given, y, allowed):
            places = columns.tolist()
            return _Equation(tuple(names[place] for place in places), tuple(weights[:-1]), float(weights[-1]), product)
    return None


def _equation_of_most(X: Numbers, y: Numbers, names: Sequence[str]) -> tuple[_Equation | None, float]:
    """A sum that is the target in most rows, and in which share of them.

    Of sums through as few rows as there are weights, drawn again and again, the one that meets most rows (RANSAC,
    Fischler and Bolles 1981), fitted again to the rows that it meets. Equal rows count once, so that rows of zeros
    alone are no equation.
    """
    varies = np.flatnonzero(X.std(axis=0) > 0)
    if not 2 <= len(varies) <= min(_MOST_ADDED, len(y) // _ROWS_A_COLUMN):
        return None, 0.0
    different = np.unique(np.column_stack([X[:, varies], y]), axis=0)
    different = different[np.random.default_rng(0).permutation(len(different))]
    fitted, tested = different[::2], different[1::2]
    if len(fitted) < max(_FEWEST_ROWS // 2, _ROWS_A_COLUMN * len(varies) // 2):
        return None, 0.0
    exact, draws = _EXACT * float(different[:, -1].std()), np.random.default_rng(0)
    met = np.zeros(len(fitted), dtype=np.bool_)
    for _ in range(_MOST_FITS):
        drawn = draws.choice(len(fitted), fitted.shape[1], replace=False)
        met = max(met, _missed(fitted, _fit(fitted[drawn])) <= exact, key=np.count_nonzero)
    if met.mean() < _MOST_ROWS / 2:
        return None, 0.0
    weights = _fit(fitted[met])
    if (_missed(tested, weights) <= exact).mean() < _MOST_ROWS:
        return None, 0.0
    needed = np.flatnonzero(np.abs(weights[:-1]) * different[:, :-1].std(axis=0) > _LEAST_WEIGHT * exact / _EXACT)
    if len(needed) < 2:
        return None, 0.0
    found = tuple(names[varies[place]] for place in needed)
    share = float((_missed(np.column_stack([X[:, varies], y]), weights) <= exact).mean())
    return _Equation(found, tuple(weights[needed]), float(weights[-1]), product=False), share


def _fit(rows: Numbers) -> Numbers:
    """The weights of all columns but the last, and the constant, that give the last by least squares."""
    design = np.column_stack([rows[:, :-1], np.ones(len(rows))])
    return np.asarray(np.linalg.lstsq(design, rows[:, -1])[0], dtype=np.float64)


def _missed(rows: Numbers, weights: Numbers) -> Numbers:
    missed: Numbers = np.abs(rows[:, :-1] @ weights[:-1] + weights[-1] - rows[:, -1])
    return missed


def _supports(X: Numbers, y: Numbers) -> Iterator[NDArray[np.intp]]:
    """The columns that may give `y`: those that a fit to all columns needs, and the first of a greedy search."""
    from sklearn.linear_model import orthogonal_mp

    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = (y - y.mean()) / (y.std() or 1.0)
    if 2 * X.shape[1] <= len(y):
        needed = np.flatnonzero(np.abs(np.linalg.lstsq(X, y)[0]) > _LEAST_WEIGHT)
        if 2 <= len(needed) <= _MOST_COLUMNS:
            yield needed
    steps = min(_MOST_STEPS, X.shape[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # it ends early where columns depend on each other
        path = orthogonal_mp(X, y, n_nonzero_coefs=steps, return_path=True)
    for number in range(1, path.shape[-1]):
        yield np.flatnonzero(path[:, number])


def _holds(given: Numbers, y: Numbers, rounding: Numbers) -> bool:
    """Whether `given` is y to the last digit."""
    missed, spread = np.abs(given - y), float(np.var(y))
    unexplained = float(np.mean(missed**2)) / spread if spread else 1.0
    return unexplained <= _EXACT**2 or bool(
        unexplained <= _UNEXPLAINED and (missed <= rounding * (1 + 1e-6) + _EXACT * np.abs(y)).all()
    )


def _unit(values: Numbers) -> float:
    """The last decimal that the values have, 0 for values of more than nine decimals."""
    for decimals in range(_DECIMALS + 1):
        if np.allclose(values, np.round(values, decimals), rtol=1e-12, atol=1e-12):
            return float(10.0**-decimals)
    return 0.0
