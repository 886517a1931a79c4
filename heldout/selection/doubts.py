"""Which numbers of a candidate have an interval that cannot be right, and why (`heldout.intervals.credible`)."""

from collections.abc import Iterable, Mapping

from heldout.fits import baseline
from heldout.intervals import credible
from heldout.records import Estimate
from heldout.schemes.design import Design, Evidence, cross_validated
from heldout.selection.differences import differences

DIFFERENCES = "differences"


def doubts(
    design: Design, evidence: Mapping[str, Evidence], winner: str, estimates: Iterable[Estimate]
) -> dict[str, str]:
    """The reasons by the name of the estimate, of the `winner` alone; in the end `differences`, of E_cv from others,
    where their intervals show one.

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
    """The others that the winner is not credibly shown to differ from, by reason; losses of 0 and 1 need none.

    An interval that holds 0 shows nothing, so that there is nothing to doubt, unless two are alike by a margin.
    """
    if design.loss.binary:
        return ""
    every = {**evidence, baseline.NAME: baseline.evidence(design)}
    own, by_reason = cross_validated(design, evidence[winner]), dict[str, list[str]]()
    for line in differences(design, evidence, winner):
        if not (line.shown_less or line.shown_more or line.by_margin == "alike"):
            continue
        other = cross_validated(design, every[line.against])
        if reason := credible.of_difference(own.losses, other.losses, design.loss, own.cluster):
            by_reason.setdefault(reason, []).append(line.against)
    return "; ".join(f"from {', '.join(names)}: {reason}" for reason, names in by_reason.items())
