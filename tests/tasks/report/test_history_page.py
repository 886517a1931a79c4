"""The page of all nights, its picture and its text: what they show, and that texts of others are no markup."""

import re
from dataclasses import replace
from datetime import timedelta
from functools import cache
from html import escape

import pytest
from matplotlib.text import Text

from tasks.outcome.nights import morning
from tasks.outcome.operations import Of
from tasks.report.history_lines import as_markdown, cells, error_of, text
from tasks.report.history_page import MOST_NIGHTS, page, write_history
from tasks.report.history_picture import draw
from tasks.report.style import drawing
from tasks.storage import files
from tests.nights import OF, PERCENT, RMSE, Chain, at, contest, ended, quarter

HOSTILE = "</title><script>alert(1)</script> \x1b[2J\x07 \u202eabc 'q\" & [/luck]"
FORBIDDEN = r"<script|<img|<link|<iframe|@import|src=|url\((?!#)|href=(?!\"#)"


@cache
def made(nights: int, **more):
    told = Chain()
    quarter(told.append, nights, **more)
    return morning(told.entries, OF, at(nights - 1, 1))


def figure(shown, **more):
    with drawing():
        made = draw(shown, **more)
        made.draw_without_rendering()
    return made


def test_a_page_has_each_night_in_its_table_and_one_hint_for_each():
    shown = made(90)
    text_of_page = page(shown)
    assert [] == re.findall(FORBIDDEN, text_of_page)
    for night in shown.nights:
        for cell in cells(night, shown):
            assert escape(cell) in text_of_page
    hints = re.findall(r'class="hint"[^>]*><title>(.*?)</title>', text_of_page, re.DOTALL)
    assert 90 == len(hints)
    assert "what happened" not in hints[20]
    assert "version 20 (boosting) was promoted on evidence" in hints[20]
    assert "20 rolled back to 1: complaints of the shop" in hints[31]  # what came after a night is with the next
    assert "failed: the table has no column 'tenure'" in hints[70]
    assert page(shown) == text_of_page


def test_the_error_in_the_night_of_a_promotion_names_the_version_that_was_replaced():
    shown = made(90)
    assert [20] == [place for place, night in enumerate(shown.nights) if "v1: " in cells(night, shown)[2]]
    before, promoted, after = (cells(night, shown)[1:3] for night in shown.nights[19:22])
    assert ["version 1", "version 20", "version 20"] == [before[0], promoted[0], after[0]]
    assert f"v1: {error_of(shown.nights[20], shown)}" == promoted[1]


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("nights", [1, 365])
def test_everything_lies_in_the_picture_in_letters_that_can_be_read(nights, narrow):
    picture = figure(made(nights), narrow=narrow)
    drawn, (wide, high) = picture.get_tightbbox(), picture.get_size_inches()
    assert min(drawn.x0, drawn.y0) >= -0.02
    assert drawn.x1 <= wide + 0.02
    assert drawn.y1 <= high + 0.02
    assert min(one.get_fontsize() for one in picture.findobj(Text)) >= 8  # 12 dots of a screen


def test_the_picture_is_as_high_for_a_quarter_as_for_three_nights():
    assert figure(made(3)).get_figheight() == figure(made(90)).get_figheight()


def test_a_page_holds_a_year_and_its_size_has_an_end():
    told = Chain()
    for night in range(MOST_NIGHTS + 40):
        told.append("contest", contest(night, "tree", night + 1, capital=1.0, capital_needed=20.0), at(night, -0.1))
        ended(told.append, night)
    whole = page(morning(told.entries, OF, at(MOST_NIGHTS + 40)))
    assert f"The last {MOST_NIGHTS} of {MOST_NIGHTS + 40} nights." in whole
    assert MOST_NIGHTS == whole.count('class="hint"')
    assert len(whole) < 500_000


