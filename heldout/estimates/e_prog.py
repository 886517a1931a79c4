"""E_prog: the mean loss along the stream of progressive validation."""

from collections.abc import Mapping
from dataclasses import replace

from heldout.estimates.definition import Definition
from heldout.estimates.e_val import CLUSTERED, FOR_CLASSES_AND_LIMITS, SHAPE
from heldout.intervals import (
    clopper_pearson,
    confidence_sequence,
    hoeffding,
    log_t,
    pooled_shape,
    wilson,
    wilson_by_class,
)
from heldout.intervals.method import Default, IntervalMethod, estimate_with
from heldout.losses.tested_losses import Tested
from heldout.records import Estimate
from heldout.schemes import progressive
from heldout.schemes.design import Design, Evidence, tested, tested_with_pool
from heldout.schemes.progressive import TARGET
from heldout.selection.paired_losses import Paired, paired_rows

# what holds for a martingale of steps, whatever their dependence
_OF_STEPS = (
    clopper_pearson.METHOD,
    wilson.METHOD,
    wilson_by_class.METHOD,
    log_t.METHOD,
    hoeffding.METHOD,
    confidence_sequence.METHOD,
)
ALONG_STREAM = "the error along the stream: of each step's hypothesis on the row of that step, given the rows before it"


def estimate(
    candidate: str, observed: Tested, n_train: int, method: IntervalMethod, level: float, *, along_stream: bool = False
) -> Estimate:
    """E_prog: the mean over the m tested losses, in the order of the steps.

    `along_stream`: the steps follow the time, so that a row after the last step is no draw like the rows before it.
    """
    target = ALONG_STREAM if along_stream else TARGET
    return estimate_with(candidate, "E_prog", observed, target, n_train, method, level)


def of_candidate(design: Design, evidence: Evidence, candidate: str) -> Estimate:
    """The mean of the losses in the order of the steps; along time they are a martingale, and no batches are needed."""
    observed = tested_with_pool(design, evidence, "progressive", "E_prog")
    return estimate(
        candidate,
        replace(observed, cluster=None) if design.dependence.group is None else observed,
        progressive.mean_training_size(design.splits("progressive")),
        design.methods["E_prog"],
        design.level,
        along_stream=design.dependence.time is not None,
    )


def losses_behind(design: Design, evidence: Mapping[str, Evidence]) -> Paired:
    """The losses of the steps."""
    return paired_rows({name: tested(design, of, "progressive") for name, of in evidence.items()})


ESTIMATE = Definition(
    name="E_prog",
    meaning="The progressive error: rows arrive one after the other, and each is tested before it is trained on.",
    about="the progressive hypothesis: a hypothesis from one of m test-then-train steps, drawn at random",
    trained_on="N - m … N",
    kind="error",
    column=30,
    scheme="progressive",
    of_candidate=of_candidate,
    default=Default(
        clopper_pearson.METHOD,
        pooled_shape.METHOD,
        "it kept its level in every cell of the coverage study, where Wilson's fell short for rare errors",
        SHAPE,
        log_t.METHOD,
        **FOR_CLASSES_AND_LIMITS,
    ),
    valid={"groups": CLUSTERED, "time": _OF_STEPS, "groups and time": CLUSTERED},
    is_criterion=True,
    losses_behind=losses_behind,
)
