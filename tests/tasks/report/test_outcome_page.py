"""The outcome on pages of others: each candidate's estimates, sentences, and nothing of a user that renders."""

import re

import pytest

from heldout.printable import printable
from tasks.report import outcome_page
from tasks.report.sentences import sentences

HOSTILE = "[x](http://evil.example) <script>alert(1)</script> **b** |c| \x1b[2J http://evil.example"


def test_the_table_has_each_candidate_the_least_error_first_and_each_interval(summary):
    made = summary(failures={"oak": "no"}, candidates=["oak", "tree", "bayes"])
    lines = outcome_page.rows(made)
    assert ["bayes (selected)", "tree", "oak", "baseline"] == [line["candidate"] for line in lines]
    assert {"failed: no", ""} == {text for name, text in lines[2].items() if name != "candidate"}
    value, interval = made.cell("bayes", "E_cv")
    assert f"{value} [{interval}]" == lines[0]["E_cv"]
    assert len({tuple(line) for line in lines}) == 1


def test_the_text_has_the_winner_its_error_and_every_sentence(summary):
    made = summary()
    advice, _, *below = outcome_page.first(made).splitlines()
    assert (made.decision.advice, outcome_page.strip(made)) == (advice, below)
    value, _ = made.cell("bayes", "E_test")
    assert f"plan with E_test = {value} %, " in outcome_page.text(made).replace("\\", "")  # with which one plans
    strip = "\n".join(outcome_page.strip(made))
    assert f"```\n{strip}\n```" in outcome_page.text(made)
    assert "plan with it" in strip
    assert "" == re.sub(r"[\x00-\x7f–←]", "", strip)  # whose width a font may change only at the end of a line
    assert len(sentences(made)) == outcome_page.text(made).count("\n- ")


@pytest.mark.fault("markup")
def test_no_text_of_a_user_is_markup(summary):
    page = outcome_page.text(summary(failures={"tree": HOSTILE}, optimism=HOSTILE))
    assert printable(HOSTILE) in re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", page)
    before, strip, after = page.split("```")  # the strip has no text of a user
    assert not re.search(r"[a-z]{4}", re.sub(r"others|bound|at most|plan with it|baseline|E_\w+", "", strip))
    for line in re.sub(r"\\[!-/:-@\[-`{-~]", "", before + after).splitlines():
        assert re.fullmatch(r"(# |- \*\*[\w ]+\*\*: )?[\w \u2013]*", line), line
