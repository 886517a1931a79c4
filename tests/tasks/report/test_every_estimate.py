"""Every estimate at every place where people look: shown, or left out for a reason; the same order at all of them."""

import re
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from heldout.display.cells import WORSE
from heldout.estimates import BY_COLUMN, ESTIMATES, FIRST, OF_THE_WINNER, PER_CANDIDATE, SHOWN
from heldout.records import Estimate
from heldout.selection.race import Dropped
from tasks.outcome.gate_verdict import OF_BASELINE
from tasks.outcome.items import TrackedMetric
from tasks.report import estimates_table, note, outcome_page
from tasks.report.glossary import GLOSSARY
from tasks.report.run_items import candidate_items, version_tags
from tasks.report.sections import estimates, targets
from tasks.report.sentences import sentences
from tasks.report.style import drawing

DOCS = Path(__file__).parents[3] / "docs"
BOUNDS = {"low": 0.05, "high": 0.3, "level": 0.9}
ERRORS = {"bayes": 0.1, "tree": 0.3, "forest": 0.2}


def records() -> list[Estimate]:
    """A line of every estimate: of three candidates, of the winner, and of what is delivered."""
    made = []
    for name, definition in ESTIMATES.items():
        default = ESTIMATES[definition.carried_from or name].default
        bounds = {} if default is None else {**BOUNDS, "interval": default.zero_one.name}
        of = ["bayes"] if name not in PER_CANDIDATE else list(ERRORS)
        made += [Estimate(one, name, ERRORS[one], definition.about, 8, 8, **bounds) for one in of]
    return made


@pytest.fixture
def full(summary):
    """A summary with every estimate."""

    def make(**selection):
        table = pd.DataFrame([vars(record) for record in records()])
        return replace(summary(candidates=list(ERRORS), **selection), estimates=table)

    return make


def test_the_terminal_and_prefect_show_each_estimate_of_candidates_unless_it_is_hidden(full):
    columns, rows = estimates_table.columns_and_rows(full())
    assert [*SHOWN, WORSE] == columns
    assert [*FIRST, WORSE] == estimates_table.columns_and_rows(full(), whole=False)[0]
    assert [("10.0", "5.0–30.0")] == [rows[0].cells[columns.index("E_cv")]]
    assert all(cell[0] != "–" for row in rows[:3] for cell in row.cells[:-1])
    assert ["candidate", *SHOWN, WORSE] == list(outcome_page.rows(full())[0])


def test_the_table_of_the_report_has_every_estimate_and_a_panel_each_that_candidates_share(full):
    made = estimates.section(full())
    heads = [name for table in made.numbers for name in table.head[1:]]
    assert sorted(definition.name for definition in BY_COLUMN) == sorted(heads)
    assert max(len(table.head) for table in made.numbers) <= 7
    of_winner, *shared = [picture.alt.split(",")[0] for picture in (*made.pictures, *made.further)]
    assert sorted(SHOWN) == sorted(shared)
    assert "bayes: to plan with" == of_winner
    assert {ESTIMATES[name].kind for name in shared[len(made.pictures) - 1 :]} >= {"disagreement", "implied error"}


def test_the_first_panel_has_the_numbers_to_plan_with(full):
    with drawing():
        [axes] = estimates.section(full()).pictures[0].draw().axes
    assert ["E_cv", "E_bbc", "E_nested", "E_test", "bound"] == [text.get_text() for text in axes.get_yticklabels()]
    # E_bbc has no default interval, so that the records of this test have none for it
    assert ["10.0 [5.0–30.0]", "10.0", "10.0 [5.0–30.0]", "10.0 [5.0–30.0]", "at most 25.0"] == [
        text.get_text() for text in axes.texts
    ]


def test_the_note_has_the_estimates_of_first_screens(full):
    head = next(line for line in note.note(full()).text.splitlines() if line.startswith("| candidate"))
    shown = re.findall(r"E\\?_\w+|disagreement", head)
    assert [*FIRST] == [name.replace("\\", "") for name in shown]
    assert {"E_val", "E_cv", "E_prog", "disagreement"} <= {*FIRST}


def test_mlflow_has_every_estimate_with_its_bounds(full, settings_with, monkeypatch):
    monkeypatch.setattr("tasks.report.run_items.files.read_data_hash", lambda: "0")
    (bayes,) = settings_with("candidates=[{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}]").candidates
    made = full()
    made.curves.fold_errors["bayes"] = made.curves.progressive_errors["bayes"] = made.estimates["value"].to_numpy()[:0]
    items = [item for item in candidate_items(bayes, made) if isinstance(item, TrackedMetric)]
    metrics = {name for item in items for name, _ in item.numbers()}
    assert {*ESTIMATES} <= metrics
    with_bounds = {record.estimate for record in records() if record.low is not None}
    assert {f"{name}_{end}" for name in with_bounds for end in ("low", "high")} <= metrics
    assert {*ESTIMATES} <= {*version_tags(bayes, made)}


