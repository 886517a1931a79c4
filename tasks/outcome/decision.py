"""Whether to ship the winner, from what `select` found; the rule is in `heldout.decision.ship`."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from heldout.decision import ship
from heldout.decision.ship import Decision, Known
from heldout.estimates.criteria import compares_by, judged_by
from heldout.fits import baseline
from heldout.metrics.skill import Skill
from heldout.parts import class_shares
from heldout.records import Difference, Estimate
from heldout.selection.selected import Selection
from tasks.outcome.suspicious import Suspicious
from tasks.storage import findings
from tasks.storage.findings import RecordedFinding

if TYPE_CHECKING:
    from tasks.outcome.estimate import Results

ON_TEST = "E_test_less_baseline"


def decide(
    results: "Results",
    selection: Selection,
    records: Sequence[Estimate],
    differences: Sequence[Difference],
    described: Mapping[str, Any],
    skill: Skill | None,
) -> Decision:
    """The decision about the selected candidate.

    `records` are the lines of estimates.csv, `differences` those of differences.csv, `described` is selection.json
    without the decision.
    """
    of_winner = [record for record in records if record.candidate == selection.selected]
    of_baseline = {record.estimate: record.value for record in records if record.candidate == baseline.NAME}
    values, design, found = selection.values, results.design, findings.read_applied().findings
    return ship.decide(
        Known(
            selected=selection.selected,
            lowest=min(values, key=values.__getitem__),
            not_ruled_out=selection.indistinguishable,
            compared=len(results.candidates),
            loss=design.loss,
            judged_by=judged_by(selection.criterion, design.loss),
            beats_baseline=described["beats_baseline"],
            planned=ship.plan_with(of_winner, of_baseline, against_baseline(differences, described)),
            differences=differences,
            error=next((one.value for one in of_winner if one.estimate == compares_by(selection.criterion)), 0.0),
            margin=design.margin,
            skill=skill,
            too_good=_too_good(Suspicious.read(described), found),
            not_credible=described.get("not_credible", {}),
            findings=[(one.severity, one.text) for one in found if one.open],
            spent=described["test_refused"] or "",
            openings=described["test_openings"],
            removed=described.get("removed", 0),
            other_population=described.get("other_population", ""),
            optimism=(class_shares.optimism(design.y) if design.stratify else None) or "",
            failed=tuple(results.failures),
        )
    )


def _too_good(doubt: Suspicious | None, found: Sequence[RecordedFinding]) -> str:
    """What to check of an error that is too low; empty where somebody has decided about the columns that carry it."""
    if doubt is None:
        return ""
    decided = {column for one in found if one.decided for column in one.columns}
    carried_by = {column for one in doubt.carriers for column in one.columns}
    return "" if carried_by and carried_by <= decided else doubt.short


def described(decision: Decision, skill: Skill | None) -> dict[str, Any]:
    """The entries of selection.json."""
    learned = {} if skill is None else {"skill": asdict(skill)}
    any_of = {"any_of": list(decision.any_of)} if decision.any_of else {}
    said = {"verdict": decision.verdict, "caveats": list(decision.caveats), "advice": decision.advice}
    return {**said, **any_of, **learned}


def read(selection: Mapping[str, Any]) -> Decision:
    """The decision, from selection.json."""
    any_of = tuple(selection.get("any_of", ()))
    return Decision(selection["verdict"], tuple(selection["caveats"]), selection["advice"], any_of)


def against_baseline(differences: Sequence[Difference], selection: Mapping[str, Any]) -> dict[str, Difference]:
    """The winner's error less the baseline's on the same rows, by the name of the estimate.

    E_cv, or the 1 - a metric that chose, comes from the lines of differences.csv, E_test from selection.json.
    """
    estimate = compares_by(selection["criterion"])
    found = [(estimate, record) for record in differences if record.against == baseline.NAME]
    if (on_test := selection.get(ON_TEST)) is not None:
        found.append(("E_test", Difference(**on_test)))
    return dict(found)
