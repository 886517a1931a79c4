"""The baseline: the best constant answer, estimated on the same splits as the candidates.

It answers the same for every row, from the labels of its training rows alone: what is best by the loss
(`heldout.losses.constant`). A learner that does not beat it has learned nothing from the features. It has the intervals
of the candidates, cannot win, and does not count among them: not for a bound, nor for a correction of the choice.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from heldout.fits.metric_terms import of_constant
from heldout.fits.training_labels import SplitLabels
from heldout.losses import Loss, Losses
from heldout.schemes import SchemeName, holdout
from heldout.schemes.design import Design, Evidence
from heldout.splits.split import Rows, Split, SplitLosses, tested_rows, tested_sizes
from heldout.splits.weights import Weights

NAME = "baseline"
SCHEME_OF: Mapping[str, SchemeName] = {"E_val": "holdout", "E_cv": "cross_validation"}  # of its estimates
_CELLS = 8_000_000  # of answers at once: 64 MB


class Labelled(Protocol):
    """Labelled rows: their labels, of shape (N,), the loss that judges them, and their weights."""

    @property
    def y(self) -> NDArray[np.generic]: ...

    @property
    def loss(self) -> Loss: ...

    @property
    def weights(self) -> Weights | None: ...


def reserved(what: str) -> str:
    """Why no candidate may be called so, for a message that begins with `what`."""
    return f"{what} {NAME!r}, which is the name of the best constant answer in every table; take another name"


def evidence(design: Design) -> Evidence:
    """The losses behind E_val and E_cv, and behind their intervals, as far as the design asks for them."""
    wanted = [scheme for estimate, scheme in SCHEME_OF.items() if estimate in design.estimates]
    if design.set_metrics and "cross_validation" not in wanted:
        wanted.append("cross_validation")
    if "E_cv" in design.estimates and design.further_for_e_cv is not None:
        wanted.append(design.further_for_e_cv)
    if "E_val" in design.estimates and design.methods["E_val"].needs_cv and "cross_validation" not in wanted:
        wanted.append("cross_validation")
    terms: dict[str, dict[SchemeName, list[Losses]]] = {name: {} for name in design.set_metrics}
    for scheme in wanted:
        for name, of in of_constant(design, scheme).items():
            terms[name][scheme] = of
    return Evidence({scheme: _scheme_losses(design, scheme) for scheme in wanted}, terms=terms)


def evidence_of_all(design: Design, schemes: Iterable[SchemeName]) -> Evidence:
    """The losses of the best constant of all labelled rows, whichever rows each split trains on, without its terms."""
    losses: dict[SchemeName, SplitLosses] = {}
    for scheme in schemes:
        splits = design.splits(scheme)
        rows = tested_rows(splits)
        of_rows = final_losses(design, design.y[rows])
        losses[scheme] = SplitLosses(of_rows, tested_sizes(splits))
    return Evidence(losses)


def final_losses(labelled: Labelled, y: NDArray[np.generic]) -> Losses:
    """The losses of the best constant of all labelled rows at the labels `y`, shape (n,)."""
    return _losses(labelled, [holdout.final_split(len(labelled.y))], np.zeros(len(y), dtype=np.intp), y)


def _scheme_losses(design: Design, scheme: SchemeName) -> SplitLosses:
    splits = design.splits(scheme)
    rows, sizes = tested_rows(splits), tested_sizes(splits)
    losses = _losses(design, splits, np.repeat(np.arange(len(splits)), sizes), design.y[rows])
    return SplitLosses(losses, sizes)


def _losses(labelled: Labelled, splits: Sequence[Split], number: Rows, y: NDArray[np.generic]) -> Losses:
    """The losses at labels `y`, shape (n,), of the best constants of the splits `number`, shape (n,)."""
    weights = (
        np.ones(len(labelled.y)) if labelled.weights is None else labelled.weights.relative
    )  # 1 where all are equal
    answers: NDArray[Any] = labelled.loss.constant.answers(SplitLabels(labelled.y, weights, splits))
    at_once = max(_CELLS * len(answers) // answers.size, 1)
    pieces = [slice(first, first + at_once) for first in range(0, len(y), at_once)]
    return np.concatenate([labelled.loss.pointwise(y[piece], answers[number[piece]]) for piece in pieces])
