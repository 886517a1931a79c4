"""Every number of a shipped run, computed again by plain loops over scikit-learn from the prepared files alone."""

import json
import math
import sys
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
import skops.io

from tasks.params import load

COLUMNS = ["candidate", "estimate", "value", "low", "high", "level", "target", "interval", "n_train", "n_tested"]
WITH_INTERVAL = ["E_val", "E_cv", "E_prog"]


@dataclass(frozen=True)
class Prepared:
    """The prepared files, as pandas reads them."""

    X: pd.DataFrame
    y: np.ndarray
    partition: pd.DataFrame
    halves: np.ndarray
    unlabeled: pd.DataFrame
    X_test: pd.DataFrame
    y_test: np.ndarray


@pytest.fixture(scope="module")
def prepared(reproduced) -> Prepared:
    folder = reproduced.path / "data/prepared"
    labeled, test = (pd.read_parquet(folder / name) for name in ("labeled.parquet", "test.parquet"))
    halves = pd.read_parquet(folder / "halves.parquet").pivot(index="repeat", columns="row", values="half")
    shards = [pd.read_parquet(path) for path in sorted((folder / "unlabeled").glob("shard-*.parquet"))]
    return Prepared(
        X=labeled.drop(columns="target"),
        y=labeled["target"].to_numpy(),
        partition=pd.read_parquet(folder / "partition.parquet").set_index("row").sort_index(),
        halves=halves.to_numpy(),
        unlabeled=pd.concat(shards),
        X_test=test.drop(columns="target"),
        y_test=test["target"].to_numpy(),
    )


@pytest.fixture(scope="module")
def settings(reproduced):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [*sys.path])  # `load` adds the folder of the parameters
        return load(reproduced.path / "params.yaml")


@pytest.fixture(scope="module")
def candidates(settings):
    return settings.candidates


@pytest.fixture(scope="module")
def recomputed(prepared, settings) -> dict[str, tuple[dict, dict[str, float]]]:
    """By candidate: the loss by (scheme, unit, row), and the value by estimate."""
    block = settings.progressive.block
    return {candidate.name: recompute(candidate.learner, prepared, block) for candidate in settings.candidates}


def recompute(learner, data: Prepared, block: int) -> tuple[dict, dict[str, float]]:
    """The method, as one would write it by hand."""
    X, y, partition = data.X, data.y, data.partition
    validation, fold, step = (partition[name].to_numpy() for name in ("validation", "fold", "step"))
    losses: dict[tuple[str, int, int], float] = {}

    def fit(train):
        return learner().fit(X.iloc[train], y[train])

    def wrong(hypothesis, rows):
        return (hypothesis.predict(X.iloc[rows]) != y[rows]).astype(float)

    def test(scheme, hypothesis, rows, units):
        for unit, row, loss in zip(units.tolist(), rows.tolist(), wrong(hypothesis, rows), strict=True):
            losses[scheme, unit, row] = loss

    everything = np.arange(len(y))
    held_out = np.flatnonzero(validation)
    test("holdout", fit(np.flatnonzero(~validation)), held_out, 0 * held_out)
    for number in np.unique(fold):
        rows = np.flatnonzero(fold == number)
        test("cross_validation", fit(np.flatnonzero(fold != number)), rows, fold[rows])
    for first in range(0, step.max() + 1, block):
        rows = np.flatnonzero((first <= step) & (step < first + block))
        test("progressive", fit(np.flatnonzero(step < first)), rows, step[rows])
    training, disagreements = [], []
    for repeat, half in enumerate(data.halves):
        pair = [fit(np.flatnonzero(half == side)) for side in (0, 1)]
        for side, hypothesis in enumerate(pair):
            rows = np.flatnonzero(half != side)
            test("covalidation", hypothesis, rows, 0 * rows + repeat)
            training.append(wrong(hypothesis, np.flatnonzero(half == side)).mean())
        disagreements.append((pair[0].predict(data.unlabeled) != pair[1].predict(data.unlabeled)).mean())

    def mean(scheme):
        return float(np.mean([loss for (other, _, _), loss in losses.items() if other == scheme]))

    disagreement, training_error = float(np.mean(disagreements)), float(np.mean(training))
    bound = (1 - math.sqrt(1 - 2 * min(disagreement, 0.5))) / 2
    values = {
        "E_in": wrong(fit(everything), everything).mean(),
        "E_val": mean("holdout"),
        "E_cv": mean("cross_validation"),
        "E_prog": mean("progressive"),
        "E_2cv": mean("covalidation"),
        "E_train": training_error,
        "disagreement": disagreement,
        "E_dis": bound,
        "E_maxdt": max(training_error, bound),
    }
    return losses, values


