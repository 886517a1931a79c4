"""The page in a real browser, of results unlike those of the shipped example: how long it is, and what collides."""

from dataclasses import replace

import pandas as pd
import pytest

from heldout.records import Difference, Estimate, MoreRows, Residual, ShardDisagreement
from tasks.report.page import page
from tasks.report.summary import WinnerTables
from tests.end_to_end.browser import CHROMIUM, launched
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
    pytest.mark.long,
    pytest.mark.skipif(CHROMIUM is None, reason="needs the browser chromium on the PATH"),
]
OF_CANDIDATES = ("E_in", "E_val", "E_cv", "E_prog", "E_2cv", "E_train", "disagreement", "E_dis", "E_maxdt")
LONG = "a-candidate-with-a-very-long-name-of-the-team-in-zurich-{:02d}"
ENDS = {"level": 0.9, "interval": "log t"}


def results(summary, names, scale, far=()):
    """A winner, the first of `names`, and others that err a little more, `far` many times as much."""
    errors = {name: scale * (1 + 0.1 * place) * (400 if name in far else 1) for place, name in enumerate(names)}
    constant, winner = 3 * scale, names[0]
    lines = [
        Estimate(name, estimate, error, "of it", 7, 8, low=0.7 * error, high=1.4 * error, **ENDS)
        for name, error in {**errors, "baseline": constant}.items()
        for estimate in (OF_CANDIDATES if name != "baseline" else ("E_val", "E_cv"))
    ]
    lines += [
        Estimate(winner, estimate, 1.1 * scale, "of it", 8, 4, low=0.8 * scale, high=1.5 * scale, **ENDS)
        for estimate in ("E_bbc", "E_nested", "E_test")
    ]
    differences = [
        Difference(winner, name, gap, low=1.5 * gap - 0.1 * scale, high=0.1 * scale + 0.2 * gap, **ENDS)
        for name, gap in {name: scale - error for name, error in {**errors, "baseline": constant}.items()}.items()
        if name != winner
    ]
    curve = [
        MoreRows(winner, rows, estimate, value * scale, low=0.6 * value * scale, high=1.5 * value * scale, **ENDS)
        for rows, estimate, value in (
            (150, "E_2cv", 1.2), (270, "E_cv", 1.0), (270, "gain", 0.2), (300, "E_N", 0.95), (600, "E_2N", 0.9)
        )
    ]  # fmt: skip
    made = summary(
        percent=False,
        differences=differences,
        more_rows=curve,
        selected=winner,
        candidates=list(names),
        indistinguishable=[line.against for line in differences if line.high >= 0],
        bound=2 * scale,
        bound_joint=1.9 * scale,
        bound_of_one=1.8 * scale,
        baseline=constant,
        advice=f"Ship {winner}",
    )
    residuals = [Residual(1000.0 * scale**0.5, place * scale**0.5, scale**0.5) for place in range(40)]
    shards = [
        ShardDisagreement(
            f"shard-{place}", f"new/{LONG.format(place)}.csv", 40, scale, 0.5 * scale, 2 * scale, 0.9, "w"
        )
        for place in range(60)
    ]
    whose = {"candidate": winner, "hypothesis": "g", "part": "test set"}
    tables = WinnerTables(
        shards=pd.DataFrame(map(vars, shards)), residuals=pd.DataFrame([{**whose, **vars(one)} for one in residuals])
    )
    curves = {name: pd.Series([error] * 150).expanding().mean().to_numpy() for name, error in errors.items()}
    return replace(
        made,
        estimates=pd.DataFrame(map(vars, lines)).assign(interval=None),  # whose names are of no interest here
        curves=replace(made.curves, progressive_errors=curves),
        tables=tables,
    )


KINDS = {
    "huge numbers": {"names": ["forest", "ridge", "far"], "scale": 2e20, "far": ["far"]},
    "tiny numbers": {"names": ["forest", "ridge"], "scale": 3e-14},
    "long names": {"names": [LONG.format(place) for place in range(11)], "scale": 0.3},
    "forty": {"names": [LONG.format(place) for place in range(40)], "scale": 40000.0},
    "one": {"names": ["bayes"], "scale": 0.3},
}


@pytest.fixture(scope="module")
def browser():
    with launched() as started:
        yield started


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_short_no_label_lies_on_another_and_nothing_is_wider_than_the_page(summary, tmp_path, browser, kind):
    path = tmp_path / "report.html"
    path.write_text(page(results(summary, **KINDS[kind])), encoding="utf-8")
    assert "e+" not in path.read_text(encoding="utf-8")
    for width in (1400, 900, 390):
        shown = browser.new_page(viewport={"width": width, "height": SCREEN})
        shown.goto(path.as_uri())
        if width == 1400:
            assert height(shown) <= MOST_SCREENS * SCREEN
            paper = Paper.of(shown)
            assert paper.pages <= MOST_PAGES
            assert min(paper.headings) > LEAST_BELOW
            assert [] == not_shown_by_their_link(shown)
        shown.evaluate(OPEN_ALL)
        assert shown.evaluate(TOO_WIDE) <= 0
        assert [] == shown.evaluate(WIDER_THAN_THEIR_PLACE)
        assert [] == shown.evaluate(CUT_OFF) + shown.evaluate(COLLIDING)
        shown.close()
