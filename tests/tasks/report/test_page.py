"""The report page: one file, with its pictures in it."""

import re
from dataclasses import replace
from html import escape
from xml.etree import ElementTree

import numpy as np
import pytest

from heldout.display import svg
from heldout.display.svg import ACCENT
from heldout.records import Estimate
from tasks.report import outcome_page, sections
from tasks.report.note import note
from tasks.report.page import dated, explained, page
from tasks.report.sections import estimates
from tasks.report.style import drawing, figure, interval_line, short, spread


def drawn(name="one", title="<b> & \u202e -->"):
    with drawing():
        made, axes = figure(2, 1)
        axes.plot([0, 1], color=ACCENT)
        axes.set_title(short(title))
        return svg.element(made, name, "what it shows")


def test_a_picture_has_the_same_bytes_each_time_and_its_text_as_text():
    text = drawn()
    assert text == drawn()
    made = ElementTree.fromstring(text)
    assert r"<b> & \u202e -->" in [node.text for node in made.iter("text")]
    assert (made.get("role"), made.get("aria-label")) == ("img", "what it shows")


def test_pictures_take_the_colours_of_the_page_and_share_no_address():
    one, other = drawn("one"), drawn("other")
    assert "var(--accent, " in one
    assert ACCENT not in one
    addresses = [{*re.findall(r'id="([^"]+)"', text)} for text in (one, other)]
    assert all(addresses)
    assert not addresses[0] & addresses[1]
    assert {*re.findall(r"url\(#([^)]+)\)|href=\"#([^\"]+)", one)} <= {(a, "") for a in addresses[0]} | {
        ("", a) for a in addresses[0]
    }
    assert [] == re.findall(r"<style|<metadata|font-family:|<!--", one)


def test_the_page_is_one_file(summary):
    text = page(replace(summary(), estimates=summary().estimates.assign(interval=None)))
    assert [] == re.findall(r"<img|<script|<link|\bsrc=|url\((?!#)", text)
    assert text.count("<svg") >= 4


@pytest.mark.slow
def test_pictures_that_cannot_be_drawn_keep_no_number_from_the_page(summary, checkout, monkeypatch, caplog):
    numbers = re.compile(r"<svg.*?</svg>|<p>This picture could not be drawn.*?</p>", re.DOTALL)
    one = replace(summary(), estimates=summary().estimates.assign(interval=None))
    whole = page(one)
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", refuse)
    without = page(one)
    assert numbers.sub("", whole) == numbers.sub("", without)
    assert whole.count("<svg") == without.count("This picture could not be drawn") >= 4
    assert "<svg" not in without
    assert 'class="strip' in without  # which needs no library
    assert "the picture estimates-0 could not be drawn: OverflowError: too large" in caplog.text


def refuse(*_, **__):
    raise OverflowError("too large")


@pytest.mark.parametrize("far", [0.2, 50.0])
def test_a_disagreement_has_an_axis_of_its_own_that_flattens_no_error(summary, far):
    # a regression with shifted shards, whose disagreement is many times the error
    apart = [Estimate(name, "disagreement", far, "two", 4, 40) for name in ("bayes", "tree")]
    one = summary(percent=False, estimates=[Estimate("tree", "E_cv", 0.12, "k", 7, 8), *apart])
    with drawing():
        panels = {
            axes.get_title(loc="left"): axes.get_xlim() for axes in estimates.overview(one).axes if axes.get_visible()
        }
    assert panels["E_cv, RMSE"][1] < 1.07 * 0.4**0.5  # a little beyond the upper end of the baseline
    assert far**0.5 <= panels["disagreement"][1] < 1.2 * far**0.5


def test_a_name_is_explained_where_it_stands_and_nothing_else_is_markup():
    text = explained("E_cv <i> & E_cvx interval")
    assert text.count("<abbr ") == 2
    assert "&lt;i&gt; &amp; E_cvx" in text
    assert np.all([name in text for name in (">E_cv</abbr>", ">interval</abbr>")])


def test_every_row_of_a_table_has_a_cell_under_each_head(summary):
    one = replace(summary(), estimates=summary().estimates.assign(interval=None))
    with drawing():
        tables = [table for section in sections.made(one) for table in (*section.tables, *section.numbers)]
    assert len(tables) >= 8
    assert [] == [table.caption for table in tables for row in table.rows if len(row) != len(table.head)]


@pytest.mark.parametrize(
    ("ends", "signs", "reaches"),
    [
        ((1.0, 0.5, 1.5), [], (0.5, 1.5)),
        ((1.0, 0.5, 9.0), [">"], (0.5, 2.0)),
        ((8.0, 1.0, 9.0), [">"], (1.0, 2.0)),
        ((8.0, 7.0, 9.0), [">"], None),
        ((-5.0, -9.0, 0.5), ["<"], (-1.0, 0.5)),
        ((0.0, -9.0, 9.0), [">", "<"], (-1.0, 2.0)),
    ],
)
def test_what_an_axis_cuts_off_has_an_arrow_and_a_point_beyond_it_its_number(ends, signs, reaches):
    with drawing():
        _, axes = figure(2, 1)
        interval_line(axes, 0, ends, (-1.0, 2.0), ACCENT, "8")
    lines = [(tuple(line.get_xdata()), line.get_marker()) for line in axes.lines]
    assert signs == [marker for _, marker in lines if marker in "<>"]
    assert ([] if reaches is None else [reaches]) == [x for x, _ in lines if len(x) == 2]
    assert ("8" in [text.get_text() for text in axes.texts]) == (not -1 <= ends[0] <= 2)
    assert [] == [x for x, marker in lines if marker == "o" and not -1 <= x[0] <= 2]


def test_names_of_one_beginning_stay_apart_and_labels_keep_their_distance():
    names = [f"a-candidate-with-a-very-long-name-{place:02d}" for place in range(11)]
    assert 11 == len({short(name) for name in names})
    assert 24 == max(map(len, map(short, names)))
    rng = np.random.default_rng(0)
    for _ in range(50):
        at = rng.normal(size=9).tolist()
        made = spread(at, 0.1, -1.0, 1.0)
        assert sorted(range(9), key=at.__getitem__) == sorted(range(9), key=made.__getitem__)
        assert min(np.diff(sorted(made))) > 0.1 - 1e-9
        assert -1 - 1e-9 <= min(made) <= max(made) <= 1 + 1e-9
    assert [0.5, 0.7] == spread([0.5, 0.7], 0.1, 0, 1)


def test_a_page_that_dvc_does_not_track_says_when_and_by_which_code(summary):
    made = replace(summary(), estimates=summary().estimates.assign(interval=None))
    text, when = page(made), "2026-11-28 16:58 UTC, commit 2bc93409 <b>"
    copy = dated(text, made, when)
    assert text != copy
    assert text == copy.replace(f"; {escape(when)}", "")
    for surface in (note(made, when).text, outcome_page.text(made, when)):
        assert "2026" in surface
        assert "<b>" not in surface.replace("\\<", "")
