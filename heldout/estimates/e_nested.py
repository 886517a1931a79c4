"""E_nested: the error of the whole selection, repeated inside the training rows of each fold."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from heldout.estimates.definition import Definition
from heldout.estimates.e_cv import BY_FOLDS
from heldout.intervals import corrected_fold_t, corrected_fold_wilson
from heldout.intervals.method import Default, estimate_with
from heldout.losses.ratio import error_of, weighed
from heldout.losses.tested_losses import CrossValidated
from heldout.records import Estimate
from heldout.schemes.design import Design, Evidence, held_out_losses, mean_fold_training_size
from heldout.selection import nested_selection

if TYPE_CHECKING:
    from heldout.selection.selection import Selection

_NO_FIT = "it needs no fit beyond the fits of E_nested"


def of_winner(design: Design, evidence: Mapping[str, Evidence], _selection: "Selection | None") -> Estimate:
    """Under the name of the candidate of the least E_cv, ties to the first."""
    losses = np.stack([held_out_losses(design, of)[1] for of in evidence.values()])
    weights, fold = design.weights_of(), design.partition.fold
    winner = list(evidence)[int(np.argmin([error_of(of_one, weights) for of_one in losses]))]
    outer = weighed(nested_selection.outer_losses(losses, winners(design, evidence), fold), weights)
    seen = CrossValidated(outer, design.loss, design.seed, design.dependence.group, fold=fold, weights=weights)
    target, method = nested_selection.TARGET, design.methods["E_nested"]
    return estimate_with(winner, "E_nested", seen, target, mean_fold_training_size(design), method, design.level)


def winners(design: Design, evidence: Mapping[str, Evidence]) -> list[int]:
    """The place of the candidate that wins inside each fold's training rows, a number for each fold."""
    further = design.further("fold_pairs")
    pairs = np.stack([further.fields(of.losses["fold_pairs"])["pair_losses"] for of in evidence.values()])
    return nested_selection.inner_winners(pairs, design.weights_of())


ESTIMATE = Definition(
    name="E_nested",
    meaning="The error of the whole procedure, choice included, by a selection inside the training rows of each fold.",
    about="the hypotheses that a selection inside of each fold's training rows delivers",
    trained_on="N - N/k",
    kind="error",
    column=110,
    scheme="cross_validation",
    further=("fold_pairs",),
    of_winner=of_winner,
    default=Default(corrected_fold_wilson.METHOD, corrected_fold_t.METHOD, _NO_FIT, _NO_FIT),
    valid={"groups": BY_FOLDS},
    in_time=False,
    on_request=True,
    after_the_choice="the error of what the whole selection delivers, by a selection inside the training rows of each "
    "fold",
)
