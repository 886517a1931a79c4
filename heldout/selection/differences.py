"""E_cv of a candidate, or 1 - a metric, less that of each other, and of the baseline, for all pairs at once."""

from collections.abc import Mapping
from dataclasses import replace

from heldout.fits import baseline
from heldout.records import Difference
from heldout.schemes.design import Design, Evidence
from heldout.schemes.whole_parts import cross_validated_by
from heldout.selection.comparison import Comparison, in_same_clusters


def compared_by(
    design: Design, evidence: Mapping[str, Evidence], estimate: str = "E_cv", margin: float | None = None
) -> Comparison | None:
    """The candidates and the baseline by E_cv, or by a loss of whole parts; None where it was not computed.

    The `margin` is that of the design, where no other is given.
    """
    if estimate not in design.estimates:
        return None
    observed = in_same_clusters({name: cross_validated_by(design, of, estimate) for name, of in evidence.items()})
    first = next(iter(observed.values()))
    constant = replace(cross_validated_by(design, baseline.evidence(design), estimate), cluster=first.cluster)
    margin = design.margin if margin is None else margin
    return Comparison({**observed, baseline.NAME: constant}, first.folds, design.level, design.dropped, margin)


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
