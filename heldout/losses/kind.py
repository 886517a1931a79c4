"""A kind of loss: its name in params.yaml, the targets that it judges, and how it is made for a target."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from heldout.losses.loss import Loss


@dataclass(frozen=True, eq=False)
class Target:
    """The labelled rows that a loss is made for: labels `y`, several as records, and `weights`, both of shape (N,).

    `called` is the name of the target in messages.
    """

    y: NDArray[np.generic]
    weights: NDArray[np.float64] | None = None
    called: str = "y"


@dataclass(frozen=True)
class LossParameter:
    """The value in {name: value}, for a loss that takes a value.

    `values` says what it may be, `says` describes it, `written` shows it in a message and `sample` is a value for a
    target of the classes 1 and 2. `check` raises BadArgument for a value that is not allowed. `default` is the value
    if the name stands alone; None if the name may not stand alone.
    """

    values: Literal["fraction", "costs"]
    says: str
    written: str
    sample: Any
    check: Callable[[Any], None]
    default: Any = None


@dataclass(frozen=True)
class LossKind:
    """One line of the registry of losses.

    `make` returns the loss for a target and the value of its parameter (None without a parameter). `refuses` returns
    why the loss cannot judge a target, and None for a target that it can: `choose_loss` raises BadArgument with that
    reason, so before any fit. A row may have several labels if the loss is `by_label`: it is then the mean over the
    labels (`heldout.losses.several`), and `make` reads no labels. `bound` says in words what E_dis is for a
    disagreement d, `pair_bound` what two hypotheses err on average at least. `metrics` are what others compare by where
    the mean of this loss puts candidates in the same order, each with its other names.
    """

    name: str
    targets: Literal["classes", "numbers"]
    make: Callable[[Target, Any], Loss]
    bound: str = "none"
    pair_bound: str = "none"
    parameter: LossParameter | None = None
    refuses: Callable[[Target], str | None] | None = None
    by_label: bool = False
    metrics: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def alone(self) -> bool:
        """Whether the name may stand alone, without a value."""
        return self.parameter is None or self.parameter.default is not None

    @property
    def written(self) -> str:
        """How params.yaml names the loss."""
        return self.name if self.parameter is None else f"{{{self.name}: {self.parameter.written}}}"

    @property
    def sample(self) -> Any:
        """A value of `loss` in params.yaml, for a target of the classes, or the numbers, 1 and 2."""
        return self.name if self.parameter is None else {self.name: self.parameter.sample}
