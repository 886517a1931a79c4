"""The bound on the error of the candidate that was chosen: above its g-'s error with probability >= level.

Of M candidates that are fixed beforehand, each has a one-sided upper limit that its error passes with chance delta / M
at most, delta = 1 - level. So with chance delta at most any of them does (union bound), the chosen one too, whatever
the rule of the choice and however alike the candidates are. For losses of 0 and 1, or 0 and L, the limit is Clopper and
Pearson's, for other losses of known limit L that of a bettor, each on loss / L, times L. Hoeffding's limit needs no
more than the mean, and is wider for rare errors: it is E_val + L sqrt(ln(M / delta) / (2 K)).

That is a theorem, and the bound. A sharper figure stands next to it, `joint`: of the M candidates, m may have their K
losses of 0 and 1 at hand, those of one run. Their limits together may then be passed with chance delta m / M, at the
common level that their correlation allows (`heldout.selection.joint_level`), and the limits of the M - m others with
chance delta / M each. It is approximate, since the correlation is estimated, and never above the bound.

J. Langford, Tutorial on practical prediction theory for classification (J. Mach. Learn. Res. 6, 2005), section 3;
METHOD, section 2; Abu-Mostafa, Learning From Data, lecture 13.
"""

from dataclasses import dataclass

from heldout.errors import BadArgument
from heldout.intervals import betting, clopper_pearson, hoeffding
from heldout.intervals.method import check_level
from heldout.losses import Losses
from heldout.losses.tested_losses import Tested, in_units_of_limit
from heldout.selection.joint_level import joint_level


@dataclass(frozen=True)
class SelectionBound:
    """The bound, the name of the interval method whose one-sided limit it is, and the bound of Hoeffding's.

    `joint` is the sharper figure that holds approximately; None where there is none, or it is equal to the bound.
    """

    value: float
    method: str
    hoeffding: float
    joint: float | None = None


def selection_bound(
    held_out: Tested, models: int, level: float, compared: Losses | None = None
) -> SelectionBound | None:
    """The bound on the error of a g- chosen among `models`, from its K held-out losses.

    `models` is the number of candidates ever compared on these labels; `compared`, shape (K, m), are the losses of some
    of them on the same rows, with those of the chosen one. None for a loss without a known limit, and for rows that
    depend on one another. Raises BadArgument for a level outside (0, 1), less than 1 model, or a loss above a limit
    that was stated.
    """
    check_level(level)
    if models < 1:
        raise BadArgument("models", f"models is {models}; it must be at least 1")
    if not held_out.loss.bounded or held_out.cluster is not None:
        return None
    loss, limit = held_out.loss, held_out.loss.limit
    two_values = loss.binary or loss.two_valued
    method = clopper_pearson if two_values else betting
    seen, delta = in_units_of_limit(held_out), (1 - level) / models
    value = max(limit * method.upper_limit(seen, delta), held_out.error)
    joint = None
    if compared is not None and two_values:
        # learners that are alike count once among the models
        together = joint_level(compared / limit, delta * min(compared.shape[1], models), held_out.seed)
        sharper = max(limit * clopper_pearson.upper_limit(seen, together), held_out.error)
        joint = sharper if sharper < value else None
    reach = limit * hoeffding.upper_reach(held_out.n, 1 - level, models)
    return SelectionBound(value, method.METHOD.name, held_out.error + reach, joint)
