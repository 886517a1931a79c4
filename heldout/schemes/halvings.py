"""How many halvings co-validation makes where nobody names a number: enough that their drawing is little of the noise.

The mean of a candidate's half models over R random halvings is noisy because the rows are a sample, and because the
halvings are drawn. Given the rows, the halvings are independent draws, so that s_R^2 / R is an unbiased estimate of the
variance that they add, s_R^2 the sample variance of the R means (P. W. Glynn, W. Whitt, The asymptotic validity of
sequential stopping rules for stochastic simulations, Ann. Appl. Probab. 2, 1992, for rules that stop by it). The rule,
which is fixed before the first label is looked at:

- After the first of `looks` the share (s_R^2 / R) / V is computed for E_2cv of each candidate; V is the variance that
  its interval has (`heldout.intervals.two_way_wilson`). If it is at most a tenth for every candidate, no more are made.
- Else R times the largest share, over a tenth, says how many are needed, and the next look is at the first number of
  `looks` that is as large, the last if none is.
- At the last look no more are made, whatever the shares are.

All candidates have the same halvings: differences of their errors are then of the same rows in the same halves. The
rule looks at the labelled rows alone, so that unlabelled rows, which may be many, are compared once. Rows in time have
no E_2cv: their halvings are the most. Seven degrees of freedom at the first look make the share uncertain by half of
itself; V counts s_R^2 / R in full, so that the interval stays wide where the share was underestimated.
The subsamples of E_cv have no such rule: their drawing is 26 % of the variance at 25 of them, and a tenth only at 81.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from heldout.intervals.two_way_wilson import variance
from heldout.losses.tested_losses import RepeatedByRow
from heldout.schemes import SchemeName

Repeats = int | Literal["auto"]  # so many halvings, or as many as the rule makes

HALVES: SchemeName = "covalidation"  # the scheme whose fits they are, two for each
SHARE = 0.1  # of the variance, that the drawing of the halvings may make
_LOOKS = (8, 12, 18)
_FEW_ROWS = 600  # up to which many halvings are cheap, and needed
_MOST, _MOST_OF_MANY_ROWS = 30, 10  # the numbers of docs/coverage.md


@dataclass(frozen=True)
class Halvings:
    """How many halvings were `made`, of at most `most`, and the largest share that their drawing has, with its owner.

    `share` is None, and `candidate` empty, for rows in time, which have no E_2cv.
    """

    made: int
    most: int
    share: float | None = None
    candidate: str = ""

    @property
    def says(self) -> str:
        """Why no more were made."""
        if self.share is None:
            return "the most, since rows in time have no E_2cv by which fewer could be judged"
        of_whole = f"{100 * self.share:.2g} % of the variance of E_2cv"
        if self.share <= SHARE:
            return f"no more, since their drawing is at most {of_whole} of any candidate"
        return f"the most, though their drawing is {of_whole} of {self.candidate}"


def most(rows: int) -> int:
    """The most halvings of so many labelled rows."""
    return _MOST if rows <= _FEW_ROWS else _MOST_OF_MANY_ROWS


def looks(rows: int) -> tuple[int, ...]:
    """The numbers of halvings after which the shares are looked at, ascending."""
    return (*(look for look in _LOOKS if look < most(rows)), most(rows))


def drawing_share(observed: RepeatedByRow) -> float:
    """(s_R^2 / R) / V for R >= 2; 0 where nothing varies, and infinite where a loss is too large to be squared."""
    repeats = observed.by_repeat
    of_halvings, whole = float(np.var(repeats, ddof=1)) / len(repeats), variance(observed)
    if whole == 0:
        return 0.0
    share = of_halvings / whole
    return share if math.isfinite(share) else math.inf


def after_look(observed: Mapping[str, RepeatedByRow], made: int, rows: int) -> tuple[Halvings, int | None]:
    """What is known after `made` halvings of `rows` rows, one of `looks`, and the next look; None to make no more.

    `observed` are the losses of E_2cv of each candidate in these halvings.
    """
    shares = {name: drawing_share(of) for name, of in observed.items()}
    worst = max(shares, key=shares.__getitem__)
    found = Halvings(made, most(rows), shares[worst], worst)
    further = [look for look in looks(rows) if look > made]
    if not further or shares[worst] <= SHARE:
        return found, None
    needed = made * shares[worst] / SHARE
    return found, next((look for look in further if look >= needed), further[-1])
