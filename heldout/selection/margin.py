"""Whether a difference of errors matters: a word for each comparison, by a margin that a user states.

With the interval [low, high] of the error of a candidate less that of another, and a margin m > 0, the candidate is

    better     if high < -m: it errs less by more than the margin;
    worse      if low > m: it errs more by more than the margin;
    alike      if -m <= low and high <= m: the two differ by the margin at most (practical equivalence);
    undecided  else, and where there is no interval.

Claim. Where an interval holds the difference, its word is true. The intervals of the winner against all others hold
together with probability `level` (`heldout.selection.comparison`), so with probability `level` no word about it is
wrong; the same is true of those about the baseline. Nothing more is paid for words of four kinds, nor for the two sides
of `alike`: equivalence is shown by two one-sided tests, each at its full level, since only one of both borders can be
passed (D. J. Schuirmann, J. Pharmacokinetics and Biopharmaceutics 15, 1987; D. Lakens, Social Psychological and
Personality Science 8, 2017). They are those of an interval of level 1 - 2 alpha, and these have a higher one.

`alike` is said of intervals that are short, and short are those of candidates that differ on few rows, too. So where
the limit L of a loss is known, or its values by class, it is said of an interval that counts z^2 rows more on which the
two differ by L (`heldout.selection.paired_differences`): two candidates whose losses are equal on all n rows are alike
by no margin below L z^2 / n. Where rows depend, n is the number of groups or batches. Losses without a known limit have
no such guard: two candidates whose losses are equal on every row are alike, whatever they do on rows that did not come
up.
"""

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any, Literal

from heldout.errors import BadArgument
from heldout.fits import baseline
from heldout.losses import Loss
from heldout.losses.amounts import as_margin, margin_text, margin_unit, of_margin
from heldout.schemes.design import Design
from heldout.schemes.set_metrics import cross_validated_by

Word = Literal["better", "worse", "alike", "undecided"]
WORDS: Sequence[Word] = ("better", "worse", "alike", "undecided")


def word(low: float | None, high: float | None, margin: float, *, close: bool = True) -> Word:
    """The word for a difference between `low` and `high`, None without an interval, in the units of `margin`.

    Without `close` it is not alike: too few rows tell the two apart.
    """
    if low is None or high is None:
        return "undecided"
    if high < -margin:
        return "better"
    if low > margin:
        return "worse"
    return "alike" if close and -margin <= low and high <= margin else "undecided"


def checked(margin: Any, loss: Loss) -> float | None:
    """A margin in units of the `loss`, from one as people write it: in percentage points where errors are in percent.

    None for None. Raises BadArgument for what is no number above 0, and for one that no difference can pass.
    """
    if margin is None:
        return None
    number = isinstance(margin, Real) and not isinstance(margin, bool)
    unit = margin_unit(loss)
    if not number or not 0 < float(margin) < math.inf:
        raise BadArgument("margin", f"margin is {margin!r}; it must be a finite number above 0, in {unit}, or None")
    found = of_margin(float(margin), loss)
    if found >= loss.limit:
        raise BadArgument(
            "margin",
            f"margin is {margin:g}, in {unit}; it must be below {as_margin(loss.limit, loss):g}, which no difference "
            "can pass",
        )
    return found


def check_matters(margin: float | None, design: Design, estimate: str = "E_cv") -> None:
    """Raise BadArgument for a margin by which a candidate without any error would be alike to the baseline.

    Most such margins are in another unit than was meant. `estimate` is that of the differences; of 1 - a metric there
    is no such check. Makes no fit.
    """
    if margin is None:
        return
    if not {"E_cv", *design.set_metrics} & {*design.estimates}:
        raise BadArgument(
            "margin",
            f"margin is {margin_text(margin, design.loss)}, but there are differences of E_cv alone, which is not "
            "computed; estimates must contain it",
        )
    if estimate in design.set_metrics or estimate not in design.estimates:
        return
    of_baseline = cross_validated_by(design, baseline.evidence(design), estimate).error
    if margin >= of_baseline:
        raise BadArgument(
            "margin",
            f"margin is {margin_text(margin, design.loss)}, but the best constant answer errs "
            f"{as_margin(of_baseline, design.loss):.4g}: a candidate that errs nowhere would be alike to it; state a "
            "smaller one",
        )
