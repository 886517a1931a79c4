"""E_cv of a candidate, or 1 - a metric, less that of each other, and of the baseline."""

from collections.abc import Mapping
from dataclasses import replace

from heldout.fits import baseline
from heldout.losses.tested_losses import CrossValidated, Tested
from heldout.records import Difference
from heldout.schemes.design import Design, Evidence, tested
from heldout.schemes.set_metrics import cross_validated_by
from heldout.selection.comparison import Comparison, in_same_clusters


def compared_by(
    design: Design,
    evidence: Mapping[str, Evidence],
    estimate: str = "E_cv",
    margin: float | None = None,
    constant: Evidence | None = None,
) -> Comparison | None:
    """The candidates and the baseline by E_cv, E_val, or a metric of a set; None where it was not computed.

    The `margin` is that of the design and the `constant` the baseline's evidence, where no others are given.
    """
    if estimate not in design.estimates:
        return None

    def seen(of: Evidence) -> Tested:
        return tested(design, of, "holdout") if estimate == "E_val" else cross_validated_by(design, of, estimate)

    observed = in_same_clusters({name: seen(of) for name, of in evidence.items()})
    first = next(iter(observed.values()))
    of_constant = seen(baseline.evidence(design) if constant is None else constant)
    margin, folds = design.margin if margin is None else margin, None
    if isinstance(first, CrossValidated):
        folds = first.folds
    every = {**observed, baseline.NAME: replace(of_constant, cluster=first.cluster)}
    seed = design.seed if estimate in ("E_cv", "E_val") and design.dependence.time is None else None
    return Comparison(every, folds, design.level, design.dropped, margin, seed)


def differences(
    design: Design,
    evidence: Mapping[str, Evidence],
    selected: str,
    estimate: str = "E_cv",
    margin: float | None = None,
) -> list[Difference]:
    """The `estimate` of `selected` less that of each other candidate, in their order, and of the baseline.

    Empty where it was not computed. The claim of the intervals is in `heldout.selection.comparison`.
    """
    compared = compared_by(design, evidence, estimate, margin)
    return [] if compared is None else compared.differences(selected)
