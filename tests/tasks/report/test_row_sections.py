"""The sections about single rows, shards and the winner's curves: each number that they show is one of their table."""

from dataclasses import replace

import pandas as pd
import pytest

from heldout.losses import SQUARED
from heldout.records import CalibrationBin, ClassError, ColumnReliance, Confused, Residual, RocPoint, ShardDisagreement
from tasks.report.sections import class_errors, columns, hard_rows, shard_disagreement, to_label, winner_curves
from tasks.report.sentences import sentences
from tasks.report.style import drawing
from tasks.report.summary import WinnerTables

WHOSE = {"candidate": "bayes", "hypothesis": "g", "part": "test set"}
HARD = {"row": 1234, "prepared_row": 7, "label": "<b>", "answer": "won", "answer_share": 0.9, "loss": 1.0}
HARD |= {"least_loss": 1.0, "half_loss": 0.95, "candidates_wrong": 2, "candidates": 2}
OF_NUMBERS = {"label": "452600.5", "answer": "310000", "answer_share": None, "loss": 625.0, "least_loss": 400.0}
OF_NUMBERS |= {"candidates_wrong": None}
SHARDS = [
    ShardDisagreement("shard-00000", "new/march.csv", 40, 0.125, 0.0625, 0.25, 0.9, "two-way Wilson"),
    ShardDisagreement("shard-00001", "new/$april$.csv", 1, 0.5),
]


def table(records, **whose):
    return pd.DataFrame([{**whose, **(record if isinstance(record, dict) else vars(record))} for record in records])


def texts(section):
    cells = [cell for of in (*section.tables, *section.numbers) for row in of.rows for cell in row]
    return [cell if isinstance(cell, str) else cell.text for cell in cells]


def made(module, summary, **tables):
    with drawing():
        return module.section(replace(summary, tables=WinnerTables(**tables)))


def test_without_lines_there_is_no_section(summary):
    modules = (class_errors, columns, hard_rows, shard_disagreement, to_label, winner_curves)
    assert [None] * 6 == [made(module, summary()) for module in modules]


def test_hard_rows_of_classes_and_of_numbers(summary):
    section = made(hard_rows, summary(), hard_rows=table([HARD, {**HARD, "row": 5, "candidates_wrong": 1}]))
    assert ["1234", "<b>", "won", "90 %", "2 of 2", "5", "<b>", "won", "90 %", "1 of 2"] == texts(section)
    assert "2 of them, 1 by every candidate" in section.caption
    section = made(hard_rows, replace(summary(), loss=SQUARED), hard_rows=table([{**HARD, **OF_NUMBERS}]))
    assert ["1234", "452,600", "310,000", "25", "20"] == texts(section)  # squared losses as distances


def test_classes_stand_in_the_order_of_their_errors(summary):
    lines = [
        ClassError("bayes", "lost", 40, 0.05, 0.01, 0.2),
        ClassError("bayes", "won", 2, 0.5, None, None, "fewer than 4 rows"),
        ClassError("bayes", "$draw$", 0, None, None, None, "rows have weights"),
    ]
    section = made(class_errors, summary(), class_errors=table(lines))
    assert ["won", "2", "50.0", "–", "lost", "40", "5.0", "1.0 to 20.0", "$draw$", "0", "–", "–"] == texts(section)
    with drawing():
        assert len(section.pictures[0].draw().axes[0].lines) == 4  # two points, an interval, and the error of all rows


def test_what_classes_are_taken_for_is_a_picture_of_more_than_two(summary):
    errors = [ClassError("bayes", name, 4, 0.5, None, None, "fewer than 4 rows") for name in ("draw", "lost", "won")]
    pairs = {("draw", "won"): 3.5, ("lost", "lost"): 4, ("won", "lost"): 0.5}
    counts = [Confused("bayes", *pair, rows) for pair, rows in pairs.items()]
    section = made(class_errors, summary(), class_errors=table(errors), confusion=table(counts))
    assert ["draw", "won", "3.5", "won", "lost", "0.5"] == texts(section)[-6:]
    with drawing():
        (axes,) = section.pictures[1].draw().axes
    names = [label.get_text() for label in axes.get_yticklabels()]
    places = {
        (names[line], names[column], text.get_text()) for text in axes.texts for column, line in [text.get_position()]
    }
    assert {("draw", "won", "4"), ("lost", "lost", "4"), ("won", "lost", "<1")} == places
    two = made(class_errors, summary(), class_errors=table(errors[:2]), confusion=table(counts))
    assert [1, 1] == [len(two.pictures), len(two.numbers)]


