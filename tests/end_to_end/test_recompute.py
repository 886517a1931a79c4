"""Every number of a shipped run, computed again by plain loops over scikit-learn from the prepared files alone."""

import json
import math
import sys
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest
import skops.io
from scipy import stats

from heldout import seeds
from heldout.estimates.methods import METHODS
from heldout.intervals import wilson
from heldout.losses import ZERO_ONE
from heldout.losses.tested_losses import CrossValidated, RepeatedByRow, Tested, training_covariance
from heldout.schemes import SCHEMES
from tasks.params import load

COLUMNS = ["candidate", "estimate", "value", "low", "high", "level", "target", "interval", "n_train", "n_tested"]
TRAINED_ON_HALVES = ("E_2cv", "E_train", "disagreement", "E_dis", "E_maxdt")
BOOTSTRAPS = 1000

pytestmark = pytest.mark.slow


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


@dataclass(frozen=True)
class Recomputed:
    """Of one candidate: the loss by (scheme, unit, row), the value by estimate, and what intervals look at."""

    losses: dict[tuple[str, int, int], float]
    values: dict[str, float]
    seen: dict[str, object]


@pytest.fixture(scope="module")
def recomputed(prepared, settings) -> dict[str, Recomputed]:
    block = settings.progressive.block
    return {candidate.name: recompute(candidate.learner, prepared, block) for candidate in settings.candidates}


def recompute(learner, data: Prepared, block: int) -> Recomputed:
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
    tested_rows, trained_rows = np.empty(data.halves.shape), np.empty(data.halves.shape)
    for repeat, half in enumerate(data.halves):
        pair = [fit(np.flatnonzero(half == side)) for side in (0, 1)]
        for side, hypothesis in enumerate(pair):
            rows, own = np.flatnonzero(half != side), np.flatnonzero(half == side)
            test("covalidation", hypothesis, rows, 0 * rows + repeat)
            tested_rows[repeat, rows], trained_rows[repeat, own] = wrong(hypothesis, rows), wrong(hypothesis, own)
            training.append(trained_rows[repeat, own].mean())
        disagreements.append((pair[0].predict(data.unlabeled) != pair[1].predict(data.unlabeled)).astype(float))

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
    in_steps = [losses["progressive", place, row] for place, row in enumerate(np.argsort(step)[-(step.max() + 1) :])]
    apart = np.array(disagreements)
    seen = {
        "E_val": Tested(np.array([losses["holdout", 0, row] for row in held_out.tolist()]), ZERO_ONE),
        "E_prog": Tested(np.array(in_steps), ZERO_ONE),
        "E_2cv": replace(
            margins(tested_rows),
            loss_variance=tested_rows.var() * len(y) / (len(y) - 1),
            covariance=training_covariance(tested_rows, data.halves),
        ),
        "E_train": margins(trained_rows),
        "disagreement": margins(apart),
    }
    return Recomputed(losses, values, seen)


def margins(table: np.ndarray) -> RepeatedByRow:
    return RepeatedByRow(table.mean(axis=1), table.mean(axis=0).var(ddof=1), table.shape[1], ZERO_ONE)


def bounds(method: str, estimate: str, seen, level: float) -> tuple[float, float]:
    """The interval that the method of this name has about what was seen."""
    (named,) = [known for known in METHODS if known.name == method]
    interval = named.interval(estimate, seen, level)
    return interval.low, interval.high


@pytest.fixture(scope="module")
def estimates(reproduced) -> pd.DataFrame:
    return pd.read_csv(reproduced.path / "reports/estimates.csv")


@pytest.fixture(scope="module")
def selection(reproduced) -> dict:
    return json.loads((reproduced.path / "reports/selection.json").read_text())


@pytest.fixture(scope="module")
def winner(recomputed, candidates):
    """The least E_cv; of equals the first."""
    return min(candidates, key=lambda candidate: recomputed[candidate.name].values["E_cv"])


