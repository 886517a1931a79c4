"""What a notebook shows of a `Validation`: its table, its picture, its short representation and its data frame."""

import re
import struct
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import heldout
from heldout.display import cells
from heldout.printable import printable

X, y = make_classification(n_samples=60, n_features=4, flip_y=0.2, random_state=6)
NAMES = ["plain", "<script>alert(1)</script> & \x1b[2J\u202e", "$x$"]


class Elements(HTMLParser):
    """The elements of a fragment in their order, and the text of each cell of each line of its table."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.rows: list[list[str]] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.open.append(tag)
        self.attributes += attributes
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert tag == self.open.pop()

    def handle_data(self, data):
        if "tr" in self.open:
            self.rows[-1][-1] += ("|" if self.open[-1] == "small" else "") + data


@pytest.fixture(scope="module")
def found() -> heldout.Validation:
    learners = [GaussianNB(), DecisionTreeClassifier(max_depth=1), DecisionTreeClassifier()]
    candidates = dict(zip(NAMES, learners, strict=True))
    return heldout.validate(candidates, X, y, unlabeled=X + 1, folds=4, repeats=2)


@pytest.mark.fault("markup")
def test_the_table_of_a_notebook_has_each_value_with_its_interval_and_no_name_is_markup(found):
    shown = Elements(found._repr_html_())
    assert [] == shown.open
    assert {"script", "a"}.isdisjoint(shown.tags)
    assert [] == [name for name, _ in shown.attributes if name.startswith("on") or name == "href"]
    (image,) = [value for name, value in shown.attributes if name == "src"]
    assert image.startswith("data:image/svg+xml;base64,")
    assert [] == [letter for letter in set(found._repr_html_()) if not letter.isprintable() and letter != "\n"]
    head, *lines = shown.rows
    estimates = cells.first(record.estimate for record in found.estimates)
    assert ["candidate", *estimates, cells.WORSE] == head
    records = {(one.candidate, one.estimate): one for one in [*found.estimates, *found.baseline]}
    errors = {name: records[name, "E_cv"].value for name in found.candidates}
    ranked = sorted(errors, key=errors.__getitem__)
    less = {one.against: one for one in found.differences()}
    for name, (shown_name, *numbers, worse) in zip([*ranked, "baseline"], lines, strict=True):
        title = shown_name.partition("|")[0]
        assert title == name.replace("\x1b", r"\x1b").replace("\u202e", r"\u202e")
        if name != ranked[0]:
            ends = f"{-100 * less[name].high:z.1f} to {-100 * less[name].low:z.1f}"
            assert f"{-100 * less[name].difference:z.1f}|{ends}" == worse
        for estimate, cell in zip(estimates, numbers, strict=True):
            record = records.get((name, estimate))
            value = "–" if record is None else f"{100 * record.value:.1f}"
            bounds = "" if record is None or record.low is None else f"|{100 * record.low:.1f}–{100 * record.high:.1f}"
            assert value + bounds == cell
    assert lines[0][0].endswith("|least E_cv")


def test_a_notebook_begins_as_print_does_and_has_the_sentences_folded(found):
    first, _, folded = found._repr_html_().partition("<details>")
    shown = [unescape(re.sub("<[^>]+>", "", text)) for text in re.findall("<p>(.*?)</p>", first)]
    assert shown == str(found).partition("\n\n")[0].splitlines()
    assert shown[0] == printable(found.decide().advice)
    told = dict(re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", folded))
    assert {"differences", "more rows", "unlabelled", "bound", "decision"} <= {*told}
    assert printable(found.decide().sentence) == unescape(told["decision"])


def test_the_representation_is_one_short_line_with_the_winner_and_its_error(found):
    winner = min((one for one in found.estimates if one.estimate == "E_cv"), key=lambda one: one.value)
    assert re.fullmatch(
        r"<Validation: 3 candidates, 60 rows; \S+.*: E_cv [\d.]+ % \[[\d.]+–[\d.]+\], baseline [\d.]+ %>", repr(found)
    )
    assert f"E_cv {100 * winner.value:.1f} %" in repr(found)
    assert len(repr(found)) < 120
    assert "\x1b" not in repr(found)


def test_the_estimates_without_e_cv_and_e_val_have_a_table_too():
    made = heldout.validate({"a": GaussianNB()}, X, y, estimates=["E_in", "E_prog"], folds=4)
    assert "<Validation: 1 candidate, 60 rows; E_in, E_prog>" == repr(made)
    assert [["candidate", "E_in", "E_prog"], ["a"]] == [
        row if row[0] == "candidate" else row[:1] for row in Elements(made._repr_html_()).rows
    ]
    assert 2 == len(made.plot().axes)


def test_the_figure_shows_itself_in_twice_as_many_dots_as_it_is_wide(found):
    png, size = found.plot()._repr_png_()
    assert png.startswith(b"\x89PNG")
    assert (2 * size["width"], 2 * size["height"]) == pytest.approx(struct.unpack(">II", png[16:24]), abs=2)


@pytest.mark.parametrize("library", [pd, pl, pa], ids=lambda library: library.__name__)
def test_the_data_frame_has_the_lines_of_estimates_csv_in_the_library_of_the_input(library, found):
    frame = pd.DataFrame(X, columns=[*"abcd"])
    rows = {pd: lambda: frame, pl: lambda: pl.from_pandas(frame), pa: lambda: pa.Table.from_pandas(frame)}[library]()
    made = heldout.validate({"a": GaussianNB()}, rows, y, estimates=["E_in", "E_cv"], folds=4).to_frame()
    assert type(rows) is type(made)
    lines = made.to_pylist() if library is pa else made.to_dicts() if library is pl else made.to_dict("records")
    assert ["a", "a", "baseline"] == [line["candidate"] for line in lines]
    assert ["E_in", "E_cv", "E_cv"] == [line["estimate"] for line in lines]
    assert pd.isna(lines[0]["low"])
    assert lines[1]["low"] < lines[1]["value"] < lines[1]["high"]
    assert (45, 60) == (lines[1]["n_train"], lines[1]["n_tested"])


def test_the_data_frame_has_rmse_next_to_the_squared_loss():
    numbers = np.random.default_rng(0).normal(size=(60, 3))
    frame = heldout.validate({"r": Ridge()}, numbers, numbers[:, 0] + numbers[:, 1] ** 2, estimates=["E_cv"]).to_frame()
    for rmse, mean in (("RMSE", "value"), ("RMSE_low", "low"), ("RMSE_high", "high")):
        assert (frame[rmse] ** 2).tolist() == pytest.approx(frame[mean].tolist(), rel=1e-12)


def test_without_pandas_the_data_frame_says_what_is_missing(found, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(ImportError, match=r"^to_frame\(\) needs pandas, which is not installed: pip install pandas$"):
        found.to_frame()


def test_numbers_that_only_regressors_predict_have_the_squared_loss_however_few_their_values_are():
    stars = X[:, 0].round().clip(-1, 1)  # ratings: whole numbers of few values
    regressors = {"line": Ridge(), "tree": DecisionTreeRegressor(max_depth=2)}
    how = {"folds": 4, "repeats": 2}
    found, wanted = (heldout.validate(regressors, X, stars, **how, **more) for more in ({}, {"loss": "squared"}))
    assert found.estimates == wanted.estimates
    with pytest.raises(heldout.errors.BadArgument, match=r"is a classifier and .* a regressor"):
        heldout.validate({**regressors, "bayes": GaussianNB()}, X, stars, estimates=["E_val"])
