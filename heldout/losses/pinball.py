"""The pinball loss of a number: least for a quantile. A hypothesis answers with `predict`."""

import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from heldout.errors import BadArgument, is_fraction
from heldout.losses.absolute import DISTANCE
from heldout.losses.constant import at_quantile
from heldout.losses.kind import LossKind, LossParameter
from heldout.losses.loss import Loss, Losses, difference

_BOUND = "d/2 times the smaller of the quantile and 1 - quantile"
_MEDIAN = 0.5  # the quantile of `pinball` without a value, as in scikit-learn


def pinball(quantile: float) -> Loss:
    """q (y - f) where the answer f lies below y, (1 - q) (f - y) above: the conditional q-quantile errs least.

    As in scikit-learn's mean_pinball_loss; q = 1/2 is half of the absolute loss. Half models are compared by the
    absolute difference d, and the mean error of two given hypotheses is at least min(q, 1 - q) d / 2, at every row:
    with f1 < f2, their losses sum up to q (f2 - f1) or more where y >= f2, to (1 - q) (f2 - f1) or more where y <= f1,
    and between the two to q (y - f1) + (1 - q) (f2 - y), which lies between these two. So the expected error e is at
    least as much. No larger factor holds for all distributions: with y at f1 and f2 drawn ever more rarely, the ratio
    of e to d tends to (1 - q) / 2, and mirrored to q / 2.
    """
    says = f"{quantile:g} of what an answer is too low by, {1 - quantile:g} of what it is too high by"
    constant = at_quantile(quantile, f"the {quantile:g}-quantile")
    loss = Loss(
        "pinball", partial(_pinball, quantile=quantile), constant, limit=math.inf, binary=False, says=says, power=1
    )
    factor = min(quantile, 1 - quantile) / 2
    return loss.compared_by(DISTANCE, pair_factor=factor, bound_factor=factor)


def _pinball(y: ArrayLike, predicted: ArrayLike, *, quantile: float) -> Losses:
    above = -difference(y, predicted)
    losses: Losses = np.maximum(quantile * above, (quantile - 1) * above)
    return losses


def _check(quantile: Any) -> None:
    if not is_fraction(quantile):
        raise BadArgument("loss", f"loss.pinball is {quantile!r}; it must lie between 0 and 1, both excluded")


KIND = LossKind(
    "pinball",
    "numbers",
    make=lambda _, quantile: pinball(float(quantile)),
    bound=_BOUND,
    pair_bound=_BOUND,
    parameter=LossParameter("fraction", "the quantile", written="0.9", sample=0.9, check=_check, default=_MEDIAN),
    by_label=True,
)
