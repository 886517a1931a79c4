"""The first screen of the report: what to ship, with which error to plan, who is not ruled out, and what to do next."""

from collections.abc import Sequence
from dataclasses import dataclass

from heldout.decision.ship import worse_by
from heldout.estimates import ESTIMATES
from heldout.fits import baseline
from heldout.losses.amounts import margin_text, rounded
from heldout.records import Estimate
from heldout.shown import about_race, about_winner
from tasks.report.next_steps import next_steps
from tasks.report.summary import Summary, shown_count

_LONGEST = 110  # letters of some names


@dataclass(frozen=True)
class Fact:
    """An answer in large letters: the question, the answer, and what it rests on."""

    question: str
    answer: str
    rests_on: str


@dataclass(frozen=True)
class Headline:
    """The decision in one line, what speaks against it, facts, and at most three things to do next.

    The facts are three, and a fourth where a margin was stated.
    """

    verdict: str
    caveats: Sequence[str]
    facts: Sequence[Fact]
    steps: Sequence[str]


def headline(summary: Summary) -> Headline:
    """The first screen."""
    decision = summary.decision
    facts = [plan_with(summary), _not_ruled_out(summary), _baseline(summary), *_by_margin(summary)]
    return Headline(decision.advice, decision.further, facts, next_steps(summary))


def advice(summary: Summary) -> dict[str, str]:
    """What a message says of the winner: the error to plan with, and the decision."""
    error = plan_with(summary)
    decision = summary.decision
    return {"error": f"{error.answer}; {error.rests_on}", "verdict": decision.verdict, "advice": decision.sentence}


def plan_with(summary: Summary) -> Fact:
    """The error to expect, by the estimate that `heldout.decision.ship` plans with."""
    plan = summary.planned
    if plan is None:
        value = summary.value(summary.selected, summary.selection["criterion"])
        shown = "unknown" if value is None else summary.amount(value)
        return Fact("Plan with an error above", shown, f"{summary.selection['criterion']}; no interval can be claimed")
    line = plan.record
    planning = ESTIMATES[line.estimate].planning
    rows, won = shown_count(line.n_tested), line.estimate == summary.won_by
    where = "" if planning is None else f", {planning.says(rows, won=won)}"
    known = f"{line.estimate} = {summary.amount(line.value)}{_share(summary, line, plan.of_baseline)}{where}"
    if of := summary.in_groups("test" if line.estimate == "E_test" else "estimates"):
        known += of if line.estimate == "E_test" else f", {rows} rows{of}"
    known += f", at {summary.level}"
    if line.estimate != "E_test" and (bound := summary.selection["bound"]) is not None:
        known += f"; at most {summary.amount(bound)}, with all comparisons counted"
    if summary.chosen_by_metric:
        known += f"; chosen by {_metric(summary, summary.selected)}"
    if summary.settings.data.picked_blindly:
        known += "; the labelled rows were picked (sampling: active), so it is about another population"
    return Fact("Plan with an error of", _between(summary, line), known)


def _metric(summary: Summary, candidate: str) -> str:
    """1 - the metric that chose, of a candidate, with its interval."""
    value, ends = summary.cell(candidate, summary.compared_by)
    return f"{summary.compared_by} = {summary.with_unit(value)}{f' [{ends}]' if ends else ''}"


def _between(summary: Summary, line: Estimate) -> str:
    """An interval in large letters."""
    low, high = (rounded(end or 0.0, summary.loss) for end in (line.low, line.high))
    return summary.with_unit(f"{low}–{high}")


def _share(summary: Summary, line: Estimate, of_baseline: float | None) -> str:
    """R^2 of a squared loss, in brackets."""
    share = "" if of_baseline is None else summary.loss.share(line.value, of_baseline)
    return f" ({share} against the baseline)" if share else ""


def _not_ruled_out(summary: Summary) -> Fact:
    names = [name for name in summary.selection["indistinguishable"] if name != summary.selected]
    count = len(summary.ranked) - 1
    gone = about_race.gone(summary.left_race)
    question = "Not ruled out"
    if not count:
        return Fact(question, "no other", gone or "there is no other candidate")
    if not summary.selection["indistinguishable"]:
        return Fact(question, "unknown", f"{summary.selection['criterion']} cannot say which others may be as good")
    useless = f"no better than the baseline: {_some(summary.no_better)}" if summary.no_better else ""
    if not names:
        every = "the other" if count == 1 else f"each of the {count} others" if not useless else "each other"
        said = f"{every} is shown to err more, at {summary.level}" if len(summary.no_better) < count else ""
        return Fact(question, "no other", "; ".join(part for part in (said, useless, gone) if part))
    by = f" by {summary.compared_by}" if summary.chosen_by_metric else ""
    error = summary.value(summary.selected, summary.compared_by) or 0.0
    worse = worse_by(summary.not_ruled_out, error, summary.loss)
    said = f"{f'{worse}{by}' if worse else f'not shown to err more{by}'}, at {summary.level}: {_some(names)}"
    answer = f"{len(names)} of {count} others{' that are left' if gone else ''}"
    return Fact(question, answer, "; ".join(part for part in (said, useless, gone) if part))


def _some(names: Sequence[str]) -> str:
    """The first names, as many as a card has room for, and how many more there are."""
    most = next((place for place in range(1, len(names)) if len(", ".join(names[: place + 1])) > _LONGEST), len(names))
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more else "")


def _by_margin(summary: Summary) -> list[Fact]:
    """Which others are shown to be alike by the margin; none without a margin or another candidate."""
    others = [one for one in summary.of_winner if one.against != baseline.NAME]
    if summary.margin is None or not others:
        return []
    alike = sum(one.by_margin == "alike" for one in others)
    margin = f"by a margin of {margin_text(summary.margin, summary.loss)} of {summary.compared_by}, at {summary.level}"
    text = f"{margin}: {about_winner.words(others, _some)}"
    return [Fact("Alike by the margin", f"{alike} of {len(others)} others", text)]


def _baseline(summary: Summary) -> Fact:
    """The baseline's value of the estimate to plan with, and how far the winner is from it on the same rows."""
    plan = summary.planned
    unit = "" if summary.percent else f"; {summary.scale}"
    of_baseline, estimate = summary.selection[baseline.NAME], "E_cv"
    apart = ""
    if plan is not None and plan.of_baseline is not None:
        of_baseline, estimate = plan.of_baseline, plan.against
        error = summary.value(summary.selected, plan.against)
        if plan.difference is not None and error is not None:
            apart = f"; {about_winner.from_baseline(plan.difference, error, summary.loss)}"
    about = f"{estimate} where every answer is {summary.loss.constant.says}{unit}{apart}"
    if summary.chosen_by_metric:
        about += f"; {_metric(summary, baseline.NAME)}"
    return Fact("Baseline", summary.amount(of_baseline), about)