def test_every_estimate_is_explained(full):
    assert {*ESTIMATES} <= {*GLOSSARY}
    assert {name: definition.meaning for name, definition in ESTIMATES.items()}.items() <= GLOSSARY.items()
    lines = {line["estimate"]: line for line in targets.targets(full())}
    assert {*ESTIMATES} == {*lines}
    assert all(line["assumption"] for line in lines.values() if line["interval"])
    told = sentences(full())
    assert {*OF_THE_WINNER} <= {*told}
    assert all(ESTIMATES[name].after_the_choice in told[name] for name in OF_THE_WINNER)


def test_the_report_says_on_how_many_rows_each_number_was_trained_and_tested(summary):
    (table,) = targets.section(replace(summary(), estimates=summary().estimates.assign(interval=None))).tables
    columns = dict(zip(table.head, zip(*table.rows, strict=True), strict=True))
    assert ("E_in", "E_cv", "E_test") == columns["estimate"]
    assert (("8", "7", "8"), ("8", "8", "4")) == (columns["trained on"], columns["tested on"])


@pytest.mark.parametrize("name", ESTIMATES)
def test_the_documentation_has_every_estimate(name):
    pages = "".join((DOCS / page).read_text(encoding="utf-8") for page in ("method.md", "losses.md"))
    headings = re.findall(r"^## (.+)$", pages, re.MULTILINE)
    assert any(f"`{name}`" in heading for heading in headings)
    assert f"`{name}`" in (DOCS / "reading.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("criterion", ["E_cv", "E_maxdt", "max(E_cv, E_maxdt)"])
def test_candidates_have_one_order_everywhere(full, criterion):
    made = full(criterion=criterion)
    of_maxdt = made.estimates["estimate"] == "E_maxdt"
    made.estimates.loc[of_maxdt, "value"] = made.estimates["candidate"].map({"bayes": 0.3, "tree": 0.1, "forest": 0.2})
    expected = {
        "E_cv": ["bayes", "forest", "tree"],
        "E_maxdt": ["tree", "forest", "bayes"],
        "max(E_cv, E_maxdt)": ["forest", "bayes", "tree"],  # .2, .3, .3: a tie stays in its order
    }[criterion]
    assert expected == made.ranked
    assert expected == [row.name for row in estimates_table.columns_and_rows(made)[1]][:3]
    assert expected == [re.sub(r" \(selected\)", "", row["candidate"]) for row in outcome_page.rows(made)][:3]
    assert expected == [row[0] for row in estimates.section(made).numbers[0].rows][:3]
    noted = [line for line in note.note(made).text.splitlines() if line.startswith("| ")][1:4]
    assert expected == [re.sub(r"\W", "", line.split("|")[1]) for line in noted]


def test_what_the_gate_compares_with_the_baseline_is_an_estimate_of_it():
    assert {"E_bbc": "E_cv", "bound": "E_val"} == OF_BASELINE


def test_one_that_a_race_dropped_has_a_line_everywhere(full, settings_with):
    one = Dropped("tree", 40, 150, 33.0, "bayes", 0.3, 0.025)
    made = full(dropped=[vars(one)])
    made = replace(made, estimates=made.estimates[made.estimates["candidate"] != "tree"])
    says = "dropped after 40 of 150 tested rows: 30.0 % there, bayes 2.5 %"
    assert ["bayes", "forest"] == made.ranked
    rows = estimates_table.columns_and_rows(made)[1]
    assert [("tree", says)] == [(row.name, row.note) for row in rows if row.note]
    assert {says, ""} == {*outcome_page.rows(made)[2].values()} - {"tree"}
    assert "| tree | &ensp;dropped after 40" in note.note(made).text
    (line,) = (row for row in estimates.section(made).numbers[0].rows if says in str(row[0]))
    assert {"–"} == {*line[1:]}
    (tree,) = settings_with("candidates=[{name: tree, estimator: sklearn.tree.DecisionTreeClassifier}]").candidates
    assert says in {getattr(item, "value", None) for item in candidate_items(tree, made)}
    told = sentences(made)["race"]
    assert "1 of 3 candidates erred so much more" in told
