"""The report in a real browser, as a mail or an artifact view opens it: one file, nothing next to it."""

import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.end_to_end.browser import CHROMIUM, keep, opened
from tests.end_to_end.report_layout import (
    COLLIDING,
    CUT_OFF,
    LEAST_BELOW,
    MOST_PAGES,
    MOST_SCREENS,
    OPEN_ALL,
    SCREEN,
    TOO_WIDE,
    WIDER_THAN_THEIR_PLACE,
    Paper,
    height,
    not_shown_by_their_link,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.picture,
    pytest.mark.skipif(CHROMIUM is None, reason="needs the browser chromium on the PATH"),
]
MOST_BYTES = 2_000_000
BELOW = "[...document.querySelectorAll('h1, .fact, .next')].map(one => one.getBoundingClientRect().bottom)"
SHOWN = ".filter(one => one.checkVisibility())"
PICTURES = f"[...document.querySelectorAll('svg')]{SHOWN}.map(one => one.getBoundingClientRect().width)"
SMALLEST = f"""Math.min(...[...document.querySelectorAll('svg text')]{SHOWN}.map(one =>
    parseFloat(getComputedStyle(one).fontSize) * Math.hypot(one.getScreenCTM().a, one.getScreenCTM().b)))"""
# what is drawn of the strip left or right of its axis, but for arrows, and letters below or next to their place
OUTSIDE = """[...document.querySelectorAll('.strip .drawn i:not(.beyond), .strip span')].filter(one => {
    const at = one.getBoundingClientRect();
    const place = one.closest(one.tagName == 'I' ? '.drawn' : 'li, .scale').getBoundingClientRect();
    return at.left < place.left - 5 || at.right > place.right + 5 || at.top < place.top - 1
        || at.bottom > place.bottom + 1;
}).map(one => one.outerHTML.slice(0, 120))"""
# lightest and darkest of the background and the letters, 0 to 1
SHADES = """['backgroundColor', 'color'].map(name => {
    const parts = getComputedStyle(document.body)[name].match(/\\d+/g).slice(0, 3).map(Number);
    return parts.reduce((sum, part) => sum + part, 0) / 765; })"""


@pytest.fixture(scope="module")
def mailed(reproduced, tmp_path_factory):
    """The page alone in a folder."""
    return Path(shutil.copy(reproduced.path / "reports/report.html", tmp_path_factory.mktemp("mailed")))


def violations(page):
    return [
        (found["id"], [node["html"][:120] for node in found["nodes"]])
        for found in Axe().run(page).response["violations"]
    ]


def test_a_mailed_page_has_every_picture_and_every_number(reproduced, mailed):
    text = mailed.read_text(encoding="utf-8")
    assert mailed.stat().st_size < MOST_BYTES
    assert [] == re.findall(r"<script|<img|<link|<iframe|@import|src=|url\((?!#)|href=\"(?!#)", text)
    with opened(mailed.as_uri(), width=1280, height=800) as page:
        keep(page, "report")
        assert max(page.evaluate(BELOW)) < 800  # the first screen, without scrolling
        assert violations(page) == []
        page.evaluate(OPEN_ALL)
        assert violations(page) == []
        widths = page.evaluate(PICTURES)
        shown = page.inner_text("#estimates")
        of_winner = page.inner_text("#targets").split()
    assert len(widths) >= 11
    assert min(widths) > 250
    estimates = pd.read_csv(reproduced.path / "reports/estimates.csv")
    cells = shown.split()
    for name in ("value", "low", "high"):
        assert {f"{100 * value:z.1f}" for value in estimates[name].dropna()} <= {*re.split(r"[–\s]", shown)}
    assert {*estimates["estimate"], *estimates["candidate"]} <= {*cells}
    assert {str(count) for name in ("n_train", "n_tested") for count in estimates[name]} <= {*of_winner}


def test_it_is_five_screens_long_and_each_link_opens_what_it_names(mailed):
    with opened(mailed.as_uri(), width=1400, height=SCREEN) as page:
        assert height(page) <= MOST_SCREENS * SCREEN
        assert [] == page.evaluate(CUT_OFF) + page.evaluate(COLLIDING)
        assert [] == not_shown_by_their_link(page)
        page.goto(f"{mailed.as_uri()}#glossary")  # an address that somebody sent
        assert page.locator("#glossary").is_visible()


@pytest.mark.parametrize("width", [900, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_strip_reads_as_a_list_and_what_it_draws_lies_on_its_axis(mailed, width, scheme):
    with opened(mailed.as_uri(), width=width, height=844, color_scheme=scheme) as page:
        page.evaluate("document.getElementById('decision').style.padding = '16px'")  # of the picture
        keep(page, "_".join(["decision", *["narrow"] * (width < 900), *["dark"] * (scheme == "dark")]), of="#decision")
        assert [] == page.evaluate(OUTSIDE)
        spoken = page.get_by_role("figure").get_by_role("listitem").all_inner_texts()
    assert ["E_in", "E_cv", "7 others", "E_bbc", "E_test", "bound", "baseline"] == [
        re.split(r"[\n,]", line)[0] for line in spoken
    ]


@pytest.mark.long
def test_in_the_dark_it_is_dark_and_each_text_can_be_read(mailed):
    with opened(mailed.as_uri(), color_scheme="dark") as page:
        background, letters = page.evaluate(SHADES)
        assert background < 0.2 < 0.8 < letters
        assert violations(page) == []


@pytest.mark.long
@pytest.mark.parametrize("width", [390, 900])
def test_no_table_is_wider_than_the_page(mailed, width):
    with opened(mailed.as_uri(), width=width, height=844) as page:
        page.evaluate(OPEN_ALL)
        assert page.evaluate(TOO_WIDE) <= 0
        assert [] == page.evaluate(WIDER_THAN_THEIR_PLACE)
        assert [] == page.evaluate(CUT_OFF) + page.evaluate(COLLIDING)
        assert page.evaluate(SMALLEST) > 8.5
        assert violations(page) == []


@pytest.mark.long
def test_on_paper_it_is_light_and_short_and_breaks_no_row(mailed):
    with opened(mailed.as_uri(), width=794, color_scheme="dark") as page:
        page.emulate_media(media="print")
        background, letters = page.evaluate(SHADES)
        assert letters < 0.2 < 0.8 < background
        assert page.evaluate(TOO_WIDE) <= 0
        styles = "name => [...document.querySelectorAll(name)].map(one => getComputedStyle(one)"
        assert {*page.evaluate(f"({styles}.display))('thead')")} == {"table-header-group"}
        assert {*page.evaluate(f"({styles}.breakInside))('tr')")} == {"avoid"}
        assert {*page.evaluate(f"({styles}.breakInside))('figure')")} == {"avoid"}
        said = page.locator("details:not([open]) > summary").first
        assert "folded, so not on paper" in said.evaluate("one => getComputedStyle(one, '::after').content")
        paper = Paper.of(page)
        assert paper.pages <= MOST_PAGES
        assert min(paper.headings) > LEAST_BELOW