def test_every_line_of_losses_is_that_of_a_plain_loop(reproduced, recomputed):
    table = pd.read_parquet(reproduced.path / "data/results/losses.parquet")
    assert ["candidate", "scheme", "unit", "row", "loss"] == list(table.columns)
    actual = table.set_index(["candidate", "scheme", "unit", "row"])["loss"]
    expected = {(name, *key): loss for name, one in recomputed.items() for key, loss in one.losses.items()}
    assert actual.index.is_unique
    assert expected.keys() == {*actual.index}
    assert expected == pytest.approx(actual.to_dict(), abs=1e-12)


def test_every_estimate_is_that_of_a_plain_loop(estimates, recomputed):
    own = estimates[~estimates["estimate"].isin(["E_test", "E_bbc"]) & (estimates["candidate"] != "baseline")]
    expected = {(name, key): value for name, one in recomputed.items() for key, value in one.values.items()}
    assert expected == pytest.approx(own.set_index(["candidate", "estimate"])["value"].to_dict(), abs=1e-9)
    assert len(expected) == len(own)


def test_the_baseline_is_the_most_frequent_class_of_the_training_rows(reproduced, estimates, prepared, selection):
    partition, y = prepared.partition, prepared.y

    def error(training, tested):
        classes, counts = np.unique(training, return_counts=True)
        return np.mean(tested != classes[counts.argmax()])

    inside, fold = partition["validation"].to_numpy(), partition["fold"].to_numpy()
    of_folds = [error(y[fold != i], y[fold == i]) for i in fold]  # each row counts once
    test = pd.read_parquet(reproduced.path / "data/prepared/test.parquet")["target"]
    expected = {"E_val": error(y[~inside], y[inside]), "E_cv": np.mean(of_folds), "E_test": error(y, test)}
    own = estimates[estimates["candidate"] == "baseline"].set_index("estimate")
    assert expected == pytest.approx(own["value"].to_dict(), abs=1e-9)
    assert "baseline" not in selection["candidates"]
    assert expected["E_cv"] == pytest.approx(selection["baseline"], abs=1e-9)
    assert selection["beats_baseline"] is True  # 5 errors of 300 against 30
    of_winner = estimates[estimates["candidate"] == selection["selected"]].set_index("estimate")
    for name, line in own.iterrows():
        same = ["interval", "level", "n_train", "n_tested"]
        assert of_winner.loc[name, same].tolist() == line[same].tolist()


def claimed(estimates, candidate: str, estimate: str) -> tuple[str, tuple[float, float]]:
    """The name of an interval, and its bounds."""
    (row,) = estimates[(estimates["candidate"] == candidate) & (estimates["estimate"] == estimate)].to_dict("records")
    return row["interval"], (row["low"], row["high"])


@pytest.mark.parametrize("estimate", ["E_val", "E_prog", "E_2cv", "E_train", "disagreement"])
def test_every_interval_is_that_of_its_method_about_those_losses(estimates, recomputed, settings, estimate):
    for name, one in recomputed.items():
        method, found = claimed(estimates, name, estimate)
        assert bounds(method, estimate, one.seen[estimate], settings.selection.level) == pytest.approx(found, abs=1e-9)


def lower_bound(disagreement: float) -> float:
    return (1 - math.sqrt(1 - 2 * min(disagreement, 0.5))) / 2


def test_the_bounds_of_the_disagreement_are_carried_to_the_error_and_two_of_half_the_risk_to_the_larger(
    estimates, recomputed, settings
):
    level = settings.selection.level
    for name, one in recomputed.items():
        method, found = claimed(estimates, name, "E_dis")
        expected = [lower_bound(limit) for limit in bounds(method, "disagreement", one.seen["disagreement"], level)]
        assert expected == pytest.approx(found, abs=1e-9)
        _, found = claimed(estimates, name, "E_maxdt")
        methods = {part: claimed(estimates, name, part)[0] for part in ("E_train", "disagreement")}
        each = [bounds(method, part, one.seen[part], (1 + level) / 2) for part, method in methods.items()]
        expected = [max(trained, lower_bound(apart)) for trained, apart in zip(*each, strict=True)]
        assert expected == pytest.approx(found, abs=1e-9)


