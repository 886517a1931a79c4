"""The table and the sentences at the end of a run, in terminals of any width."""

from dataclasses import replace

import pytest

from heldout.display import text_table
from heldout.records import Estimate
from tasks.outcome.contest import Promotion
from tasks.plans.fit_costs import FitCost
from tasks.report import terminal_summary
from tasks.report.labelled_lines import labelled_lines

LONG = "boosting[depth=3, rate=0.01, rows=all of them]"
OF_TREE = [
    Estimate("tree", name, 3253.4**2, "g", 8, 8, low=2100.1**2, high=5100.9**2, level=0.9, interval="log t")
    for name in ("E_in", "E_val", "E_cv", "E_prog", "E_2cv", "disagreement", "E_dis", "E_maxdt")
]


@pytest.fixture
def shown(summary, capsys, monkeypatch):
    """What a terminal of a width shows of losses of numbers; of some thousands, with one candidate that failed."""

    def show(width: int, selected: str = "bayes", **more: object) -> str:
        monkeypatch.setattr(text_table, "output_width", lambda: width)
        made = summary(percent=False, estimates=OF_TREE, failures={LONG: "no"}, selected=selected, **more)
        made = replace(made, selection={**made.selection, "candidates": ["tree", "bayes", LONG]})
        terminal_summary.print_summary(made, Promotion("no", "a trial"), "with the run")
        return capsys.readouterr().out

    return show


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
def test_names_are_never_cut_and_intervals_never_shortened(shown, width):
    said = shown(width)
    body, _, below = said.partition("\n\nselected ")
    assert "…" not in said.rpartition("\n\n")[0]  # what follows is cut, and says where all is
    assert body.count("2100–5101") == len(OF_TREE)
    assert body.count(LONG) == body.count("\n\n") + 1
    assert [] == [line for line in body.splitlines() if len(line) > width]
    assert f"\n{LONG} failed\n" in below


@pytest.mark.parametrize("selected", ["bayes", "tree"])
def test_candidates_are_sorted_by_the_criterion_with_the_baseline_last_and_the_winner_marked(shown, selected):
    table = shown(200, selected, more_rows=[]).partition("\n\nselected ")[0].rpartition("─")[2].splitlines()[1:]
    names = ("bayes", "tree", LONG, "baseline")
    found = [(line[0] == "*", name) for line in table for name in names if line[2:].startswith(name)]
    assert [(name == selected, name) for name in names] == found


def test_a_column_of_nothing_is_left_out(summary, capsys):
    terminal_summary.print_summary(summary(), Promotion("no", ""), "")
    header = capsys.readouterr().out.splitlines()[2]
    assert ["candidate", "E_in", "E_cv", "worse", "by"] == header.split()


@pytest.mark.parametrize("width", [50, 120])
def test_what_a_fit_costs_is_a_column_where_it_needs_no_further_lines(summary, capsys, monkeypatch, width):
    monkeypatch.setattr(text_table, "output_width", lambda: width)
    monkeypatch.delenv("HELDOUT_VERBOSE", raising=False)
    made = summary()
    plain, costs = [], {"bayes": FitCost(0.001, 0.4, 5300)}
    for known in ({}, costs):
        terminal_summary.print_summary(made, Promotion("no", ""), "", known)
        plain.append(capsys.readouterr().out.splitlines())
    assert len(plain[0]) == len(plain[1])
    shown = f"{0.001 * made.selection['rows']['labeled']:.2g} s, 5.2 KiB"
    assert (width == 120) == (shown in "\n".join(plain[1]))
    assert (width == 50) == (plain[0] == plain[1])


def test_each_sentence_stands_next_to_its_name_and_a_long_name_on_a_line_of_its_own():
    texts = {"bound": "at most four words here", "a name of more than sixteen": "none"}
    found = [label + text for label, text in labelled_lines(texts, 20)]
    assert ["bound  at most four words here", "a name of more than sixteen", "       none"] == found


def test_the_winner_is_green_what_failed_is_red_and_the_baseline_is_grey(shown, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    table = shown(200, more_rows=[]).partition("\n\n")[0].rpartition("─")[2].splitlines()
    styles = {"* bayes": "\x1b[1;32m", "  tree": "", f"  {LONG}": "\x1b[31m", "  baseline": "\x1b[90m"}
    for start, style in styles.items():
        assert 1 == sum(line.startswith(style + start) for line in table)


@pytest.mark.parametrize("lengths", [[16], [3, 16, 17], [1, 15, 40], [5, 12]])
def test_every_text_starts_in_the_same_column_behind_its_name(lengths):
    texts = {length * "n": "some words that need several lines" for length in lengths}
    lines = [label + text for label, text in labelled_lines(texts, 20)]
    starts = {len(line) - len(line.lstrip("n").lstrip()) for line in lines if not set(line) <= {"n"}}
    assert {2 + max(length for length in lengths if length <= 16)} == starts


def test_what_the_winner_costs_is_a_line_of_all_that_is_known(summary, capsys, monkeypatch):
    monkeypatch.setenv("HELDOUT_VERBOSE", "1")
    terminal_summary.print_summary(summary(), Promotion("no", ""), "", {"bayes": FitCost(0.25, 2.5, 2048)})
    rows = summary().selection["rows"]["labeled"]
    said = " ".join(capsys.readouterr().out.split())
    assert f"{0.25 * rows:.2g} s a fit, 2.5 µs a prediction, a model of 2 KiB, on this machine" in said
