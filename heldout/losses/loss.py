"""What every loss is: its name, what it asks of a hypothesis, its range, and what a disagreement says about it."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from heldout.errors import BadArgument
from heldout.losses.constant import Constant

Losses = NDArray[np.float64]
Classes = NDArray[np.generic]
Needs = Literal["class", "probabilities", "number"]
_ROUNDING = 1e-9  # how far a loss may pass its limit, as a share of it


@dataclass(frozen=True)
class Loss:
    """A named pointwise loss: labels of shape (n,) and answers in, values of shape (n,), not negative, out.

    Parameters
    ----------
    name : str
        Its name in `params.yaml` and in messages.
    pointwise : callable
        The loss of labels and answers, row by row.
    constant : Constant
        The best constant answer.
    limit : float
        What no value passes; infinity where none is known.
    binary : bool
        Whether every value is 0 or 1. Neither says that the target holds classes: `of_classes` does.
    needs : {"class", "probabilities", "number"}
        What a hypothesis answers with: a class or a number, of `predict`, shape (n,), or the probabilities of
        `classes`, of `predict_proba`, shape (n, C).
    classes : array of shape (C,), optional
        The classes whose probabilities are needed, ascending.
    disagreement_loss : Loss, optional
        The loss that compares the answers of two hypotheses; None where no disagreement is admitted.
    pair_factor : float, optional
        What two hypotheses err on average at least, over their disagreement
        (`heldout.unlabelled.implied_error.least_mean_error`); None where no bound is admitted.
    bound_factor : float, optional
        What E_dis takes of the disagreement (`heldout.unlabelled.implied_error.error_bound`); None where no bound is
        admitted.
    no_bound : str
        Why no bound is admitted.
    says : str
        What the loss is, for reports.
    power : int
        The power of the target's unit in which the loss is measured; 0 if it has no unit. People read the root of a
        mean of power 2 (`heldout.losses.amounts.shown`).
    mean_called : str
        What people call its mean, or the root of it; empty where it has no name of its own.
    two_valued : bool
        Whether every value is 0 or the limit; where these are 0 and 1, `binary` says so too.
    limit_is_stated : bool
        Whether the limit is a statement of the user (`limited`), which a loss may refute.
    counts : {"rows", "classes"}, optional
        For a loss whose value follows from the right class and the class answered: whether its mean counts the rows as
        they come, or every class alike. None where the values of a row are not known (`heldout.losses.cells`).
    weighted : bool
        Whether rows count by weights, so that an error is a ratio (`heldout.splits.weights`). What a row adds to it
        then has no limit, whatever that of the loss is.
    labels : int
        How many labels a row has. Several are records, and so are the answers (`heldout.several_labels`).

    Examples
    --------
    >>> from heldout.losses import ZERO_ONE
    >>> ZERO_ONE.pointwise(["a", "b"], ["a", "a"])
    array([0., 1.])
    >>> ZERO_ONE.limit, ZERO_ONE.binary, ZERO_ONE.needs
    (1.0, True, 'class')
    """

    name: str
    pointwise: Callable[[ArrayLike, ArrayLike], Losses]
    constant: Constant = field(compare=False)
    limit: float
    binary: bool
    needs: Needs = "number"
    classes: Classes | None = field(default=None, compare=False)
    disagreement_loss: "Loss | None" = None
    pair_factor: float | None = None
    bound_factor: float | None = None
    no_bound: str = ""
    says: str = field(default="", compare=False)
    power: int = 0
    mean_called: str = ""
    two_valued: bool = False
    limit_is_stated: bool = False
    counts: Literal["rows", "classes"] | None = None
    labels: int = 1
    weighted: bool = False

    @property
    def bounded(self) -> bool:
        """Whether a limit is known of what a row adds to the error."""
        return math.isfinite(self.limit) and not self.weighted

    @property
    def of_classes(self) -> bool:
        """Whether the target holds classes, which parts may be stratified by."""
        return self.needs != "number"

    def scale(self, target: str) -> str:
        """In which numbers people read its means, for a target called `target`."""
        if self.binary:
            return "errors in percent"
        return f"{self.shown_as}, in units of {target}" if self.power else self.shown_as

    @property
    def shown_as(self) -> str:
        """What people read of its mean: RMSE, MAE, or the mean by the name of the loss."""
        return self.mean_called or f"{'root ' if self.power == 2 else ''}mean {self.name} loss"

    def share(self, error: float, baseline: float) -> str:
        """R^2 = 1 - error / baseline's error, of a mean squared loss; empty for another loss."""
        return f"R² {1 - error / baseline:.2f}" if self.power == 2 and baseline > 0 else ""

    def compared_by(
        self, disagreement_loss: "Loss", *, pair_factor: float | None, bound_factor: float | None, no_bound: str = ""
    ) -> "Loss":
        """The same loss with a disagreement."""
        return replace(
            self,
            disagreement_loss=disagreement_loss,
            pair_factor=pair_factor,
            bound_factor=bound_factor,
            no_bound=no_bound,
        )

    def with_weights(self, *, drawn: bool = False) -> "Loss":
        """The same loss where rows count by weights.

        A disagreement is taken on unlabelled rows, which have no weights. What it implies is about another population
        than the weights describe, and no bound is admitted; but the rows that were not `drawn` with known probabilities
        (`heldout.unlabelled.label_next`) are those of the same population.
        """
        if drawn:
            return replace(self, weighted=True, counts=None)
        reason = self.no_bound or "labelled rows are weighted, and the weights of unlabelled rows are not known"
        return replace(self, weighted=True, counts=None, pair_factor=None, bound_factor=None, no_bound=reason)

    def limited(self, limit: float) -> "Loss":
        """The same loss with the limit that a user states (`loss_max`). Raises BadArgument where a limit is known."""
        check_limit(limit)
        if self.bounded:
            raise BadArgument(
                "loss_max",
                f"loss_max is {limit:g}, but no {self.name} loss of this target is above {self.limit:g}: its limit "
                "is known; leave out loss_max",
            )
        return replace(self, limit=float(limit), limit_is_stated=True)

    def check_losses(self, losses: Losses, rows: NDArray[np.intp], whose: str) -> None:
        """Raise BadArgument if one of the `losses`, shape (n,), of these `rows` refutes the limit that was stated."""
        if not self.limit_is_stated or not len(losses) or losses.max() <= self.limit * (1 + _ROUNDING):
            return
        place = int(losses.argmax())
        raise BadArgument(
            "loss_max",
            f"loss_max is {self.limit:g}, but the {self.name} loss of {whose} is {losses[place]:g} at row "
            f"{rows[place]}; state a limit that no answer to any row can pass, cut the answers to the range of the "
            "target, or leave out loss_max",
        )


def check_limit(limit: Any) -> None:
    """Raise BadArgument unless `limit` is a number that may be stated as the limit of a loss."""
    number = isinstance(limit, Real) and not isinstance(limit, bool)
    if not number or not 0 < limit < math.inf:
        raise BadArgument("loss_max", f"loss_max is {limit!r}; it must be a finite number above 0")


def places(labels: ArrayLike, classes: Classes) -> NDArray[np.intp]:
    """The place of each label, shape (n,), among the ascending `classes`; -1 for a label that is not among them."""
    labels = np.asarray(labels)
    place = np.searchsorted(classes, labels)
    place = np.minimum(place, len(classes) - 1)
    return np.where(classes[place] == labels, place, -1)


def difference(y: ArrayLike, predicted: ArrayLike) -> Losses:
    """The answer less the label, as numbers."""
    less: Losses = np.asarray(predicted, dtype=np.float64) - np.asarray(y, dtype=np.float64)
    return less
