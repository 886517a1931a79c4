"""A grouped and a time-ordered table through the real pipeline: laws of the files, numbers by plain loops."""

import json

import numpy as np
import pandas as pd
import pytest
from mlflow import MlflowClient
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

pytestmark = pytest.mark.long
EXACT = 1e-9  # reports have ten significant digits
GAP, BLOCK = 4, 15
CLASSIFIERS = {"bayes": GaussianNB, "neighbours": KNeighborsClassifier}
REGRESSORS = {"line": LinearRegression, "neighbours": KNeighborsRegressor}


class Files:
    """What a run left."""

    def __init__(self, path):
        prepared = path / "data/prepared"
        labeled = pd.read_parquet(prepared / "labeled.parquet")
        self.X, self.y = labeled.drop(columns="target"), labeled["target"].to_numpy()
        test = pd.read_parquet(prepared / "test.parquet")
        self.X_test, self.y_test = test.drop(columns="target"), test["target"].to_numpy()
        self.roles = pd.read_parquet(prepared / "roles.parquet").set_index("row")
        self.test_roles = pd.read_parquet(prepared / "test_roles.parquet").set_index("row")
        self.partition = pd.read_parquet(prepared / "partition.parquet").set_index("row")
        self.halves = pd.read_parquet(prepared / "halves.parquet")
        self.losses = pd.read_parquet(path / "data/results/losses.parquet")
        self.estimates = pd.read_csv(path / "reports/estimates.csv").set_index(["candidate", "estimate"])
        self.selection = json.loads((path / "reports/selection.json").read_text())
        self.report = " ".join((path / "reports/report.html").read_text().split())

    def units(self, candidate, scheme):
        """The rows and losses of each unit of one candidate in one scheme."""
        own = self.losses[(self.losses["candidate"] == candidate) & (self.losses["scheme"] == scheme)]
        return {unit: (part["row"].to_numpy(), part["loss"].to_numpy()) for unit, part in own.groupby("unit")}

    def test(self, learner, trained, tested):
        """The losses on `tested` rows of a learner fitted on `trained` ones, masks both."""
        predicted = learner().fit(self.X[trained], self.y[trained]).predict(self.X[tested])
        return self.loss(predicted, self.y[tested])

    def loss(self, predicted, y):
        return (predicted - y) ** 2 if y.dtype.kind == "f" else (predicted != y).astype(float)

    def check(self, name, learner, may_train):
        """Every loss and estimate of hold-out, folds and steps, with the rows that `may_train` leaves."""
        validation, fold, step = (self.partition[column].to_numpy() for column in ("validation", "fold", "step"))
        plans = {
            ("holdout", "E_val"): {0: (~validation, validation)},
            ("cross_validation", "E_cv"): {one: (fold != one, fold == one) for one in range(fold.max() + 1)},
        }
        for (scheme, estimate), plan in plans.items():
            found, every = self.units(name, scheme), []
            assert sorted(plan) == sorted(found)
            for unit, (others, tested) in plan.items():
                expected = self.test(learner, others & may_train(tested), tested)
                assert np.flatnonzero(tested).tolist() == found[unit][0].tolist()
                assert expected == pytest.approx(found[unit][1], abs=EXACT)
                every.append(expected)
            own = self.estimates.loc[name, estimate]
            assert np.concatenate(every).mean() == pytest.approx(own["value"], rel=EXACT)
            assert len(np.concatenate(every)) == own["n_tested"]
            assert own["low"] <= own["value"] <= own["high"]
        stream = np.empty(step.max() + 1)
        for first in range(0, len(stream), BLOCK):
            tested = (step >= first) & (step < first + BLOCK)
            stream[step[tested]] = self.test(learner, (step < first) & may_train(tested), tested)
        found = self.units(name, "progressive")
        assert stream.tolist() == pytest.approx([found[unit][1][0] for unit in range(len(stream))], abs=EXACT)
        assert stream.mean() == pytest.approx(self.estimates.loc[name, "E_prog"]["value"], rel=EXACT)


def settings(source, **data):
    return {"source": str(source), "positive": None, "labeled_rows": None, **data}


