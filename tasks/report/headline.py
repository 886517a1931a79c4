"""What every report begins with: what to ship, with which error to plan, who is not ruled out, and what to do next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from heldout.display import about_plan, about_winner
from tasks.report.next_steps import next_steps
from tasks.report.summary import Summary, shown_count


@dataclass(frozen=True)
class Headline:
    """The decision, below it who is not ruled out, what speaks against it, facts by their labels, what to do next.

    The facts are on what the number rests and, where a margin was stated, what follows from it; the steps at most
    three.
    """

    advice: str
    others: str
    caveats: Sequence[str]
    facts: Mapping[str, str]
    steps: Sequence[str]


def headline(summary: Summary) -> Headline:
    """The first screen."""
    decision, margin = summary.decision, by_margin(summary)
    facts = {"plan with": plan_with(summary), **({"margin": margin} if margin else {})}
    return Headline(decision.advice, decision.others, decision.further, facts, next_steps(summary))


def told(summary: Summary) -> dict[str, str]:
    """What a message says of the winner: the error to plan with, and the decision."""
    decision = summary.decision
    return {"error": plan_with(summary), "verdict": decision.verdict, "advice": decision.sentence}


def by_margin(summary: Summary) -> str:
    """What the winner is next to each other by the margin; empty without one."""
    return about_winner.by_margin(
        summary.selected, summary.of_winner, summary.margin, summary.level, summary.loss, summary.compared_by
    )


def plan_with(summary: Summary) -> str:
    """The error to expect, by the estimate that `heldout.decision.ship` plans with, and on what it rests."""
    plan, bound = summary.planned, summary.selection["bound"]
    if plan is None:
        value = summary.value(summary.selected, summary.selection["criterion"])
        shown = "an unknown error" if value is None else f"an error above {summary.amount(value)}"
        return f"{shown}, by {summary.selection['criterion']}: no interval can be claimed"
    line = plan.record
    text = about_plan.rests_on(
        plan,
        summary.loss,
        summary.level,
        shown_count(line.n_tested),
        won=line.estimate == summary.won_by,
        of=summary.in_groups("test" if line.estimate == "E_test" else "estimates"),
        bound="" if bound is None else f"at most {summary.amount(bound)}, with all comparisons counted",
    )
    if summary.chosen_by_metric:
        text += f"; chosen by {_metric(summary, summary.selected)}"
    if summary.settings.data.picked_blindly:
        text += "; the labelled rows were picked (sampling: active), so it is about another population"
    return text


def _metric(summary: Summary, candidate: str) -> str:
    """1 - the metric that chose, of a candidate, with its interval."""
    value, ends = summary.cell(candidate, summary.compared_by)
    return f"{summary.compared_by} = {summary.with_unit(value)}{f' [{ends}]' if ends else ''}"
