"""The terms of a metric of a set (`heldout.losses.set_metrics`), as intervals and comparisons read those of E_cv."""

from dataclasses import dataclass, fields

import numpy as np

from heldout.errors import BadArgument
from heldout.losses.loss import places
from heldout.losses.tested_losses import CrossValidated, Tested
from heldout.schemes.design import Design, Evidence, cross_validated


@dataclass(frozen=True, eq=False)
class TestedSet(Tested):
    """The terms of a part that one hypothesis was tested on; the others are as in `CrossValidatedSets`."""

    __test__ = False  # no test of pytest's

    size: float = 0.0
    of_answers: float = 0.0


@dataclass(frozen=True, eq=False)
class CrossValidatedSets(CrossValidated):
    """The terms in folds and subsamples.

    `size` is the number of independent rows that they weigh as at most, and of two candidates one more row on which
    they differ counts as one of `of_answers`; 0 where nobody knows.
    """

    size: float = 0.0
    of_answers: float = 0.0


def cross_validated_by(design: Design, evidence: Evidence, estimate: str) -> CrossValidated:
    """What is behind an `estimate`: E_cv, or one of `Design.set_metrics`."""
    if estimate == "E_cv":
        return cross_validated(design, evidence)
    loss, terms = design.set_metrics[estimate], evidence.terms[estimate]
    if not all(np.isfinite(part).all() for part in terms.get("subsamples", ())):  # one of them has a single class
        terms = {"cross_validation": terms["cross_validation"]}
    seen = cross_validated(design, Evidence(terms), of_sets=True)
    sizes = np.unique(design.y[design.partition.fold >= 0], return_counts=True)[1].astype(np.float64)
    known = {one.name: getattr(seen, one.name) for one in fields(seen)}
    size, rows = loss.size(sizes, 1 - seen.error), loss.rows(sizes)
    return CrossValidatedSets(**{**known, "loss": loss.loss}, size=size, of_answers=rows)


def check_classes(design: Design) -> None:
    """Raise BadArgument where a fold tests rows of one class alone: a metric of a set has no value in it."""
    if not design.set_metrics:
        return
    asked, classes = " and ".join(design.set_metrics), np.unique(design.y)
    of_row = places(design.y, classes)
    counts = np.ones(len(of_row)) if design.weights is None else design.weights.relative
    for number, split in enumerate(design.splits("cross_validation")):
        rows = split.validation
        there = np.bincount(of_row[rows], weights=counts[rows], minlength=len(classes)) > 0
        if there.sum() < 2:
            raise BadArgument(
                "folds",
                f"{asked}: fold {number + 1} tests rows of one class alone, {classes[there].tolist()}, and needs "
                f"rows of two; use fewer folds, or leave {asked} out",
            )
