"""Candidates compared by the mean of another loss after the fits: MAE of a call that was judged by squares."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from heldout.estimates import methods
from heldout.estimates.e_cv import estimate, of_folds_alone
from heldout.intervals import corrected_repeated_t
from heldout.learners.fitting import test
from heldout.losses import choose_loss
from heldout.losses.tested_losses import Tested
from heldout.notebook.candidate_models import CandidateModels
from heldout.notebook.compared_models import Compared
from heldout.schemes.design import Design, Evidence, cross_validated, in_time, mean_fold_training_size


def of_fits(fits: Mapping[str, CandidateModels], design: Design, models: int, named: str) -> Compared:
    """The candidates of a call by the loss called `named`, of their fold hypotheses on the rows of their folds.

    Hypotheses that a shortcut spared are fitted now. The intervals rest on the folds alone. `models` candidates were
    compared. Raises BadArgument for a loss that the target does not admit, and FitFailure for a hypothesis that does
    not answer as the loss asks.
    """
    weights, kind = design.weights, design.dependence.kind
    loss = choose_loss(
        named, design.y, None if weights is None else weights.values, drawn=weights is not None and weights.drawn
    )
    by_it, observed = replace(design, loss=loss), dict[str, Tested]()
    for name, of_candidate in fits.items():
        hypotheses, splits = of_candidate.hypotheses("cross_validation"), design.splits("cross_validation")
        losses = [
            test(hypothesis, of_candidate.X, design.y, split.validation, loss)
            for hypothesis, split in zip(hypotheses, splits, strict=True)
        ]
        evidence = Evidence({"cross_validation": losses})
        observed[name] = in_time(cross_validated(by_it, evidence), by_it, evidence)
    of_folds = corrected_repeated_t.METHOD if design.fold_repeats > 1 else of_folds_alone(loss)
    chosen = {"E_cv": of_folds.name} if kind is None else None
    method = methods.choose(chosen, loss, kind, cross_validated=False)["E_cv"]
    size, repeats = mean_fold_training_size(design), design.fold_repeats
    return Compared(
        estimates=tuple(
            estimate(name, seen, size, method, design.level, repeats)  # type: ignore[arg-type]
            for name, seen in observed.items()
        ),
        candidates=tuple(fits),
        rows=np.flatnonzero(design.partition.fold >= 0),
        loss=loss,
        level=design.level,
        models=models,
        observed=observed,
        weighted=weights is not None,
    )