def test_errors_are_read_in_percent_or_in_the_unit_of_the_target():
    of_classes, of_numbers = made(9), made(9, unit=RMSE)
    last = of_classes.nights[-1]
    assert f"{100 * last.error:.1f} [{100 * last.low:.1f}–{100 * last.high:.1f}] %" == error_of(last, of_classes)
    last = of_numbers.nights[-1]
    assert error_of(last, of_numbers).startswith(f"RMSE {last.error**0.5:.4g} [")
    without = replace(last, low=None, high=None)  # a loss without a limit has no interval
    assert f"RMSE {last.error**0.5:.4g}" == error_of(without, of_numbers)
    assert "E_champion, RMSE" in page(replace(of_numbers, nights=(*of_numbers.nights[:-1], without)))


def test_errors_of_another_loss_are_left_out():
    told = Chain()
    for night, unit in enumerate([RMSE, PERCENT]):
        more = {"E_champion": 900.0 if unit == RMSE else 0.1, "E_champion_rows": 5.0}
        told.append("contest", contest(night, "tree", night + 1, **more), at(night, -0.1))
        ended(told.append, night, unit=unit)
    shown = morning(told.entries, OF, at(1, 1))
    assert ["", "10.0 %"] == [error_of(night, shown) for night in shown.nights]


@pytest.mark.usefixtures("checkout")
def test_a_store_without_a_night_gives_a_page_that_says_so():
    write_history(morning((), OF, at(0)))
    written = files.HISTORY.read_text()
    assert "Look: no night has run yet; run the first: " in re.sub("<[^>]*>", "", written)
    assert "knows no night of this data source yet" in written
    assert "<svg" not in written
    assert "no champion, 0 nights" in "\n".join(text(morning((), OF, at(0)), 80, 40))


def test_names_of_others_are_shown_and_are_no_markup():
    told, of = Chain(), Of(HOSTILE, HOSTILE)
    said = {"run": "run0", "candidate": HOSTILE, "learner": "x", "version": "1", "alias": HOSTILE}
    told.append("champion", of.said(**said, promoted="first"), at(0, -0.1))
    told.append("contest", of.said(**{**said, "run": "run1"}, promoted="no", capital=1.0, capital_needed=20.0), at(1))
    told.append("batch", of.said(run="run1", rows=3, verdict="held", reasons=[HOSTILE]), at(1, 0.1))
    told.append("rollback", of.said(**said, instead_of="2", why=HOSTILE), at(1, 0.2))
    told.append("watched", of.said(model="m/1", raised=True, alarms=[HOSTILE]), at(1, 0.3))
    told.append("night", of.said(run="run2", seconds=1.0, sizes={}, disk_free=1, failed=HOSTILE), at(2))
    shown = morning(told.entries, of, at(2, 1))
    whole = page(shown)
    assert [] == re.findall(FORBIDDEN, whole)
    assert "&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt; \\x1b[2J\\x07 \\u202eabc" in whole
    for written in (whole, "\n".join(text(shown, 100, 40)), as_markdown(shown)):
        assert not {"\x1b", "\x07", "\u202e"} & {*written}
    first = as_markdown(shown).partition("\n")[0]
    assert "<script>" not in first


def test_the_terminal_has_the_first_line_first_and_a_line_for_each_of_the_last_nights():
    shown = made(90)
    lines = text(shown, 120, 5)
    assert "Nothing to do." == lines[0]
    assert max(map(len, lines)) <= 120
    assert [f"{night.time:%Y-%m-%d}" for night in shown.nights[-5:]] == [one[:10] for one in lines if one[:2] == "20"]
    assert "the last 5 of 90 nights; the page has up to a year" == lines[-1]
    assert not [one for one in lines if "accepted" in one]  # what is as usual
    held = morning(with_a_failure().entries, OF, at(1) + timedelta(hours=1))
    assert text(held, 200, 5)[0].startswith("Look: the night of 2026-08-02 02:05 failed: it broke; ")
    first, *below = as_markdown(held).splitlines()
    assert first.replace("\\", "").startswith("# Look: the night of 2026-08-02 02:05 failed: it broke; ")
    assert "```" == below[1] == below[-1]


def with_a_failure() -> Chain:
    told = Chain()
    ended(told.append, 1, failed="it broke")
    return told
