"""E_cv: the mean of all held-out losses of k-fold cross-validation."""

from collections.abc import Mapping

from heldout.estimates.definition import Definition, Planning
from heldout.estimates.e_val import BY_CLASS, CLUSTERED
from heldout.intervals import (
    corrected_fold_t,
    corrected_fold_wilson,
    corrected_log_t,
    corrected_repeated_t,
    corrected_t,
    corrected_wilson,
    corrected_wilson_by_class,
    pooled_log_t,
    pooled_wilson,
    pooled_wilson_by_class,
)
from heldout.intervals.method import Default, IntervalMethod, estimate_with
from heldout.losses import Loss
from heldout.losses.tested_losses import CrossValidated
from heldout.records import Estimate
from heldout.schemes.cross_validation import TARGET
from heldout.schemes.design import Design, Evidence, cross_validated, in_time, mean_fold_training_size
from heldout.selection.comparison import in_same_clusters
from heldout.selection.paired_losses import Paired

BY_FOLDS = (corrected_fold_wilson.METHOD, corrected_fold_t.METHOD)
POOLED = (pooled_wilson.METHOD, pooled_wilson_by_class.METHOD, pooled_log_t.METHOD)
_CLUSTERED = tuple(method for method in CLUSTERED if "E_cv" in method.covers)


def of_folds_alone(loss: Loss) -> IntervalMethod:
    """The method for a single partition into folds of independent rows where no further fit is made."""
    return next(method for method in (*POOLED, *BY_FOLDS) if method.admits(loss))


def estimate(
    candidate: str, observed: CrossValidated, n_train: int, method: IntervalMethod, level: float, repeats: int = 1
) -> Estimate:
    """E_cv: the mean over all held-out losses of one partition, or of `repeats` partitions.

    With folds of unequal size the hypothesis of each fold counts by the fold's share of the rows. The mean over
    several partitions has the same expectation, and less noise from the random folds.
    """
    target = TARGET if repeats == 1 else TARGET.replace("the k hypotheses", f"the {repeats} k hypotheses")
    return estimate_with(candidate, "E_cv", observed, target, n_train, method, level)


def of_candidate(design: Design, evidence: Evidence, candidate: str) -> Estimate:
    """The mean over one partition into folds, or over several."""
    observed, size = in_time(cross_validated(design, evidence), design, evidence), mean_fold_training_size(design)
    method, repeats = design.methods["E_cv"], design.fold_repeats
    return estimate(candidate, observed, size, method, design.level, repeats)


def losses_behind(design: Design, evidence: Mapping[str, Evidence]) -> Paired:
    """The held-out losses, and the fold errors as the terms of the standard error."""
    observed = {name: cross_validated(design, of) for name, of in evidence.items()}
    terms = {name: folds.fold_errors for name, folds in observed.items()}
    return Paired(in_same_clusters(observed), terms, int(design.partition.fold.max()) + 1)


ESTIMATE = Definition(
    name="E_cv",
    meaning="The cross-validation error: each row is tested by a model of the same learner that did not see the row's "
    "fold.",
    about="the k-fold hypothesis: one of the k fold hypotheses, drawn at random",
    trained_on="N - N/k",
    kind="error",
    column=10,
    scheme="cross_validation",
    of_candidate=of_candidate,
    default=Default(
        corrected_wilson.METHOD,
        corrected_log_t.METHOD,
        "the narrowest that kept its level in the coverage study, at 25 further fits",
        "the narrowest that came near its level for skewed losses in the coverage study, at 25 further fits; still "
        "short of it for heavy tails in few rows",
        of_costs=corrected_wilson_by_class.METHOD,
        why_of_costs=BY_CLASS,
    ),
    valid={
        "groups": (*_CLUSTERED, *BY_FOLDS, corrected_t.METHOD, corrected_repeated_t.METHOD),
        # 0/1 losses in time: narrower at the number of rows that they weigh as, but short where few rows remember long
        "time": (corrected_fold_wilson.METHOD, *_CLUSTERED, corrected_fold_t.METHOD),
        "groups and time": (*_CLUSTERED, *BY_FOLDS),
    },
    is_criterion=True,
    losses_behind=losses_behind,
    planning=Planning(3, "by cross-validation", if_won="too low, since it won"),
)
