"""What every loss is: its name, what it asks of a hypothesis, its range, and what a disagreement says about it."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Losses = NDArray[np.float64]
Classes = NDArray[np.generic]
Needs = Literal["class", "probabilities", "number"]


@dataclass(frozen=True)
class Loss:
    """A named pointwise loss of labels, shape (n,), and answers; its values have shape (n,) and are not negative.

    `needs` is what a hypothesis answers with: a class or a number, of `predict`, shape (n,), or the
    probabilities of `classes`, shape (n, C), of `predict_proba`. `bounded` says that the loss lies in
    [0, 1], `binary` that it is 0 or 1. Neither says that the target holds classes: `of_classes` does.

    `disagreement_loss` is the loss that compares two hypotheses' answers, their disagreement, None where none is
    admitted; `bound_factor` is what E_dis takes of it (`heldout.covalidation.error_bound`), None where no
    bound is admitted, and `no_bound` then says why. `says` describes the loss, for reports.
    """

    name: str
    pointwise: Callable[[ArrayLike, ArrayLike], Losses]
    bounded: bool
    binary: bool
    needs: Needs = "number"
    classes: Classes | None = field(default=None, compare=False)
    disagreement_loss: "Loss | None" = None
    bound_factor: float | None = None
    no_bound: str = ""
    says: str = field(default="", compare=False)

    @property
    def of_classes(self) -> bool:
        """Whether the target holds classes: parts are then stratified."""
        return self.needs != "number"

    def compared_by(self, disagreement_loss: "Loss", bound_factor: float | None, no_bound: str = "") -> "Loss":
        """The same loss with a disagreement."""
        return replace(self, disagreement_loss=disagreement_loss, bound_factor=bound_factor, no_bound=no_bound)

    def weighted(self) -> "Loss":
        """The same loss where each row's counts a number of times (`heldout.weights`): it may pass any limit.

        A disagreement is that of unlabelled rows, which have no weights. E_dis would bound the error of another
        population than the one that the weights speak of, and is not admitted.
        """
        reason = self.no_bound or "labelled rows are weighted, and the weights of unlabelled rows are not known"
        return replace(self, bounded=False, binary=False, bound_factor=None, no_bound=reason)

    def refuses(self, estimate: str) -> str | None:
        """Why the loss does not admit `estimate`; None where it does."""
        lacking = {"disagreement": self.disagreement_loss, "E_dis": self.bound_factor, "E_maxdt": self.bound_factor}
        return self.no_bound if estimate in lacking and lacking[estimate] is None else None


def places(labels: ArrayLike, classes: Classes) -> NDArray[np.intp]:
    """The place of each label, shape (n,), among the ascending `classes`; -1 for one that is not among them."""
    labels = np.asarray(labels)
    found = np.searchsorted(classes, labels)
    found = np.minimum(found, len(classes) - 1)
    return np.where(classes[found] == labels, found, -1)
