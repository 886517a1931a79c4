"""Equations that differ by a row and by a small diagonal, solved together from one inverse.

For each of n rows, (P - v v' - E) c = b, with a vector v, a diagonal E that is small, and P that all rows share. With
M = P - v v', whose inverse the formula of Sherman and Morrison gives, c = M^-1 (b + E c) is a contraction with the
factor |M^-1| |E|, and some steps of it reach the last digit: p^2 for each row and step, in place of p^3 for each row.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heldout.shortcuts.preconditions import Values

_FACTOR = 0.1  # the largest contraction factor: at most 16 steps
_LEVERAGE_LEFT = 1e-4  # the least 1 - v' P^-1 v
_LAST_DIGIT = 1e-17


@dataclass(frozen=True, eq=False)
class Solved:
    """The solutions of n equations, shape (n, p, t), where they converge: `near`, shape (n,).

    `reach`, shape (n,), is at least the norm of each inverse.
    """

    solutions: Values
    reach: Values
    near: NDArray[np.bool_]


def solved(inverse: Values, v: Values, right: Values, change: Values) -> Solved:
    """The solutions for `right`, shape (n, p, t), P^-1 = `inverse`, (p, p), and v and the diagonal `change`, (n, p)."""
    pulled = v @ inverse
    left = 1 - np.einsum("np,np->n", pulled, v)
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = float(np.linalg.norm(inverse, 2)) + np.einsum("np,np->n", pulled, pulled) / left
        factor = np.abs(change).max(axis=1, initial=0) * reach
    near = (left > _LEVERAGE_LEFT) & (factor < _FACTOR)
    pulled, v, right, change = pulled[near], v[near], right[near], change[near]
    share = pulled / left[near, None]

    def without(values: Values) -> Values:
        """M^-1 of each, shape (m, p, t)."""
        found = (values.transpose(0, 2, 1) @ inverse).transpose(0, 2, 1)
        answers: Values = found + share[:, :, None] * np.einsum("np,npt->nt", v, found)[:, None]
        return answers

    most = float(factor[near].max(initial=0))
    first = solutions = without(right)
    for _ in range(math.ceil(math.log(_LAST_DIGIT) / math.log(most)) if most > 0 else 0):
        solutions = first + without(change[:, :, None] * solutions)
    return Solved(solutions, reach[near] / (1 - factor[near]), near)
