"""E_bbc: E_cv of the winner, corrected for the choice by a bootstrap of it (`heldout.selection.bbc`)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from heldout.estimates.definition import Definition, Planning
from heldout.intervals.method import with_interval
from heldout.records import Estimate
from heldout.schemes.design import Design, Evidence, cross_validated, mean_fold_training_size
from heldout.schemes.set_metrics import cross_validated_by
from heldout.selection import bbc

if TYPE_CHECKING:
    from heldout.selection.selection import Selection


def of_winner(design: Design, evidence: Mapping[str, Evidence], selection: "Selection | None") -> Estimate:
    """Of the candidate of the least E_cv, ties to the first.

    Where `selection` took another candidate by E_cv, or by 1 - a metric, with a rule that a bootstrap can repeat, it is
    that one's: the loss of the candidate that the bootstraps take by the metric.
    """
    observed = {name: cross_validated(design, of) for name, of in evidence.items()}
    losses = np.stack([folds.losses for folds in observed.values()])
    criterion, by = "E_cv", None
    rule, taken = bbc.MINIMUM, list(evidence)[int(np.argmin(losses.mean(axis=1)))]
    if selection is not None and _can_be_repeated(design, selection):
        rule, taken, criterion = selection.rule, selection.selected, selection.criterion
        if criterion in design.set_metrics:
            by = np.stack([cross_validated_by(design, of, criterion).losses for of in evidence.values()])
    fold = None if rule == bbc.MINIMUM else design.partition.fold
    found = bbc.corrected(losses, design.seed, design.dependence.group, rule, fold, by)
    mixed = found.losses if rule == bbc.MINIMUM and by is None else None
    target, size = bbc.target(rule, criterion), mean_fold_training_size(design)
    record = Estimate(taken, "E_bbc", found.error, target, size, len(design.y))
    interval = bbc.interval(found.error, observed[taken], design.level, design.dependence.kind, mixed)
    if interval is None:
        return record
    return replace(with_interval(record, interval), not_credible=bbc.doubt(observed[taken]))


def _can_be_repeated(design: Design, selection: "Selection") -> bool:
    """Whether it was by E_cv, or a metric of a set, and the rule is one that a bootstrap of rows in one partition
    into folds can repeat."""
    known = selection.criterion == "E_cv" or selection.criterion in design.set_metrics
    return known and selection.rule in bbc.REPEATABLE and design.fold_repeats == 1


ESTIMATE = Definition(
    name="E_bbc",
    meaning="E_cv of the winner, corrected for having won among these candidates.",
    about="the k-fold hypothesis of the candidate that won",
    trained_on="N - N/k",
    kind="error",
    column=100,
    scheme="cross_validation",
    of_winner=of_winner,
    in_time=False,
    least_candidates=2,
    planning=Planning(2, "by cross-validation, corrected for the choice", of_baseline="E_cv"),
    after_the_choice="its E_cv corrected for having won among this run's candidates, by a bootstrap of the selection",
)
