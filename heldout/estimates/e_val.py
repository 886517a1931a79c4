"""E_val: the error of the hold-out hypothesis on the rows that it never saw."""

from collections.abc import Mapping
from typing import Any

from heldout.estimates.definition import Definition, Planning
from heldout.intervals import (
    clopper_pearson,
    clustered_log_t,
    clustered_t,
    clustered_wilson,
    log_t,
    pooled_shape,
    wilson_by_class,
    wilson_one_more_row,
)
from heldout.intervals.method import Default, IntervalMethod, estimate_with
from heldout.losses.tested_losses import Tested
from heldout.records import Estimate
from heldout.schemes.design import Design, Evidence, in_time, tested, tested_with_pool
from heldout.schemes.holdout import TARGET
from heldout.selection.paired_losses import Paired, paired_rows

_EXACT = (
    "exact for plain draws: it kept its level in every cell of the coverage study, where Wilson's fell short for rare "
    "errors"
)
SHAPE = (
    "the closest to its level for skewed losses in few rows, still short of it under heavy tails; log t without E_cv, "
    "and for the log loss, where it is no closer and wider"
)
BY_CLASS = (
    "the narrowest that came near its level where few tested rows are of the rarest class: it knows what a row of each "
    "class may cost"
)
ONE_MORE = (
    "close to its level also where losses near the limit are rare, with hardly more width than log t from 60 rows on"
)
FOR_CLASSES_AND_LIMITS: dict[str, Any] = {
    "of_costs": wilson_by_class.METHOD,
    "of_limit": wilson_one_more_row.METHOD,
    "why_of_costs": BY_CLASS,
    "why_of_limit": ONE_MORE,
}
# of a hypothesis on rows that it never saw, which are plain draws
OF_ONE_HYPOTHESIS = Default(
    clopper_pearson.METHOD, pooled_shape.METHOD, _EXACT, SHAPE, log_t.METHOD, **FOR_CLASSES_AND_LIMITS
)
CLUSTERED = (clustered_wilson.METHOD, wilson_by_class.METHOD, clustered_log_t.METHOD, clustered_t.METHOD)


def estimate(candidate: str, observed: Tested, n_train: int, method: IntervalMethod, level: float) -> Estimate:
    """E_val: the mean of the K held-out losses; of plain draws unbiased for the error of g-, variance sigma^2 / K."""
    return estimate_with(candidate, "E_val", observed, TARGET, n_train, method, level)


def of_candidate(design: Design, evidence: Evidence, candidate: str) -> Estimate:
    """The mean of the K held-out losses."""
    observed, size = tested_with_pool(design, evidence, "holdout", "E_val"), design.splits("holdout")[0].n_train
    return estimate(candidate, in_time(observed, design, evidence), size, design.methods["E_val"], design.level)


def losses_behind(design: Design, evidence: Mapping[str, Evidence]) -> Paired:
    """The held-out losses."""
    return paired_rows({name: tested(design, of, "holdout") for name, of in evidence.items()})


ESTIMATE = Definition(
    name="E_val",
    meaning="The hold-out error: trained on one part of the labelled rows, tested once on the others.",
    about="g-, tested once on K held-out rows",
    trained_on="N - K",
    kind="error",
    column=20,
    scheme="holdout",
    of_candidate=of_candidate,
    default=OF_ONE_HYPOTHESIS,
    valid={"groups": CLUSTERED, "time": CLUSTERED, "groups and time": CLUSTERED},
    is_criterion=True,
    losses_behind=losses_behind,
    planning=Planning(4, "on {n} held-out rows", if_won="too low, since it won"),
)
