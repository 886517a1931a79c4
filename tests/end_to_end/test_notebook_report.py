"""The page of `Validation.report` in a real browser, in the light, in the dark, and on a telephone."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import heldout
from tests.end_to_end.browser import CHROMIUM, opened
from tests.end_to_end.report_layout import TOO_WIDE
from tests.end_to_end.test_report_page import SHADES

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs the browser chromium on the PATH"),
]
DRAWN = "[...document.querySelectorAll('figure svg')].map(one => one.getBoundingClientRect().width > 500)"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    X, y = load_iris(return_X_y=True)
    learners = {"bayes": GaussianNB(), "<img src=x onerror=alert(1)>": DecisionTreeClassifier()}
    made = heldout.validate(learners, X, y, unlabeled=X[:50], repeats=3, progress=False)
    return made.report(tmp_path_factory.mktemp("mailed") / "report.html")


@pytest.mark.parametrize("how", [{}, {"color_scheme": "dark"}, {"width": 390}], ids=["light", "dark", "telephone"])
def test_every_browser_shows_the_picture_and_each_text_can_be_read(written, how):
    with opened(written.as_uri(), **how) as page:
        assert [True] == page.evaluate(DRAWN)
        assert page.evaluate(TOO_WIDE) <= 0
        background, letters = page.evaluate(SHADES)
        assert (background < 0.2 < 0.8 < letters) == ("color_scheme" in how)
        assert [] == Axe().run(page).response["violations"]
        assert "<img src=x onerror=alert(1)>" in page.inner_text("table >> nth=0")