def test_each_column_is_a_line_with_what_it_adds_to_the_error(summary):
    lines = [
        ColumnReliance("bayes", "x with $y$", 0.06, 0.02, 0.1, 0.9, "t"),
        ColumnReliance("bayes", "z", 0.0, -0.01, 0.01, 0.9, "t", "few rows carry it"),
    ]
    section = made(columns, summary(), columns=table(lines))
    assert ["x with $y$", "6.0", "2.0 to 10.0", "z", "0.0", "-1.0 to 1.0 ?"] == texts(section)
    assert "? not credible" in section.numbers[0].caption
    [axes] = section.pictures[0].draw().axes
    assert [[0.02 * 100, 0.1 * 100]] == [[*line.get_xdata()] for line in axes.lines[:1]]
    said = sentences(replace(summary(), tables=WinnerTables(columns=table(lines))))["columns"]
    assert "bayes is shown to use x with $y$; at 90 % for all columns at once" == said
    of_numbers = made(columns, replace(summary(), loss=SQUARED), columns=table(lines))
    assert ["x with $y$", "0.08377", "0.03018 to 0.131"] == texts(of_numbers)[:3]  # RMSE, from that of E_cv, .1


def test_each_shard_is_a_line_and_a_point_and_a_name_between_dollars_is_no_formula(summary):
    section = made(shard_disagreement, summary(), shards=table(SHARDS))
    assert ["new/march.csv", "40", "12.5", "6.2 to 25.0", "new/$april$.csv", "1", "50.0", "–"] == texts(section)
    [axes] = section.pictures[0].draw().axes
    assert ["new/march.csv", "new/$april$.csv"] == [text.get_text() for text in axes.get_yticklabels()]
    assert "all rows: 13.4" == axes.texts[0].get_text()  # (40 · 12.5 + 50) / 41


def test_rows_to_label_say_where_the_user_has_them(summary):
    line = {"shard": "shard-00000", "file": None, "row": 832, "prepared_row": 131, "disagreement": 0.875}
    section = made(to_label, summary(), to_label=table([line]))
    assert (["832", "shard-00000", "87.5"], "row of the data, from 0") == (texts(section), section.tables[0].head[0])
    section = made(to_label, summary(), to_label=table([{**line, "file": "new/march.csv"}]))
    assert (["832", "new/march.csv", "87.5"], "row of the shard's file, from 0") == (
        texts(section),
        section.tables[0].head[0],
    )


def test_calibration_and_roc_show_their_tables(summary):
    bins = [
        CalibrationBin("won", 0.1, 0.2, 8, 0.15, 0.25, 0.03, 0.65, 0.9),
        CalibrationBin("won", 0.9, 1.0, 4, 0.95, 1.0),
    ]
    points = [RocPoint("won", at, x, y) for at, x, y in ((None, 0, 0), (0.9, 0, 0.5), (0.5, 0.1, 1), (0.1, 1, 1))]
    section = made(winner_curves, summary(), calibration=table(bins, **WHOSE), roc=table(points, **WHOSE))
    assert "Calibration and ROC of the winner" == section.title
    assert "Of bayes (g), on the test set: rows that no choice has used." in section.caption
    calibration, roc = section.numbers
    assert ["0.1 to 0.2", "8", "0.150", "0.250", "0.030 to 0.650"] == calibration.rows[0]
    assert "–" == calibration.rows[1][-1]
    assert [["won", "50.0", "50.0", "100.0", "100.0", "0.975"]] == roc.rows
    bars, dots = section.pictures[0].draw().axes[0].collections
    assert [[0.15, 0.25], [0.95, 1.0]] == dots.get_offsets().tolist()
    assert [[0.15, 0.03], [0.15, 0.65]] == bars.get_segments()[0].tolist()
    curve = section.pictures[1].draw().axes[0].lines[1]
    assert [[0, 0], [0, 0.5], [0.1, 1], [1, 1]] == curve.get_xydata().tolist()
    section = made(winner_curves, summary(), roc=table(points, **{**WHOSE, "part": "held-out rows"}))
    assert ("ROC of the winner", 1) == (section.title, len(section.pictures))
    assert "may look a little too good" in section.caption


@pytest.mark.parametrize("count", [1, 7])
def test_residuals_are_drawn_and_summed_up_by_the_prediction(summary, count):
    lines = [Residual(2000.0 * place + 30, 2000.0 * place, 30.0) for place in range(count)]
    section = made(winner_curves, summary(percent=False), residuals=table(lines, **WHOSE))
    assert count == sum(int(row[1]) for row in section.numbers[0].rows)
    assert {("30", "30")} == {tuple(row[2:]) for row in section.numbers[0].rows}
    points = section.pictures[0].draw().axes[0].lines[1]
    assert [[line.predicted, line.residual] for line in lines] == points.get_xydata().tolist()