@pytest.fixture(scope="module")
def seen_of_winner(estimates, recomputed, prepared, settings, winner) -> CrossValidated:
    """The winner's held-out losses, and the errors of the further fits that the interval of its E_cv needs."""
    name, _ = claimed(estimates, winner.name, "E_cv")
    (method,) = [known for known in METHODS if known.name == name]
    X, y, fold = prepared.X, prepared.y, prepared.partition["fold"].to_numpy()
    losses = recomputed[winner.name].losses
    held_out = np.array([losses["cross_validation", fold[row], row] for row in range(len(y))])
    fields = {}
    if method.needs:
        further = SCHEMES[method.needs].draw(y, fold, True, settings.seed)
        wrong = []
        for split in further.splits:
            hypothesis = winner.learner().fit(X.iloc[split.train], y[split.train])
            wrong.append((hypothesis.predict(X.iloc[split.validation]) != y[split.validation]).astype(float))
        fields = further.fields(wrong)
    return CrossValidated(held_out, ZERO_ONE, settings.seed, fold=fold, **fields)


def test_the_interval_of_the_winner_about_cross_validation_is_that_of_its_method_and_its_further_fits(
    estimates, seen_of_winner, settings, winner
):
    name, found = claimed(estimates, winner.name, "E_cv")
    assert bounds(name, "E_cv", seen_of_winner, settings.selection.level) == pytest.approx(found, abs=1e-9)


def test_the_winner_is_corrected_for_having_won_by_a_plain_bootstrap_of_the_selection(
    estimates, recomputed, prepared, settings, winner, seen_of_winner
):
    n, fold = len(prepared.y), prepared.partition["fold"].to_numpy()
    table = np.array(
        [[one.losses["cross_validation", fold[row], row] for row in range(n)] for one in recomputed.values()]
    )
    table = table[:, np.lexsort(table)]
    rng = np.random.default_rng(seeds.child(settings.seed, "bootstrap"))
    errors, taken = [], np.zeros(n)
    for times in rng.multinomial(n, np.full(n, 1 / n), size=BOOTSTRAPS):
        best = int(np.argmin(table @ times))
        errors.append(table[best, times == 0].mean())
        taken += table[best] / BOOTSTRAPS
    (row,) = estimates[estimates["estimate"] == "E_bbc"].to_dict("records")
    assert winner.name == row["candidate"]
    assert np.mean(errors) == pytest.approx(row["value"], abs=1e-9)
    own, errors = seen_of_winner.losses, seen_of_winner.subsample_errors
    noise = max(errors.var(ddof=1) * (1 / len(errors) + seen_of_winner.tested_per_trained), own.var(ddof=1) / n)
    size, t = own.mean() * (1 - own.mean()) / noise, stats.t.ppf(0.975, len(errors) - 1)
    # from the lower bound about the winner's own error to the upper about E_bbc, each with (1 + r) / 2 of the variance
    size /= (1 + min(taken.var() / own.var(), 1)) / 2
    ends = min(row["value"], own.mean()), max(row["value"], own.mean())
    expected = tuple(wilson.roots_at(end, size, t)[side] for side, end in enumerate(ends))
    assert expected == pytest.approx((row["low"], row["high"]), abs=1e-9)
    assert row["target"].endswith("that the rule minimum takes by E_cv, among this run's candidates")
    assert recomputed[winner.name].values["E_cv"] < row["value"]


def test_the_test_set_is_opened_for_the_winner_alone(estimates, selection, prepared, winner):
    rows = estimates[estimates["estimate"] == "E_test"]
    hypothesis = winner.learner().fit(prepared.X, prepared.y)
    expected = (hypothesis.predict(prepared.X_test) != prepared.y_test).mean()
    of_constant = (prepared.y_test != np.bincount(prepared.y).argmax()).mean()
    assert [winner.name, "baseline"] == list(rows["candidate"])
    assert [expected, of_constant] == pytest.approx(rows["value"].to_list(), abs=1e-9)
    assert expected == pytest.approx(selection["E_test"], abs=1e-9)


