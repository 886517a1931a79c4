"""The metrics of the winner on the test set: the same rows and answers as E_test, and slices of any column."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import heldout
from heldout.intervals import pooled_shape
from heldout.losses.tested_losses import Tested
from heldout.schemes.design import Evidence
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.outcome.deliver import Delivered
from tasks.runtime.errors import UserError
from tasks.storage import files, metrics_files
from tests.tasks.outcome.test_opening import case  # noqa: F401  # a fixture


class WithoutScores(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.resize(self.classes_, len(X))


@pytest.fixture
def with_sex(rows):
    """The sex of each row, in a column that is no feature."""
    sex = np.array(["m", "f", None], dtype=object)[np.arange(60) // 3 % 3]
    rows.assign(sex=sex).to_csv("rows.csv", index=False)
    return "data.drop=[sex]", "report.slices=[sex]"


def test_the_lines_are_the_metrics_of_scikit_learn_on_the_test_set_and_its_slices(with_sex, case):  # noqa: F811
    one = case(*with_sex)
    opening = one.open()
    metrics_files.write(opening.metrics)
    table = metrics_files.read().set_index(["metric", "slice"])
    X, y = files.read_table(files.TEST)
    assert "sex" not in X.columns
    won, predicted = y == "won", one.delivered.hypothesis.predict(X)
    share = one.delivered.hypothesis.predict_proba(X)[:, 1]
    expected = {
        "auc": roc_auc_score(won, share),
        "average_precision": average_precision_score(won, share),
        "f1": f1_score(won, predicted == "won"),
    }
    assert expected == pytest.approx({name: table["value"][name, ""] for name in expected}, rel=1e-9)
    errors = {name: (predicted != y)[y == name].mean() for name in ("lost", "won")}
    assert errors == pytest.approx({name: table["value"]["class_error", f"kind={name}"] for name in errors})
    sex = pd.read_csv("rows.csv").set_index("id")["sex"].loc[X["id"]].fillna("(missing)").to_numpy()
    for value in np.unique(sex):
        line = table.loc["zero_one", f"sex={value}"]
        assert np.sum(sex == value) == line["n_tested"]
        if line["n_tested"] > 1:
            assert (predicted != y)[sex == value].mean() == pytest.approx(line["value"])
    counts = metrics_files.read_confusion()
    assert np.sum((y == "won") & (predicted == "lost")) == counts.loc["won", "lost"]
    assert len(y) == counts.to_numpy().sum()


def test_a_slice_takes_the_shape_of_the_losses_of_cross_validation_as_the_test_error_does(with_sex, case):  # noqa: F811
    one = case(*with_sex, "loss=brier", "intervals={E_test: pooled shape}")
    design = one.results.design
    made = [np.linspace(0, 0.5, len(split.validation)) ** 4 for split in design.splits("cross_validation")]
    results = replace(one.results, evidence={"bayes": Evidence({"cross_validation": made})})
    found = {line.slice: line for line in replace(one, results=results).open().metrics.lines if line.metric == "brier"}
    X, y = files.read_table(files.TEST)
    losses = (one.delivered.hypothesis.predict_proba(X)[:, 1] - (y == "won")) ** 2
    for value in ("m", "f"):
        of_slice = losses[files.read_test_slices()["sex"] == value]
        seen = Tested(of_slice, design.loss, design.seed, pool=np.concatenate(made))
        line = found[f"sex={value}"]
        assert "pooled shape" == line.interval
        low, high = pooled_shape.bounds(seen, 0.95)
        assert (low, min(high, 1)) == pytest.approx((line.low, line.high), rel=1e-9)


def test_a_notebook_has_the_same_lines_from_the_same_answers(with_sex, case):  # noqa: F811
    one = case(*with_sex, "selection.level=0.9")
    X, y = files.read_table(files.TEST)
    answers = one.delivered.hypothesis.predict(X), one.delivered.hypothesis.predict_proba(X)
    slices = files.read_test_slices()
    found = heldout.metrics_of(y, *answers, slices=slices, level=0.9, seed=one.settings.seed).lines
    named = [replace(line, candidate="bayes", slice=line.slice.replace("y=", "kind=")) for line in found]
    assert named == list(one.open().metrics.lines)


@pytest.mark.parametrize("change", ["data.groups=house", "data.time=house"])
def test_of_rows_that_depend_the_intervals_count_groups_or_batches(rows, case, change):  # noqa: F811
    rows.assign(house=np.arange(60) // 2).to_csv("rows.csv", index=False)
    one = case(change, "split.test_fraction=0.4")
    losses = [np.arange(len(split.validation)) % 2.0 for split in one.results.design.splits("cross_validation")]
    results = replace(one.results, evidence={"bayes": Evidence({"cross_validation": losses})})
    opened = replace(one, results=results).open()
    found = {(line.metric, line.slice): line for line in opened.metrics.lines}
    [estimate] = opened.estimates
    assert "clustered Wilson" == estimate.interval
    assert "clustered Wilson" == found["class_error", "kind=lost"].interval
    assert "jackknife Wilson" == found["auc", ""].interval


def test_a_hypothesis_without_probabilities_ranks_by_its_scores(rows, case):  # noqa: F811
    one = case()
    X, y = files.read_table(files.LABELED)
    model = make_pipeline(StandardScaler(), SVC()).fit(X, y)
    found = {line.metric: line for line in one.open(delivered=Delivered(model, model, len(y))).metrics.lines}
    X, y = files.read_table(files.TEST)
    scores = model.decision_function(X)
    assert roc_auc_score(y == "won", scores) == pytest.approx(found["auc"].value, rel=1e-12)
    assert average_precision_score(y == "won", scores) == pytest.approx(found["average_precision"].value, rel=1e-12)
    assert ("the model gives no probabilities", None) == (
        found["calibration_error"].reason,
        found["calibration_error"].value,
    )
    assert found["f1"].value is not None


def test_a_hypothesis_without_scores_has_the_other_metrics(rows, case):  # noqa: F811
    one = case()
    X, y = files.read_table(files.LABELED)
    model = WithoutScores().fit(X, y)
    found = {line.metric: line for line in one.open(delivered=Delivered(model, model, len(y))).metrics.lines}
    for name in ("auc", "average_precision"):
        assert (None, "the model gives no probabilities, and no scores") == (found[name].value, found[name].reason)
    assert found["f1"].value is not None


def test_weights_count_in_each_metric_and_slice(with_sex, case):  # noqa: F811
    table = pd.read_csv("rows.csv")
    table.assign(heavy=np.where(table["id"] % 2, 3.0, 1.0)).to_csv("rows.csv", index=False)
    one = case(*with_sex, "data.weight=heavy")
    found = {(line.metric, line.slice): line for line in one.open().metrics.lines}
    X, y = files.read_table(files.TEST)
    weights = files.read_test_roles()["weight"]
    share, wrong = one.delivered.hypothesis.predict_proba(X)[:, 1], one.delivered.hypothesis.predict(X) != y
    assert roc_auc_score(y == "won", share, sample_weight=weights) == pytest.approx(found["auc", ""].value)
    men = files.read_test_slices()["sex"] == "m"
    assert np.average(wrong[men], weights=weights[men]) == pytest.approx(found["zero_one", "sex=m"].value)


@pytest.mark.parametrize(
    ("slices", "known"), [("[sex]", ["report.slices[0]", "'sex'", "kind"]), ("[kind, x]", ["[1]", "'x'", "60", "20"])]
)
def test_a_column_that_cannot_make_slices_is_refused_before_any_file_is_written(rows, settings_of_rows, slices, known):
    with pytest.raises(UserError) as caught:
        write_prepared(prepare(settings_of_rows("split.test_fraction=0.25", f"report.slices={slices}")))
    assert [] == [text for text in known if text not in str(caught.value)]
    assert not files.PREPARED.exists()


def test_a_column_that_is_named_twice_is_refused(settings_with):
    with pytest.raises(UserError, match=r"report\.slices\[1\].*'sex'"):
        settings_with("report.slices=[sex, sex]")


def test_without_a_test_set_the_files_have_no_line(rows, case):  # noqa: F811
    one = case("split.test_fraction=0")
    metrics_files.write(one.open().metrics)
    assert (0, 0) == (len(metrics_files.read()), len(metrics_files.read_confusion()))
