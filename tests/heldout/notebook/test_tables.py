"""Each table of a result has the lines that its method finds."""

from dataclasses import asdict

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.errors import BadArgument
from heldout.notebook.tables import KINDS

LEARNERS = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2, random_state=0)}


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return heldout.validate(LEARNERS, X[::2], y[::2], unlabeled=X[1::2], folds=5, repeats=10, progress=False)


def lines(made, kind, candidate=None):
    table = made.to_frame(kind, candidate)
    return table.astype(object).where(table.notna(), None).to_dict("records")


@pytest.mark.parametrize("kind", ["differences", "columns"])
def test_a_table_of_one_candidate_has_the_records_of_its_method(iris, kind):
    for name in (None, *iris):
        found = [asdict(one) for one in getattr(iris, kind)(name)]
        for one in found:
            one |= {"columns": " with ".join(map(str, one["columns"]))} if kind == "columns" else {}
            if one.get("by_margin", "") is None:
                del one["by_margin"]
        assert found == lines(iris, kind, name)


@pytest.mark.parametrize("kind", ["more_rows", "prediction_powered"])
def test_a_table_of_all_candidates_has_the_records_of_each(iris, kind):
    assert [asdict(one) for name in iris for one in getattr(iris, kind)(name)] == lines(iris, kind)


def test_the_curves_say_whose_they_are(iris):
    for name in iris:
        curves = iris.curves(name)
        expected = [{**curves.whose, **asdict(one)} for one in curves.calibration]
        assert expected == lines(iris, "calibration", name)
        assert len(curves.roc) == len(lines(iris, "roc", name))
        assert [] == lines(iris, "residuals", name)
        assert iris[name]["E_val"].target == curves.whose["hypothesis"]


def test_hard_rows_are_those_of_the_method_with_what_half_models_answer(iris):
    table = iris.to_frame("hard_rows")
    assert iris.hard_rows().tolist() == table["prepared_row"].tolist()
    assert iris.design.y[iris.hard_rows()].tolist() == table["label"].tolist()
    assert table["answer_share"].between(1 / 3, 1).all()
    assert {2} == {*table["candidates"]}


def test_costs_are_those_of_the_models_and_of_fits_that_were_made_here(iris, tmp_path):
    table = iris.to_frame("costs")
    assert [*iris] == table["candidate"].tolist()
    assert (table[["fit_seconds", "prediction_microseconds"]] > 0).all(axis=None)
    assert (table["model_bytes"] > 100).all()
    iris.save(tmp_path / "saved")
    read = heldout.load(tmp_path / "saved", X=load_iris().data[::2], candidates=LEARNERS).to_frame("costs")
    assert table["model_bytes"].tolist() == read["model_bytes"].tolist()


def test_a_doubt_about_an_interval_is_a_line_of_the_table_whoever_has_it():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(100, 1))
    y = X[:, 0] + rng.pareto(2.5, size=100)
    made = heldout.validate({"line": LinearRegression(), "same": LinearRegression()}, X, y, estimates=["E_cv"])
    found = {(one["candidate"], one["estimate"]): one["reason"] for one in lines(made, "not_credible", "same")}
    assert made.not_credible("same") == {name: why for (candidate, name), why in found.items() if candidate == "same"}
    of_others = [(one.candidate, one.estimate) for one in (*made.estimates, *made.baseline) if one.not_credible]
    assert {*of_others} <= {*found}
    assert made.to_frame("estimates")["RMSE"].tolist() == pytest.approx(np.sqrt(made.to_frame()["value"]))


def test_every_kind_is_a_frame_and_no_other_name_is_one(iris):
    assert all(len(iris.to_frame(kind).columns) for kind in KINDS)
    with pytest.raises(BadArgument, match="kind is 'shards'; it must be one of estimates, "):
        iris.to_frame("shards")