@pytest.fixture(scope="module")
def grouped(clone, server, write_params, tmp_path_factory):
    """30 houses of one to twelve rows, each house with a mean and a leaning of its own; 20 rows come twice."""
    rng = np.random.default_rng(0)
    house = rng.permutation(np.repeat(np.arange(30), rng.integers(1, 13, 30)))
    x = rng.normal(size=(len(house), 2)) + rng.normal(size=(30, 2))[house]
    sold = (x[:, 0] + rng.normal(size=30)[house] > 0).astype(int)
    table = pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "house": house, "target": sold})
    folder = tmp_path_factory.mktemp("grouped")
    pd.concat([table, table[:20]]).to_csv(folder / "rows.csv", index=False)
    params = write_params(
        folder / "params.yaml",
        data=settings(folder / "rows.csv", groups="house"),
        split={"folds": 4, "test_fraction": 0.2},
        deliver="k_fold",
    )
    checkout = clone(server)
    said = checkout.flow("validate", "--params", params)
    return Files(checkout.path), " ".join((said.stdout + said.stderr).split())


def test_no_group_is_on_both_sides_of_anything(grouped):
    files, _ = grouped
    house = files.roles["group"]
    assert not set(house) & set(files.test_roles["group"])
    folds = files.partition.groupby(house)
    assert (folds["fold"].nunique() == 1).all()
    assert (folds["validation"].nunique() == 1).all()
    assert (files.halves.groupby(["repeat", files.halves["row"].map(house)])["half"].nunique() == 1).all()


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_the_numbers_of_groups_are_those_of_plain_loops(grouped, name):
    files, _ = grouped
    house = files.roles["group"].to_numpy()
    files.check(name, CLASSIFIERS[name], lambda tested: ~np.isin(house, house[tested]))


def test_intervals_of_groups_are_those_that_need_no_independent_rows(grouped):
    files, _ = grouped
    own = files.estimates["interval"].unstack().loc["bayes"]
    assert ["clustered Wilson"] * 2 == [own["E_val"], own["E_prog"]]
    assert "clustered Wilson" == own["E_cv"]
    assert own[["E_2cv", "E_train"]].isna().all()
    assert files.selection["bound"] is None
    winner = files.selection["selected"]
    assert "clustered Wilson" == files.estimates.loc[winner, "E_test"]["interval"]
    assert "corrected fold Wilson" == files.estimates.loc[winner, "E_bbc"]["interval"]


def test_copies_are_told_with_what_they_change(grouped):
    files, said = grouped
    found = files.selection["duplicates"]
    labeled = files.X.duplicated(keep=False)
    assert (labeled.sum(), 0) == (found["rows"], found["differing"])
    # copies are of one house, so that they are together already
    winner = files.selection["selected"]
    assert files.estimates.loc[winner, "E_cv"]["value"] == pytest.approx(found["E_cv"], rel=EXACT)
    assert found["E_cv_kept_together"] is not None
    assert "rows with a label have the features of another row" in said
    assert f"{100 * found['E_cv_kept_together']:.1f} % with all copies of a row in one fold" in files.report


@pytest.fixture(scope="module")
def timed(clone, server, write_params, tmp_path_factory):
    """200 days in any order, two rows on some of them, of a target that drifts."""
    rng = np.random.default_rng(1)
    day = np.sort(rng.choice(200, 200))
    x = rng.normal(size=(200, 2))
    sold = x[:, 0] + 0.02 * day + np.convolve(rng.normal(size=203), np.ones(4), "valid")
    table = pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "day": day, "target": sold})
    table["day"] = (pd.Timestamp("2026-01-01") + pd.to_timedelta(table["day"], unit="D")).dt.strftime("%Y-%m-%d")
    folder = tmp_path_factory.mktemp("timed")
    table.sample(frac=1, random_state=0).to_csv(folder / "rows.csv", index=False)
    params = write_params(
        folder / "params.yaml",
        data=settings(folder / "rows.csv", time="day", labeled_rows=150),
        split={"folds": 4, "test_fraction": 0.2, "gap": GAP},
        candidates=[
            {"name": "line", "estimator": "sklearn.linear_model.LinearRegression"},
            {"name": "neighbours", "estimator": "sklearn.neighbors.KNeighborsRegressor"},
        ],
        deliver="progressive",
    )
    checkout = clone(server)
    said = checkout.flow("validate", "--params", params)
    client = MlflowClient(f"sqlite:///{checkout.path}/mlruns/mlflow.db")
    return Files(checkout.path), " ".join((said.stdout + said.stderr).split()), client


