"""Whether to ship the winner, and how far it is from the baseline, as selection.json holds them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from heldout.decision.ship import Decision
from heldout.fits import baseline
from heldout.metrics.skill import Skill
from heldout.records import Difference

ON_TEST = "E_test_less_baseline"


def described(decision: Decision, skill: Skill | None) -> dict[str, Any]:
    """The entries of selection.json."""
    learned = {} if skill is None else {"skill": asdict(skill)}
    return {"verdict": decision.verdict, "caveats": list(decision.caveats), "advice": decision.advice, **learned}


def read(selection: Mapping[str, Any]) -> Decision:
    """The decision, from selection.json."""
    return Decision(selection["verdict"], tuple(selection["caveats"]), selection["advice"])


def against_baseline(differences: Sequence[Difference], selection: Mapping[str, Any]) -> dict[str, Difference]:
    """The winner's error less the baseline's on the same rows, by the name of the estimate.

    E_cv comes from the lines of differences.csv, E_test from selection.json.
    """
    found = [("E_cv", record) for record in differences if record.against == baseline.NAME]
    if (on_test := selection.get(ON_TEST)) is not None:
        found.append(("E_test", Difference(**on_test)))
    return dict(found)
