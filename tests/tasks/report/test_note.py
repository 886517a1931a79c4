"""The note at the top of a run's page: the table by the criterion, links, and no markup of others."""

from dataclasses import replace

import pandas as pd
import pytest

from heldout.records import Estimate
from tasks.report.note import note, run_name

HOSTILE = ("[x](javascript:alert(1))", "<script>alert(1)</script>", "a|b", "*b*", "www.a.example", ":smile:", "\x1b[2J")


def rows(text: str) -> list[list[str]]:
    """The cells of the table."""
    lines = [line.replace("&ensp;", "") for line in text.splitlines() if line.startswith("| ")]
    return [line.strip("| ").split(" | ") for line in lines]


def test_candidates_stand_in_the_order_of_their_errors_with_the_winner_marked(summary):
    others = [Estimate("tree", "E_cv", 0.2, "one of the k", 7, 8), Estimate("tree", "E_val", 0.25, "g-", 7, 8)]
    text = note(summary(estimates=others, candidates=["tree", "bayes", "none"], failures={"none": "oh"})).text
    assert [
        ["candidate", "E_in", "E_val", "E_cv", "worse by"],
        ["**bayes**", "6.2", "–", "10.0 [5.0–15.0]", "–"],
        ["tree", "–", "25.0", "20.0", "5.0 [-5.0 to 15.0]"],
        ["none", "failed: oh"],
        ["baseline", "–", "–", "30.0 [20.0–40.0]", "20.0 [10.0 to 30.0]"],
    ] == [[cell for cell in cells if cell] for cells in rows(text)]
    assert "[report]({page}/artifacts/report.html)" in text
    assert "E_test 12.5 % · bayes · digits" == run_name(summary()).value


@pytest.mark.fault("markup")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_is_shown_and_is_no_markup(summary, name):
    found = summary(candidates=[name], selected=name, indistinguishable=[name])
    text = note(replace(found, estimates=found.estimates.replace("bayes", name))).text
    ours = note(summary(candidates=["bayes"])).text
    signs = "<>[]*|@`!\\"
    assert name not in text
    assert {sign: ours.count(sign) for sign in signs} == {sign: text.count(sign) for sign in signs}
    assert all(letter.isprintable() or letter == "\n" for letter in text)


def test_a_note_fits_into_a_tag_however_many_candidates_there_are(summary):
    names = [f"{place:_>200}" for place in range(300)]
    estimates = [Estimate(name, "E_cv", 0.2 + place, "one of the k", 7, 8) for place, name in enumerate(names)]
    text = note(summary(estimates=estimates, candidates=["bayes", *names], indistinguishable=["bayes", *names])).text
    assert len(text) < 4700  # the addresses of the links are longer than their place
    shown = rows(text)
    assert "**bayes**" == shown[1][0]
    assert f"and {301 - (len(shown) - 3)} more" == shown[-2][0]
    assert "baseline" == shown[-1][0]
    assert pd.Series([line.count("|") for line in text.splitlines() if line.startswith("|")]).nunique() == 1
