"""The lines that a run ends with: about ten, whatever asks for something whole, and the decision last."""

import pytest

from heldout.display import text_table
from tasks.outcome.contest import Promotion
from tasks.report import next_steps, terminal_summary
from tasks.report.headline import headline
from tests.variants import some

TRIAL = Promotion("no", "a trial", trial=True)
LONG = "word " * 90
CAVEATS = [f"{place}: {LONG}"[:299].strip() for place in range(6)]
CARE = {"verdict": "ship_with_care", "advice": "Ship bayes, with care"}
OUTCOMES = {
    "ship": {},
    "any of": {
        "verdict": "any_of",
        "advice": "Any of these 2: bayes",
        "others": "bayes is lowest",
        "any_of": ["bayes", "tree"],
        "indistinguishable": ["bayes", "tree"],
    },
    "with care": {**CARE, "caveats": CAVEATS},
    "not yet": {"verdict": "not_yet", "advice": f"Do not ship yet: {CAVEATS[0]}", "caveats": CAVEATS},
    "sealed": {"E_test": None, "test_openings": 0, "test_sealed": 462},
    "sealed, with care": {**CARE, "caveats": CAVEATS, "E_test": None, "test_sealed": 4},
    "used up": {**CARE, "caveats": ["the test set is used up"], "E_test": None, "test_refused": "opened for another"},
}


@pytest.fixture
def closing(summary, capsys, monkeypatch):
    """The lines below the table, in a terminal of a width."""
    monkeypatch.delenv("HELDOUT_VERBOSE")

    def show(width: int, decision: Promotion = TRIAL, **selection: object) -> list[str]:
        monkeypatch.setattr(text_table, "output_width", lambda: width)
        terminal_summary.print_summary(summary(**selection), decision, "with the run")
        return capsys.readouterr().out.rpartition("\n\n")[2].splitlines()

    return show


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("outcome", some(OUTCOMES, "not yet", "sealed, with care"))
def test_what_asks_for_something_is_whole_and_the_last_is_the_decision(closing, summary, outcome, width):
    """Cut are facts alone; caveats that have no room are counted, and the gravest always has it."""
    for decision in (TRIAL, Promotion("no", LONG)):
        lines = closing(width, decision, **OUTCOMES[outcome])
        assert [] == [line for line in lines if len(line) > width]
        said, screen = " ".join(" ".join(lines).split()), headline(summary(**OUTCOMES[outcome]))
        assert said.endswith(" ".join(f"{screen.advice} {screen.others}".split()))
        assert decision.trial == (screen.steps[0].rstrip(".") in said)
        assert all(caveat in said for caveat in screen.caveats[:1])
        if len(screen.caveats) > 1:
            assert f"caveat 1/{len(screen.caveats)}" in said
        if screen.caveats == ():
            assert len(lines) <= {80: 12, 120: 10}[width]


def test_what_a_stranger_wrote_is_cut_where_it_would_fill_the_screen(closing):
    endless = {"verdict": "not_yet", "caveats": ["word " * 5000], "advice": f"Do not ship yet: {'word ' * 5000}"}
    assert len(closing(100, **endless)) < 30


def test_the_lines_say_what_the_first_screen_says(closing):
    said = "\n".join(closing(200, **OUTCOMES["with care"]))
    for text in (
        "plan with     E_test = 12.5 %, on 4 rows that no choice has used",
        "caveat 1/6    0: word",
        "next          Label more rows",
        "all else      reports/report.html, reports/summary.md",
        "Ship bayes, with care",
    ):
        assert text in said
    assert "5: word" not in said


def test_a_sealed_test_set_and_a_promotion_have_a_line(closing):
    said = "\n".join(closing(120, **OUTCOMES["sealed"]))
    assert "test set      sealed: 462 rows; when you have decided, once: python -m flows open-test" in said
    assert "promoted      no: not distinguishable" in "\n".join(closing(120, Promotion("no", "not distinguishable")))


def test_who_has_registered_the_winner_is_not_asked_to(closing, monkeypatch):
    monkeypatch.setattr(next_steps, "_steps", lambda _summary: iter(()))
    decided, shipped = Promotion("no", "it is the champion"), {"caveats": [], "verdict": "ship"}
    trial, promoted = ("\n".join(closing(120, decision, **shipped)) for decision in (TRIAL, decided))
    assert "next          Nothing is open: register the winner with" in trial
    assert "next" not in promoted


def test_all_sentences_are_printed_on_request(closing, monkeypatch):
    assert "differences" not in "\n".join(closing(120))
    monkeypatch.setenv("HELDOUT_VERBOSE", "1")
    lines = closing(120)
    assert "Ship bayes" == lines[-1]
