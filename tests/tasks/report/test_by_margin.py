"""What each place says by a margin: the words of the intervals, and alike in one sense."""

import re
from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from heldout.display import text_table
from heldout.losses import ZERO_ONE
from heldout.losses.tested_losses import Tested
from heldout.records import Estimate
from heldout.selection.comparison import Comparison
from heldout.selection.margin import WORDS
from tasks.outcome import by_margin
from tasks.outcome.contest import Promotion
from tasks.outcome.items import Tag
from tasks.report import outcome_page, summary_page, terminal_summary
from tasks.report.headline import headline
from tasks.report.note import note
from tasks.report.page import page
from tasks.report.run_items import candidate_items
from tasks.report.sections import differences
from tasks.report.sentences import sentences
from tasks.report.style import drawing
from tasks.storage import files, report_tables
from tests.tasks.records import write_records
from tests.tasks.report.test_closing_lines import OUTCOMES

ERRORS = {"bayes": 0.2, "twin": 0.2, "near": 0.24, "far": 0.5, "baseline": 0.5}
TREE = "sklearn.tree.ExtraTreeClassifier"
TRIAL = Promotion("no", "a trial", trial=True)
SAYS = {"better": "better than", "alike": "alike with", "worse": "worse than", "undecided": "undecided against"}


@cache
def records(margin: float | None) -> list:
    rng = np.random.default_rng(0)
    shared = rng.random(2000)
    losses = {name: (shared < error).astype(float) for name, error in ERRORS.items()}
    losses["near"] = (rng.random(2000) < ERRORS["near"]).astype(float)
    seen = {name: Tested(of, ZERO_ONE) for name, of in losses.items()}
    return Comparison(seen, None, 0.9, margin=None if margin is None else margin / 100).differences("bayes")


def result(margin: float | None):
    """What is read of a result."""
    return SimpleNamespace(differences=lambda *_: records(margin), compared_by="E_cv")


def shown(found) -> str:
    """The page, whose interval methods are of no interest here."""
    return page(replace(found, estimates=found.estimates.assign(interval=None)))


@pytest.fixture
def made(summary):
    """The summary by a margin of 2 percentage points, or another."""

    def make(margin: float | None = 2, **more):
        of_winner = more.pop("differences", records(margin))
        return summary(
            margin=margin,
            estimates=[Estimate(name, "E_cv", 0.5, "one of the k", 7, 8) for name in ("twin", "near", "far")],
            candidates=["bayes", "twin", "near", "far"],
            differences=of_winner,
            **{"indistinguishable": ["bayes", "twin", "near"], **more},
        )

    return make


def test_the_words_are_of_all_kinds_that_a_winner_has():
    assert {"twin": "alike", "near": "undecided", "far": "better", "baseline": "better"} == {
        one.against: one.by_margin for one in records(2)
    }


def test_every_place_has_the_words_and_alike_is_what_the_margin_says(made, capsys):
    found = made()
    terminal_summary.print_summary(found, TRIAL, "")
    places = {
        "terminal": capsys.readouterr().out,
        "summary.md": "\n".join(summary_page.lines(found)),
        "Prefect": outcome_page.text(found).replace("\\", ""),
        "page": shown(found),
        "MLflow": note(found).text.replace("\\", ""),
    }
    said = (
        "by a margin of 2 percentage points of E_cv bayes is better than far; alike with twin; undecided against near; "
        "at 90 % for all its comparisons together; and it is better than the baseline"
    )
    for place, text in places.items():
        assert said in " ".join(text.split()), place
        assert not re.search(r"^[-* ]*\W*alike\W*:|<dt>alike</dt><dd>at", text, re.MULTILINE), place
        assert "none of these 2 is shown to err more than bayes: twin, near" in " ".join(text.split()), place
    assert "<dt>alike</dt><dd>Shown to differ by at most the margin, 2 percentage points" in places["page"]


def test_without_a_margin_every_place_is_as_before(made):
    plain, same = made(None), made(None, differences=[replace(one, by_margin=None) for one in records(2)])
    for text in (shown, lambda found: note(found).text, lambda found: "\n".join(summary_page.lines(found))):
        assert (words := text(plain)) == text(same)
        assert not re.search("by a margin|by the margin|<dt>alike", words)
    assert {"not ruled out"} == {"not ruled out", "alike", "margin"} & {*sentences(plain)}
    assert ["plan with"] == [*headline(plain).facts]
    assert ["plan with", "margin"] == [*headline(made()).facts]


def test_the_section_of_differences_has_a_column_and_says_what_the_words_mean(made):
    section = differences.section(made())
    (table,) = section.numbers
    assert "by the margin" == table.head[3]
    assert {one.against: one.by_margin for one in records(2)} == {row[0]: row[3] for row in table.rows}
    assert "bayes is better or worse by the margin where the whole interval lies beyond ±2 percentage points" in (
        section.reading
    )
    assert "by the margin" not in differences.section(made(None)).numbers[0].head
    with drawing():
        [axes] = section.pictures[0].draw().axes
    words = {text.get_text() for text in axes.texts}
    assert {"better", "alike", "undecided"} <= words


def test_the_run_of_another_candidate_says_how_the_winner_compares(made, settings_with):
    (tree,) = settings_with(f"candidates=[{{name: far, estimator: {TREE}}}]").candidates
    found = made()
    found.curves.fold_errors["far"] = found.curves.progressive_errors["far"] = np.array([0.5])
    assert Tag("by_margin", "selected is better") in list(candidate_items(tree, found))


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_the_margin_has_a_line_in_every_terminal(made, capsys, monkeypatch, outcome, width):
    monkeypatch.delenv("HELDOUT_VERBOSE")
    monkeypatch.setattr(text_table, "output_width", lambda: width)
    for decision in (TRIAL, Promotion("no", "word " * 90)):
        terminal_summary.print_summary(made(**OUTCOMES[outcome]), decision, "with the run")
        lines = capsys.readouterr().out.rpartition("\n\n")[2].splitlines()
        assert any(line.startswith("margin        by a margin of 2 ") for line in lines)
        assert ("caveat" in "".join(lines)) == ("caveats" in OUTCOMES[outcome])


def test_differences_csv_and_selection_json_have_the_words_where_there_is_a_margin(
    tmp_path, monkeypatch, settings_with
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reports").mkdir()
    write_records("differences", records(2))
    table = report_tables.read_differences()
    assert [one.by_margin for one in records(2)] == table["by_margin"].tolist()
    with_margin = files.DIFFERENCES.read_text().splitlines()
    write_records("differences", records(None))
    plain = files.DIFFERENCES.read_text().splitlines()
    assert plain == [line.rpartition(",")[0] for line in with_margin]
    assert not pd.isna(table["low"]).any()
    described = by_margin.described(settings_with("selection.margin=2"), result(2))
    assert {"better": ["far", "baseline"], "worse": [], "alike": ["twin"], "undecided": ["near"]} == described[
        "by_margin"
    ]
    assert [*WORDS] == [*described["by_margin"]]
    assert {} == by_margin.described(settings_with(), result(None))