@pytest.fixture(scope="module")
def estimates(reproduced) -> pd.DataFrame:
    return pd.read_csv(reproduced.path / "reports/estimates.csv")


@pytest.fixture(scope="module")
def selection(reproduced) -> dict:
    return json.loads((reproduced.path / "reports/selection.json").read_text())


@pytest.fixture(scope="module")
def winner(recomputed, candidates):
    """The least E_cv; of equals the first."""
    return min(candidates, key=lambda candidate: recomputed[candidate.name][1]["E_cv"])


def test_every_line_of_losses_is_that_of_a_plain_loop(reproduced, recomputed):
    table = pd.read_parquet(reproduced.path / "data/results/losses.parquet")
    assert ["candidate", "scheme", "unit", "row", "loss"] == list(table.columns)
    actual = table.set_index(["candidate", "scheme", "unit", "row"])["loss"]
    expected = {(name, *key): loss for name, (losses, _) in recomputed.items() for key, loss in losses.items()}
    assert actual.index.is_unique
    assert expected.keys() == {*actual.index}
    assert expected == pytest.approx(actual.to_dict(), abs=1e-12)


def test_every_estimate_is_that_of_a_plain_loop(estimates, recomputed):
    own = estimates[estimates["estimate"] != "E_test"]
    expected = {(name, key): value for name, (_, values) in recomputed.items() for key, value in values.items()}
    assert expected == pytest.approx(own.set_index(["candidate", "estimate"])["value"].to_dict(), abs=1e-9)
    assert len(expected) == len(own)


def test_the_test_part_is_opened_for_the_winner_alone(estimates, selection, prepared, winner):
    rows = estimates[estimates["estimate"] == "E_test"]
    hypothesis = winner.learner().fit(prepared.X, prepared.y)
    expected = (hypothesis.predict(prepared.X_test) != prepared.y_test).mean()
    assert [winner.name] == list(rows["candidate"])
    assert expected == pytest.approx(rows["value"].item(), abs=1e-9)
    assert expected == pytest.approx(selection["E_test"], abs=1e-9)


def test_the_columns_of_estimates_keep_their_order_and_tell_their_sizes(estimates, prepared):
    assert COLUMNS == list(estimates.columns)
    n, k = len(prepared.y), int(prepared.partition["validation"].sum())
    m, test = int(prepared.partition["step"].max()) + 1, len(prepared.y_test)
    sizes = estimates.set_index("estimate")
    assert {(n - k, k)} == {*sizes.loc["E_val", ["n_train", "n_tested"]].itertuples(index=False, name=None)}
    assert {n} == {*sizes.loc["E_in", "n_train"]} == {*sizes.loc["E_cv", "n_tested"]}
    assert {m} == {*sizes.loc["E_prog", "n_tested"]}
    assert (n, test) == (sizes.loc["E_test", "n_train"], sizes.loc["E_test", "n_tested"])


def test_where_no_interval_is_claimed_its_columns_are_empty(estimates):
    claimed = estimates["estimate"].isin([*WITH_INTERVAL, "E_test"])
    parts = ["low", "high", "level", "interval"]
    assert estimates.loc[~claimed, parts].isna().all(axis=None)
    assert estimates.loc[claimed, parts].notna().all(axis=None)
    assert {0.95} == {*estimates.loc[claimed, "level"]}
    assert estimates[claimed].eval("low <= value and value <= high").all()


def test_the_selection_is_the_least_error_and_its_bound_pays_for_every_candidate(
    selection, recomputed, winner, prepared
):
    held_out = int(prepared.partition["validation"].sum())
    expected = recomputed[winner.name][1]["E_val"] + math.sqrt(math.log(8 / 0.05) / (2 * held_out))
    assert winner.name == selection["selected"]
    assert list(recomputed) == selection["candidates"]
    assert ("E_cv", "minimum", 8) == (selection["criterion"], selection["rule"], selection["contamination"])
    assert expected == pytest.approx(selection["bound"], abs=1e-9)


def test_the_saved_model_predicts_as_the_winner_refitted_on_all_labelled_rows(reproduced, prepared, winner):
    path = reproduced.path / "models/selected.skops"
    model = skops.io.load(path, trusted=skops.io.get_untrusted_types(file=path))
    hypothesis = winner.learner().fit(prepared.X, prepared.y)
    for X in (prepared.X, prepared.X_test, prepared.unlabeled):
        assert np.array_equal(hypothesis.predict(X), model.predict(X))