def test_the_columns_of_estimates_keep_their_order_and_tell_their_sizes(estimates, prepared):
    assert COLUMNS == list(estimates.columns)
    n, k = len(prepared.y), int(prepared.partition["validation"].sum())
    m, test = int(prepared.partition["step"].max()) + 1, len(prepared.y_test)
    sizes = estimates.set_index("estimate")
    assert {(n - k, k)} == {*sizes.loc["E_val", ["n_train", "n_tested"]].itertuples(index=False, name=None)}
    assert {n} == {*sizes.loc["E_in", "n_train"]} == {*sizes.loc["E_cv", "n_tested"]}
    assert {m} == {*sizes.loc["E_prog", "n_tested"]}
    assert {(n, test)} == {*sizes.loc["E_test", ["n_train", "n_tested"]].itertuples(index=False, name=None)}
    assert {n // 2} == {*sizes.loc[list(TRAINED_ON_HALVES), "n_train"]}
    assert {n} == {*sizes.loc[["E_2cv", "E_train"], "n_tested"]}
    assert {len(prepared.unlabeled)} == {*sizes.loc[["disagreement", "E_dis", "E_maxdt"], "n_tested"]}
    k = int(prepared.partition["fold"].max()) + 1
    assert {(n - n / k, n)} == {*sizes.loc[["E_cv", "E_bbc"], ["n_train", "n_tested"]].itertuples(False, None)}


def test_where_no_interval_is_claimed_its_columns_are_empty(estimates):
    claimed = estimates["estimate"] != "E_in"  # a training error estimates no true error
    parts = ["low", "high", "level", "interval"]
    assert estimates.loc[~claimed, parts].isna().all(axis=None)
    assert estimates.loc[claimed, parts].notna().all(axis=None)
    assert {0.95} == {*estimates.loc[claimed, "level"]}
    assert estimates[claimed].eval("low <= value and value <= high").all()


def test_the_selection_is_the_least_error_and_its_bound_pays_for_every_candidate(
    selection, recomputed, winner, prepared
):
    held_out = int(prepared.partition["validation"].sum())
    error = recomputed[winner.name].values["E_val"]
    errors = round(error * held_out)
    # the largest of the candidates' standardised means, each row's losses multiplied by a normal number, and with one
    # more error of each candidate's own
    table = np.stack([of.seen["E_val"].losses for of in recomputed.values()], axis=1)
    rng, scale = np.random.default_rng(0), np.sqrt(held_out * table.var(axis=0) + 1)
    sums = rng.normal(size=(50_000, held_out)) @ (table - table.mean(axis=0))
    own = np.sqrt(1 - held_out * table.var(axis=0) / scale**2) * rng.normal(size=sums.shape)
    together = stats.norm.sf(np.quantile((sums / scale + own).max(axis=1), 0.95))
    union, alone = (stats.beta.isf(0.05 / models, errors + 1, held_out - errors) for models in (8, 1))
    by_hoeffding = error + math.sqrt(math.log(8 / 0.05) / (2 * held_out))
    assert winner.name == selection["selected"]
    assert list(recomputed) == selection["candidates"]
    assert ("E_cv", "minimum", 8) == (selection["criterion"], selection["rule"], selection["contamination"])
    assert union == pytest.approx(selection["bound"], abs=1e-9)
    assert stats.beta.isf(together, errors + 1, held_out - errors) == pytest.approx(selection["bound_joint"], abs=1e-3)
    assert alone < selection["bound_joint"] < union
    assert alone == pytest.approx(selection["bound_of_one"], abs=1e-9)
    assert by_hoeffding == pytest.approx(selection["bound_hoeffding"], abs=1e-9)
    assert "Clopper-Pearson" == selection["bound_method"]
    assert [name for name in recomputed if name in selection["indistinguishable"]] == selection["indistinguishable"]
    assert winner.name in selection["indistinguishable"]


def test_the_saved_model_predicts_as_the_winner_refitted_on_all_labelled_rows(reproduced, prepared, winner):
    path = reproduced.path / "models/selected.skops"
    model = skops.io.load(path, trusted=skops.io.get_untrusted_types(file=path))
    hypothesis = winner.learner().fit(prepared.X, prepared.y)
    for X in (prepared.X, prepared.X_test, prepared.unlabeled):
        assert np.array_equal(hypothesis.predict(X), model.predict(X))
