"""What to do next: at most three steps, the most urgent first."""

from collections.abc import Iterator, Sequence
from itertools import islice

import pandas as pd

from heldout import credible
from heldout.more_rows import AT_2N
from tasks.outcome.suspicious_record import Suspicious
from tasks.report.summary import Summary, shown_count

_MOST = 3


def next_steps(summary: Summary) -> Sequence[str]:
    """The steps that the results ask for; ready to ship where there is none."""
    steps = list(islice(_steps(summary), _MOST))
    return steps or ["Nothing is open: register the winner with python -m flows validate --promote."]


def _steps(summary: Summary) -> Iterator[str]:
    selection, winner = summary.selection, summary.selected
    if (doubt := Suspicious.read(selection)) is not None:
        columns = ", ".join(" with ".join(one.columns) for one in doubt.carriers)
        yield (
            f"Check the columns {columns}: they may hold the answer."
            if columns
            else "Check where the labels come from."
        )
    if selection.get("not_credible"):
        yield f"{_first_letter_up(credible.advice(summary.loss, weighted=summary.weighted))}: few rows carry the error."
    if not selection["beats_baseline"]:
        yield "Look for features that say more about the target: these do not beat a constant answer."
    if summary.optimism:
        yield "Set split.stratify to null and run again: the estimates are too low."
    if summary.other_population:
        yield f"Label some of the unlabelled rows before you trust an error there: {summary.other_population}."
    alike = selection["indistinguishable"]
    if len(alike) > 1:
        simplest, others = alike[0], "one other is" if len(alike) == 2 else f"{len(alike) - 1} others are"
        yield (
            f"At {summary.level} {others} not shown to err more than the winner: {winner} is the simplest of them."
            if simplest == winner
            else f"At {summary.level} {others} not shown to err more than {winner}: take {simplest} if you prefer the "
            "simplest (selection.rule: indistinguishable)."
        )
    yield from _more_rows(summary)
    if selection["test_refused"]:
        yield "Take new rows for a test: the test part is used up."
    elif selection["rows"]["test"] == 0:
        yield "Keep rows for a final test (split.test_fraction): all rows were used to choose."


def _first_letter_up(text: str) -> str:
    return text[:1].upper() + text[1:]


def _more_rows(summary: Summary) -> Iterator[str]:
    """Whether to collect rows, where the learning curve says so."""
    curve = {line["estimate"]: line for line in summary.learning_curve().to_dict("records")}
    gain, twice = curve.get("gain"), curve.get(AT_2N)
    if gain is None or twice is None or pd.isna(gain["low"]) or pd.isna(twice["low"]):
        return
    if gain["low"] <= 0:
        yield "Look for other features or learners: more rows are not shown to lower the error."
        return
    error = f"{summary.amount(twice['value'])} ({summary.number(twice['low'])}–{summary.number(twice['high'])})"
    rows = shown_count(int(twice["rows"]))
    label = ", and python -m flows label-next says which" if summary.unlabeled else ""
    yield f"Label more rows{label}: with {rows} training rows the error may fall to {error}."
