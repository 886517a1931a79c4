"""The page that `Validation.report` writes: whole, without an address, and no name is markup."""

import re
import sys
from html import unescape

import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB

import heldout

X, y = make_classification(n_samples=60, n_features=4, flip_y=0.2, random_state=6)
NAME = "<script>alert(1)</script> & \x1b[2J\u202e"


class Fails(GaussianNB):
    """A learner that cannot be fitted."""

    def fit(self, X, y):
        raise ValueError("no <b>fit</b>")


@pytest.fixture(scope="module")
def found():
    candidates = {"plain": GaussianNB(), NAME: LogisticRegression(max_iter=1), "bad": Fails()}
    with pytest.warns(heldout.errors.LearnerWarning):
        return heldout.validate(candidates, X, y, folds=4, estimates=["E_val", "E_cv"], seed=12, progress=False)


@pytest.mark.fault("markup")
def test_one_file_has_the_table_the_picture_differences_and_warnings_and_asks_for_nothing(found, tmp_path):
    path = found.report(tmp_path / "report.html")
    text = path.read_text(encoding="utf-8")
    assert [path] == [*tmp_path.iterdir()]
    assert found._view.html(whole=True).replace("<details>", "<details open>") in text
    assert found.plot().svg() in text
    assert [] == re.findall(r"<script|<link|<iframe|<img|src=|href=(?!\"#)|@import|url\((?!#)|https?:", text)
    assert [] == [letter for letter in set(text) if not letter.isprintable() and letter != "\n"]
    cells = re.findall(r'aria-label="differences".*?</table>', text)[0]
    shown = [unescape(cell) for cell in re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", cells)][4:]
    lines = sorted(found.differences(), key=lambda line: -line.difference)
    for place, line in enumerate(lines):
        name, *numbers = shown[4 * place : 4 * place + 4]
        assert name == line.against.replace("\x1b", r"\x1b").replace("\u202e", r"\u202e")
        assert [f"{100 * value:z.1f}" for value in (line.difference, line.low, line.high)] == numbers
    words = dict(re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", text))
    assert "ValueError: no &lt;b&gt;fit&lt;/b&gt;" in words["bad"]
    assert "fits warned: ConvergenceWarning" in "".join(words.values())
    assert ("60 with a label", "4", "12") == (words["rows"], words["folds"], words["seed"])


def test_the_same_result_has_the_same_bytes(found, tmp_path):
    first, again = (found.report(str(tmp_path / name)) for name in ("a.html", "b.html"))
    assert first.read_bytes() == again.read_bytes()


def test_a_file_that_exists_is_kept_unless_it_may_be_replaced(found, tmp_path):
    path = tmp_path / "report.html"
    path.write_text("mine")
    with pytest.raises(FileExistsError, match=r"report.html exists; give another name, or overwrite=True"):
        found.report(path)
    assert "mine" == path.read_text()
    assert "<!doctype html>" == found.report(path, overwrite=True).read_text(encoding="utf-8")[:15]
    with pytest.raises(FileNotFoundError):
        found.report(tmp_path / "nowhere" / "report.html")


def test_without_matplotlib_the_page_says_what_is_missing(found, tmp_path, monkeypatch):
    found.plot()
    monkeypatch.setitem(sys.modules, "heldout.display.picture", None)
    monkeypatch.delattr("heldout.display.picture")
    text = found.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "The picture is left out: plot() needs matplotlib" in text


@pytest.mark.parametrize("how", [{"estimates": ["E_in"]}, {"groups": [*range(30)] * 2}, {"sample_weight": [1, 2] * 30}])
def test_numbers_groups_weights_and_other_estimates_have_a_page_too(how, tmp_path):
    made = heldout.validate({"line": Ridge()}, X, X[:, 0], **{"estimates": ["E_cv"], "progress": False, **how})
    text = made.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert ("differences" in re.findall('aria-label="([a-z]+)"', text)) == ("E_cv" in made.design.estimates)
    assert ("not independent, by groups" in text) == ("groups" in how)
    assert ("each counts by its weight" in text) == ("sample_weight" in how)
