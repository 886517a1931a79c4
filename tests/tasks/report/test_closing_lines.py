"""The lines that a run ends with: at most ten, whatever there is to say, and the decision last."""

import pytest

from heldout.shown import text_table
from tasks.outcome.contest import Promotion
from tasks.report import printed
from tests.variants import some

TRIAL = Promotion("no", "a trial", trial=True)
LONG = "word " * 90
CAVEATS = [f"{place}: {LONG}"[:299].strip() for place in range(6)]
CARE = {"verdict": "ship_with_care", "advice": "Ship, with care: bayes"}
OUTCOMES = {
    "ship": {},
    "any of": {
        "verdict": "any_of",
        "advice": "Any of these 2; bayes is lowest",
        "indistinguishable": ["bayes", "tree"],
    },
    "with care": {**CARE, "caveats": CAVEATS},
    "not yet": {"verdict": "not_yet", "advice": f"Do not ship yet: {CAVEATS[0]}", "caveats": CAVEATS},
    "sealed": {"E_test": None, "test_openings": 0, "test_sealed": 462},
    "sealed, with care": {**CARE, "caveats": CAVEATS, "E_test": None, "test_sealed": 4},
    "used up": {**CARE, "caveats": ["the test part is used up"], "E_test": None, "test_refused": "opened for another"},
}


@pytest.fixture
def closing(summary, capsys, monkeypatch):
    """The lines below the table, in a terminal of a width."""
    monkeypatch.delenv("HELDOUT_VERBOSE")

    def show(width: int, decision: Promotion = TRIAL, **selection: object) -> list[str]:
        monkeypatch.setattr(text_table, "output_width", lambda: width)
        printed.print_summary(summary(**selection), decision, "with the run")
        return capsys.readouterr().out.rpartition("\n\n")[2].splitlines()

    return show


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("outcome", some(OUTCOMES, "not yet", "sealed, with care"))
def test_there_are_at_most_ten_lines_and_the_last_is_the_decision(closing, outcome, width):
    for decision in (TRIAL, Promotion("no", LONG)):
        lines = closing(width, decision, **OUTCOMES[outcome])
        assert len(lines) <= 10
        assert [] == [line for line in lines if len(line) > width]
        advice = OUTCOMES[outcome].get("advice", "Ship bayes")
        start = next(place for place, line in enumerate(lines) if line.startswith(advice[:20]))
        assert advice.startswith(" ".join(lines[start:]).removesuffix(" …"))


def test_the_lines_say_what_the_first_screen_says(closing):
    said = "\n".join(closing(200, **OUTCOMES["with care"]))
    for text in (
        "plan with   10.0–20.0 %: E_test = 12.5 %, on 4 rows that no choice has used",
        "as good as  no other: ",
        "baseline    25.0 %: E_test where every answer is",
        "caveat      0: word",
        "(and 3 more in the report) 2: word",
        "next        Label more rows",
        "all else    reports/report.html, reports/summary.md",
        "Ship, with care: bayes",
    ):
        assert text in said
    assert "3: word" not in said.replace("0: word", "")


def test_a_sealed_test_part_and_a_promotion_have_a_line(closing):
    said = "\n".join(closing(120, **OUTCOMES["sealed"]))
    assert "test part   sealed: 462 rows; when you have decided, once: python -m flows open-test" in said
    assert "promoted    no: not distinguishable" in "\n".join(closing(120, Promotion("no", "not distinguishable")))


def test_all_sentences_are_printed_on_request(closing, monkeypatch):
    assert "differences" not in "\n".join(closing(120))
    monkeypatch.setenv("HELDOUT_VERBOSE", "1")
    lines = closing(120)
    assert "Ship bayes" == lines[-1]
