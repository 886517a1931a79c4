"""E_2cv: the error of the half models on the rows of the other half."""

from collections.abc import Mapping

from heldout.estimates.definition import Definition
from heldout.intervals import two_way_log_t, two_way_wilson
from heldout.intervals.method import Default, estimate_with
from heldout.losses.ratio import weighed
from heldout.losses.tested_losses import Tested
from heldout.records import Estimate
from heldout.schemes.design import Design, Evidence, half_losses, half_tested
from heldout.selection.paired_losses import Paired

TARGET = "a hypothesis trained on half of the labelled rows"
TWO_WAY = "it counts the noise of the partitions and the noise of the rows"
SKEWED = f"{TWO_WAY}; closer to its level for skewed losses than two-way t, still short of it under heavy tails"
OF_HALVES = Default(two_way_wilson.METHOD, two_way_log_t.METHOD, TWO_WAY, SKEWED)


def of_candidate(design: Design, evidence: Evidence, candidate: str) -> Estimate | None:
    """The mean over repeats and rows; none for rows in time."""
    if design.dependence.time is not None:
        return None
    observed, size = half_tested(design, evidence), len(design.y) // 2
    return estimate_with(candidate, "E_2cv", observed, TARGET, size, design.methods.get("E_2cv"), design.level)


def losses_behind(design: Design, evidence: Mapping[str, Evidence]) -> Paired:
    """The mean of each row's losses over repeats, which share their rows."""
    cluster, weights = design.dependence.group, design.weights_of()
    means = {
        name: weighed(half_losses(design, of.losses["covalidation"], on_training_half=False).mean(axis=0), weights)
        for name, of in evidence.items()
    }
    rows = {name: Tested(losses, design.loss, design.seed, cluster, weights=weights) for name, losses in means.items()}
    return Paired(rows, means, folds=2, terms_cluster=cluster)


ESTIMATE = Definition(
    name="E_2cv",
    meaning="The error of models that were trained on one half of the rows and tested on the other half.",
    about="a model trained on half of the rows",
    trained_on="N/2",
    kind="error",
    column=40,
    scheme="covalidation",
    of_candidate=of_candidate,
    default=OF_HALVES,
    in_time=False,
    is_criterion=True,
    losses_behind=losses_behind,
)
