"""E_cv of a candidate less that of each other, and of the baseline, with intervals for all pairs at once."""

from collections.abc import Mapping
from dataclasses import replace

from heldout.fits import baseline
from heldout.records import Difference
from heldout.schemes.design import Design, Evidence, cross_validated
from heldout.selection.comparison import Comparison, in_same_clusters


def compared_by_e_cv(design: Design, evidence: Mapping[str, Evidence]) -> Comparison | None:
    """The candidates and the baseline by E_cv; None where E_cv was not computed."""
    if "E_cv" not in design.estimates:
        return None
    observed = in_same_clusters({name: cross_validated(design, of) for name, of in evidence.items()})
    first = next(iter(observed.values()))
    constant = replace(cross_validated(design, baseline.evidence(design)), cluster=first.cluster)
    return Comparison({**observed, baseline.NAME: constant}, first.folds, design.level, design.dropped)


def differences(design: Design, evidence: Mapping[str, Evidence], selected: str) -> list[Difference]:
    """E_cv of `selected` less that of each other candidate, in their order, and of the baseline.

    Empty where E_cv was not computed. The claim of the intervals is in `heldout.selection.comparison`.
    """
    compared = compared_by_e_cv(design, evidence)
    return [] if compared is None else compared.differences(selected)
