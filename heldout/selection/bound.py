"""The bound on the error of the candidate that was chosen by its hold-out error.

METHOD, section 2; Abu-Mostafa, Learning From Data, lecture 13.
"""

from heldout.intervals import hoeffding
from heldout.losses import Loss
from heldout.records import Estimate


def bound_of(held_out: Estimate, loss: Loss, models: int, level: float) -> float | None:
    """The bound on the error of the winner's g-, from its E_val; None for a loss that may pass 1."""
    return selection_bound(held_out.value, held_out.n_tested, models, level) if loss.bounded else None


def selection_bound(holdout_error: float, n_validation: int, models: int, level: float) -> float:
    """The upper bound on the error of a g- chosen among M models, with probability >= level.

    E_out <= E_val + sqrt(ln(M / (1 - level)) / (2 K)): Hoeffding for a loss in [0, 1] and the union
    bound (METHOD, section 2). `models` is the number of candidates ever compared on these labels.
    """
    return holdout_error + hoeffding.upper_reach(n_validation, 1 - level, models)
