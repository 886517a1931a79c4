"""What to do next: at most three steps, the most urgent first. A step rests on what is shown, not on what is not."""

from collections.abc import Iterator, Sequence
from itertools import islice

import pandas as pd

from heldout.diagnosis.more_rows import AT_2N
from heldout.findings import checks
from heldout.intervals import credible
from heldout.losses.amounts import margin_text
from heldout.metrics.skill import Skill
from tasks.outcome.suspicious import Suspicious
from tasks.report.summary import Summary, shown_count
from tasks.runtime.own_code import COMMAND
from tasks.storage import findings

_MOST = 3


def next_steps(summary: Summary) -> Sequence[str]:
    """The steps that the results ask for; ready to ship where there is none and nothing speaks against it."""
    steps = list(islice(_steps(summary), _MOST))
    if steps:
        return steps
    if caveats := summary.decision.caveats:
        return [f"Decide whether you accept this: {caveats[0]}."]
    return [f"Nothing is open: register the winner with {COMMAND} validate --promote."]


def _steps(summary: Summary) -> Iterator[str]:
    selection = summary.selection
    if (doubt := Suspicious.read(selection)) is not None:
        columns = ", ".join(" with ".join(one.columns) for one in doubt.carriers)
        yield (
            f"Check the columns {columns}: they may hold the answer."
            if columns
            else "Check where the labels come from."
        )
    found = [finding for finding in summary.rows.found.findings if finding.open]
    yield from (f"{_first_letter_up(one.decide)}." for one in found if one.topic == "batch")
    if pending := [finding for finding in found if finding.topic != "batch"]:
        first = pending[0].decide or pending[0].text
        of = f" ({', '.join(pending[0].columns[:_MOST])})" if pending[0].columns else ""
        end = "" if first.endswith("?") else "."
        others = len(pending) - 1
        more = f" There {'is' if others == 1 else 'are'} {others} more." if others else ""
        by_run = pending[0].done == findings.BY_THE_RUN
        how = (
            f"If it is right as it is, write {checks.MUTED}: [{pending[0].code}] in params.yaml."
            if by_run
            else f"Write the decision in {findings.PATH}."
        )
        yield f"Decide about what {'this run' if by_run else 'init'} found{of}: {first}{end} {how}{more}"
    if selection.get("not_credible"):
        reasons = selection["not_credible"].values()
        said = credible.advice(summary.loss, weighted=summary.weighted, reasons=reasons)
        yield f"{_first_letter_up(said)}: few rows carry the error.{_spends(summary)}"
    yield from _against_baseline(summary)
    if summary.rows.optimism:
        yield f"Set split.stratify to null and run again: the estimates are too low.{_spends(summary)}"
    if summary.other_population:
        yield f"Label some of the unlabelled rows before you trust an error there: {summary.other_population}."
    yield from _simpler(summary)
    yield from _more_rows(summary)
    if selection["test_refused"]:
        yield "Take new rows for a test: the test set is used up."
    elif selection["rows"]["test"] == 0:
        yield "Keep rows for a final test (split.test_fraction): all rows were used to choose."
    elif (sealed := selection["test_sealed"]) and summary.decision.verdict != "not_yet":
        yield f"When you have decided, open the test set ({shown_count(sealed)} rows): {COMMAND} open-test."


def _spends(summary: Summary) -> str:
    """What a step to another winner costs where the test set is open."""
    return " The opened test set is this winner's: another one needs new test rows." if summary.opened else ""


def _simpler(summary: Summary) -> Iterator[str]:
    """The simplest that is shown to be alike by the margin; nothing where E_test would be lost by taking it."""
    order, any_of = summary.selection["candidates"], summary.decision.any_of
    simplest = next((name for name in order if name in any_of), summary.selected)
    if simplest == summary.selected or summary.margin is None or summary.opened:
        return
    yield (
        f"Take {simplest} if you prefer the simplest: by your margin of {margin_text(summary.margin, summary.loss)} it "
        f"is shown to be alike with {summary.selected}. Leave the others out of candidates."
    )


def _first_letter_up(text: str) -> str:
    return text[:1].upper() + text[1:]


def _against_baseline(summary: Summary) -> Iterator[str]:
    """What follows where a constant answer is not shown to be worse, in the loss that was chosen."""
    beaten = summary.selection["beats_baseline"]
    if beaten:
        return
    winner, measure, skill = summary.selected, summary.judged_by, Skill.read(summary.selection.get("skill"))
    if skill is not None:
        better = (
            "log or brier if you use probabilities, or the cost of each error; or choose by E_auc if you use ranks"
            if summary.loss.of_classes
            else "squared if you use the mean"
        )
        yield (
            f"Choose the loss by the use: by {measure} {winner} is not shown to beat a constant answer, but it "
            f"has {skill.shown}. Set loss: {better}.{_spends(summary)}"
        )
    elif beaten is None:
        yield (
            f"It cannot be told yet whether {winner} errs less than a constant answer, by {measure}: "
            "more labelled rows may tell."
        )
    else:
        yield (
            f"Look for features that say more about the target: by {measure} these do not beat a constant answer."
            f"{_spends(summary)}"
        )


def _more_rows(summary: Summary) -> Iterator[str]:
    """Whether to collect rows, where the learning curve says so."""
    curve = {line["estimate"]: line for line in summary.learning_curve().to_dict("records")}
    gain, twice = curve.get("gain"), curve.get(AT_2N)
    if gain is None or twice is None or pd.isna(gain["low"]) or pd.isna(twice["low"]):
        return
    if gain["high"] <= 0:
        yield f"Look for other features or learners: more rows did not lower the error.{_spends(summary)}"
        return
    if gain["low"] <= 0:
        unit, of_halves = " percentage points" if summary.percent else "", curve["E_2cv"]["value"]
        value, low, high = (summary.points(gain[end], of_halves) for end in ("value", "low", "high"))
        gained = f"{value}{unit} [{low} to {high}]"
        yield f"Whether more rows lower the error cannot be told yet: they gained {gained} so far."
        return
    now, rows = summary.value(summary.selected, "E_cv") or 0.0, shown_count(int(twice["rows"]))
    if summary.margin is not None and now - twice["value"] <= summary.margin:
        return
    ends = f"{summary.number(twice['low'])}–{summary.number(twice['high'])}"
    labelled = summary.selection["rows"]
    if labelled["estimates"] == labelled["labeled"]:
        label = f" ({COMMAND} label-next says which)" if summary.unlabeled.present else ""
        first = f"Label more rows{label} if this is worth it to you"
    elif summary.opened:  # the model of all labelled rows is measured
        return
    else:
        first = f"Let the estimates use more of the {shown_count(labelled['labeled'])} labelled rows (split.rows)"
    yield (
        f"{first}: with {rows} training rows the error may be {summary.amount(twice['value'])} [{ends}], in place of "
        f"{summary.amount(now)}."
    )
