"""`heldout.audit`: no alarm on honest tables, bad input is refused, and what is shown."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import datasets

import heldout
from heldout.errors import BadArgument

RNG = np.random.default_rng(0)
X = pd.DataFrame({"a": RNG.normal(size=60), "b": RNG.normal(size=60)})
y = RNG.integers(2, size=60)
NAMES = [f"n{number}" for number in range(60)]


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "diabetes", "digits"])
def test_honest_tables_give_no_alarm(name):
    load = getattr(datasets, f"load_{name}")
    assert {one.severity for one in heldout.audit(*load(return_X_y=True))} <= {"note"}
    frame = load(as_frame=True)
    assert {one.severity for one in heldout.audit(frame.data, frame.target)} <= {"note"}


@pytest.mark.parametrize(
    ("rows", "labels", "argument", "said"),
    [
        (sparse.csr_matrix(X.to_numpy()), y, "X", "X is a sparse matrix"),
        (X.set_axis(["a", "a"], axis=1), y, "X", "X has two columns of the same name"),
        (X.set_axis([1, "1"], axis=1), y, "X", "X has two columns called '1'"),
        (X[[]], y, "X", "X has no column"),
        (X["a"], y, "X", r"X has shape \(60,\)"),
        (X.assign(c=[1, "x"] * 30), y, "X", "X: the column 'c' holds values of the type int, str; heldout takes"),
        (pl.from_pandas(X).lazy(), y, "X", r"give X.collect\(\)"),
        (pd.DataFrame({"id": range(60)}), y, "X", r"no feature is left next to the target y \(id: identifier"),
        (X, y[:5], "y", r"y has shape \(5,\)"),
        (X, np.where(y, np.nan, 1.0), "y", "y has a label that is missing"),
        (X, np.ones(60), "y", "y has the single value 1.0; at least two are needed"),
        (X, NAMES, "y", "y has another class in each of its 60 rows, as 'n0'"),
        (X, NAMES[:55] + NAMES[:5], "y", "y has 55 classes, as 'n0', in 60 rows"),
        (X, y + 1j, "y", "y: "),
    ],
)
def test_what_cannot_be_examined_is_refused(rows, labels, argument, said):
    with pytest.raises(BadArgument, match=said) as raised:
        heldout.audit(rows, labels)
    assert argument == raised.value.argument


@pytest.mark.parametrize(
    ("unlabeled", "said"),
    [
        (np.ones((3, 5)), r"unlabeled has shape \(3, 5\); it needs 2 columns"),
        (X[:0], r"unlabeled has shape \(0, 2\)"),
        (X.assign(c=[[1]] * 60), "unlabeled: the column 'c'"),
    ],
)
def test_unlabelled_rows_that_cannot_be_compared_are_refused(unlabeled, said):
    with pytest.raises(BadArgument, match=said) as raised:
        heldout.audit(X, y, unlabeled=unlabeled)
    assert "unlabeled" == raised.value.argument


def test_arrays_have_the_findings_of_frames_with_the_names_of_places():
    rows = X.assign(b=5.0 * y)
    found = heldout.audit(rows.to_numpy(), y)
    assert ("column 1",) == found.findings[0].columns
    assert heldout.audit(rows.set_axis(["column 0", "column 1"], axis=1), y).findings == found.findings
    assert heldout.audit(rows.to_numpy().tolist(), y.tolist()).findings == found.findings


def test_a_target_that_is_also_a_column_is_found_and_named_apart():
    found = heldout.audit(X.assign(y=y), pd.Series(y, name="y"))
    assert ("stop", ("y",)) == (found.findings[0].severity, found.findings[0].columns)


def test_infinite_numbers_are_gaps_and_said():
    first = heldout.audit(X.assign(c=np.r_[np.inf, RNG.normal(size=59)]), y).findings[0]
    assert ("'inf' among numbers means missing", "no learner takes an infinite number") == (first.text, first.decide)


def test_whole_numbers_of_17_digits_stay_what_they_are():
    ids = np.repeat(np.arange(10**16, 10**16 + 30), 2)  # as floats, each is that of its neighbour
    for frame in (X.assign(k=ids), X.assign(k=ids.astype(object)), pl.from_pandas(X.assign(k=ids))):
        from heldout.checks.typed_rows import table_of

        assert ids.tolist() == table_of(frame, "X")["k"].tolist()


def test_the_list_is_shown_as_text_as_html_and_as_a_frame_and_nothing_in_it_runs():
    odd = "<script>\x1b[2J"
    frame = X.assign(**{odd: y, "id": RNG.permutation(10**6)[:60]})
    found = heldout.audit(frame, y)
    assert str(found).startswith("60 rows, 4 columns: 1 stop")
    assert "of no use to a learner: id (identifier: whole numbers, each once, and called id)" in str(found)
    assert "<Audit: 60 rows, 4 columns: 1 stop>" == repr(found)
    for shown in (str(found), found._repr_html_()):
        assert "\x1b" not in shown
    assert "<script>" not in found._repr_html_()
    assert [*found.findings] == [*found]
    for library, kind in ((frame, pd.DataFrame), (pl.from_pandas(frame), pl.DataFrame)):
        lines = heldout.audit(library, y).to_frame()
        assert isinstance(lines, kind)
        assert (len(found), ["code", "severity", "text", "decide"]) == (len(lines), [*lines.columns])


def test_without_pandas_it_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "heldout.checks.typed_rows", None)
    monkeypatch.delattr("heldout.checks.typed_rows", raising=False)
    with pytest.raises(ImportError, match=r"audit\(\) needs pandas, which is not installed: pip install pandas"):
        heldout.audit(X, y)


def test_the_lines_of_the_page_for_notebooks_run():
    page = Path(__file__).parents[3] / "docs/how-to/notebook.md"
    _, code, *_ = (part.partition("```")[0] for part in page.read_text(encoding="utf-8").split("```python\n")[1:])
    names = {"heldout": heldout, "X": X.assign(fee=5.0 * y), "y": y, "U": X}
    *lines, last = code.strip().splitlines()
    exec("\n".join(lines), names)
    assert [("fee",)] == eval(last, names)