def earlier(time, gap):
    """The mask of rows that may train for `tested` ones: `gap` rows or more lie between, and no time is divided."""

    def may_train(tested):
        before = np.sort(time[time < time[tested].min()])
        allowed = before[: len(before) - gap] if gap else before
        return time < (before[len(before) - gap] if gap else time[tested].min()) if len(allowed) else time < time.min()

    return may_train


def test_no_row_is_tested_by_what_was_trained_on_a_later_one(timed):
    files, said, _ = timed
    time = files.roles["time"].to_numpy()
    assert time.max() < files.test_roles["time"].min()
    assert "rows with a label are left out: they lie in the gap before the test set" in said
    fold, step = files.partition["fold"].to_numpy(), files.partition["step"].to_numpy()
    assert {-1, 0, 1, 2, 3} == set(fold.tolist())
    for one in range(4):
        assert time[(fold < one)].max() < time[fold == one].min()
    assert time[step == -1].max() < time[step >= 0].min()
    assert (np.diff(time[np.argsort(step)][(step == -1).sum() :]) >= np.timedelta64(0)).all()


@pytest.mark.parametrize("name", REGRESSORS)
def test_the_numbers_along_time_are_those_of_plain_loops(timed, name):
    files, _, _ = timed
    files.check(name, REGRESSORS[name], earlier(files.roles["time"].to_numpy(), GAP))


@pytest.mark.parametrize("kind", ["grouped", "timed"])
def test_the_baseline_is_trained_on_the_rows_that_a_candidate_is_trained_on(request, kind):
    files = request.getfixturevalue(kind)[0]
    numbers = kind == "timed"
    house = files.roles["group"].to_numpy() if kind == "grouped" else None
    may_train = (
        earlier(files.roles["time"].to_numpy(), GAP) if numbers else lambda tested: ~np.isin(house, house[tested])
    )
    validation, fold = (files.partition[column].to_numpy() for column in ("validation", "fold"))
    plans = {
        "E_val": [(~validation, validation)],
        "E_cv": [(fold != one, fold == one) for one in range(fold.max() + 1)],
    }
    for estimate, plan in plans.items():
        every = []
        for others, tested in plan:
            trained = files.y[others & may_train(tested)]
            every.append(files.loss(trained.mean() if numbers else np.bincount(trained).argmax(), files.y[tested]))
        own, winner = (files.estimates.loc[name, estimate] for name in ("baseline", files.selection["selected"]))
        assert np.concatenate(every).mean() == pytest.approx(own["value"], rel=EXACT)
        assert (winner["interval"], winner["n_tested"]) == (own["interval"], own["n_tested"])


def test_what_time_does_not_admit_is_left_out(timed):
    files, said, client = timed
    own = files.estimates["interval"].unstack().loc["line"]
    assert ("clustered log t", "clustered log t", "log t") == (own["E_val"], own["E_cv"], own["E_prog"])
    assert files.estimates.loc[("line", "E_prog"), "target"].startswith("the error along the stream")
    assert not {"E_2cv", "E_bbc", "E_nested"} & set(files.estimates.index.get_level_values("estimate"))
    assert {"E_train", "disagreement", "E_dis", "E_maxdt"} <= set(files.estimates.index.get_level_values("estimate"))
    assert {"holdout", "cross_validation", "progressive"} == set(files.losses["scheme"])
    assert "rows depend by time" in said
    assert "time order have no E_2cv" in " ".join(said.split())
    assert "RMSE, in units of target, intervals at" in said
    runs = client.search_runs([client.get_experiment_by_name("heldout").experiment_id])
    child = next(run.info.run_id for run in runs if run.info.run_name == "line")
    folds = [np.mean(losses) for _, losses in files.units("line", "cross_validation").values()]
    told = [one.value for one in client.get_metric_history(child, "fold_error")]
    assert folds == pytest.approx(told, rel=EXACT)
