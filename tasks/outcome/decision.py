"""Whether to ship the winner, for selection.json; the rule is in `heldout.decision.ship`."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from heldout.decision.ship import Decision, Further
from heldout.estimates.criteria import compares_by
from heldout.findings.checks import with_code
from heldout.fits import baseline
from heldout.metrics.skill import Skill
from heldout.notebook.result import Validation
from heldout.records import Difference
from tasks.params import Settings
from tasks.storage import findings

ON_TEST = "E_test_less_baseline"


def decide(settings: Settings, validation: Validation, described: Mapping[str, Any]) -> Decision:
    """The decision about the winner; `described` is selection.json without it."""
    found = findings.read_applied(settings.muted_checks).findings
    further = Further(
        findings=[(one.severity, with_code(one.code, one.text)) for one in found if one.open],
        decided={column for one in found if one.decided for column in one.columns},
        spent=described["test_refused"] or "",
        openings=described["test_openings"],
        removed=described.get("removed", 0),
    )
    return validation.decide(settings.criterion, settings.selection.rule, further=further)


def of_baseline(validation: Validation) -> dict[str, Any]:
    """The entries of selection.json about the baseline."""
    [E_cv] = [record.value for record in validation.baseline if record.estimate == "E_cv"]
    beaten = validation.beats_baseline(validation.winner, validation.compared_by)
    opened = validation.opened
    return {
        "baseline": E_cv,
        "beats_baseline": beaten,
        **({} if opened is None else {ON_TEST: _numbers(opened.less_baseline)}),
    }


def _numbers(record: Difference) -> dict[str, Any]:
    """Its fields; a margin is for the comparisons by cross-validation, and has no word here."""
    return {name: value for name, value in asdict(record).items() if name != "by_margin"}


def described(decision: Decision, skill: Skill | None) -> dict[str, Any]:
    """The entries of selection.json."""
    learned = {} if skill is None else {"skill": asdict(skill)}
    any_of = {"any_of": list(decision.any_of)} if decision.any_of else {}
    said = {
        "verdict": decision.verdict,
        "caveats": list(decision.caveats),
        "advice": decision.advice,
        "others": decision.others,
    }
    return {**said, **any_of, **learned}


def read(selection: Mapping[str, Any]) -> Decision:
    """The decision, from selection.json."""
    caveats, any_of = tuple(selection["caveats"]), tuple(selection.get("any_of", ()))
    return Decision(selection["verdict"], caveats, selection["advice"], selection.get("others", ""), any_of)


def against_baseline(differences: Sequence[Difference], selection: Mapping[str, Any]) -> dict[str, Difference]:
    """The winner's error less the baseline's on the same rows, by the name of the estimate.

    E_cv, or the 1 - a metric that chose, comes from the lines of differences.csv, E_test from selection.json.
    """
    estimate = compares_by(selection["criterion"])
    found = [(estimate, record) for record in differences if record.against == baseline.NAME]
    if (on_test := selection.get(ON_TEST)) is not None:
        found.append(("E_test", Difference(**on_test)))
    return dict(found)
