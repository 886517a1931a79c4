"""Which numbers of a candidate have an interval that cannot be right, and why (`heldout.intervals.credible`)."""

from collections.abc import Iterable, Mapping

from heldout import baseline
from heldout.design import Design, Evidence, cross_validated
from heldout.intervals import credible
from heldout.records import Estimate

DIFFERENCES = "differences"


def doubts(
    design: Design, evidence: Mapping[str, Evidence], winner: str, estimates: Iterable[Estimate]
) -> dict[str, str]:
    """The reasons by the name of the estimate, of the `winner` alone; in the end `differences`, of E_cv from others.

    `estimates` may hold those of other candidates too. Empty where nothing is doubted.
    """
    found = {
        record.estimate: record.not_credible
        for record in estimates
        if record.candidate == winner and record.not_credible is not None
    }
    if "E_cv" in design.estimates and (reason := _of_differences(design, evidence, winner)):
        found[DIFFERENCES] = reason
    return found


def _of_differences(design: Design, evidence: Mapping[str, Evidence], winner: str) -> str:
    """The others that the winner's E_cv cannot be compared with, by reason; losses of 0 and 1 always can."""
    if design.loss.binary:
        return ""
    own = cross_validated(design, evidence[winner])
    by_reason: dict[str, list[str]] = {}
    for name, of in {**evidence, baseline.NAME: baseline.evidence(design)}.items():
        if name != winner:
            reason = credible.of_difference(own.losses, cross_validated(design, of).losses, own.cluster)
            if reason is not None:
                by_reason.setdefault(reason, []).append(name)
    return "; ".join(f"from {', '.join(names)}: {reason}" for reason, names in by_reason.items())
