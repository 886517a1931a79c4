"""Fits as units: what a worker stores equals the plain loop, under a key made of what decides the result."""

import contextlib
import pickle
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from heldout import seeds
from heldout.fits.scheme_fits import Fits
from heldout.fits.specs import hypothesis_key
from heldout.learners import open_random_states
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.fits import run_schemes
from tasks.fits.work import in_task_runs, longest_first
from tasks.fits.worker import fit_units, measure_units
from tasks.plans import fit_costs, units_of_scheme
from tasks.plans.fit_costs import FitCost
from tasks.plans.fit_counts import count_fits
from tasks.plans.fit_plans import FitPlan, further_schemes, scheme
from tasks.plans.read_design import read_design
from tasks.plans.units import Unit, Versions
from tasks.runtime.errors import UserError
from tasks.storage import files, fit_cache

TREE = "{name: tree, estimator: sklearn.tree.DecisionTreeClassifier, params: {random_state: 0, max_depth: 4}}"
BAYES = "{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}"
OPEN = "{name: open, estimator: sklearn.tree.DecisionTreeClassifier, params: {max_features: 1}}"
GREEDY = "{name: greedy, estimator: sklearn.neighbors.KNeighborsClassifier, params: {n_neighbors: 40}}"
SCHEMES = ("holdout", "final", "cross_validation", "progressive", "covalidation")
FURTHER = ("subsamples", "repeated_folds", "fold_pairs")
every_scheme = pytest.mark.parametrize("name", SCHEMES)


def own(settings, name: str) -> FitPlan:
    return scheme(read_design(settings), name, settings.deliver)


def plan(settings, name: str) -> dict[str, list[Unit]]:
    """The units of each candidate."""
    planned = units_of_scheme.plan_units(settings, own(settings, name), Versions.current())
    return {candidate.name: units for candidate, units in planned}


def work(settings, name: str) -> dict[str, str | None]:
    """Fit every unit as a worker does; the reason of each candidate that failed."""
    planned = plan(settings, name)
    versions = Versions.current()
    return {one.name: fit_units(settings, one, planned[one.name], versions) for one in settings.candidates}


def splits(name: str):
    """The rows trained on and tested of each unit, straight from the files of the contract."""
    partition, n = files.read_partition(), 60
    if name == "final":
        return [(np.arange(n), np.arange(n))]
    if name == "holdout":
        return [(np.flatnonzero(~partition.validation), np.flatnonzero(partition.validation))]
    if name == "cross_validation":
        return [(np.flatnonzero(partition.fold != k), np.flatnonzero(partition.fold == k)) for k in range(5)]
    if name == "progressive":
        step = partition.step
        return [
            (np.flatnonzero(step < first), np.flatnonzero((first <= step) & (step < first + 10)))
            for first in range(0, 30, 10)
        ]
    halves = files.read_halves()
    return [(np.flatnonzero(half == side), np.flatnonzero(half != side)) for half in halves for side in (0, 1)]


@every_scheme
def test_the_stored_losses_equal_the_plain_loop(prepared, name):
    settings = prepared(f"candidates=[{TREE}, {BAYES}, {OPEN}]")
    assert {"tree": None, "bayes": None, "open": None} == work(settings, name)
    X, y = files.read_table(files.LABELED)
    for candidate in settings.candidates:
        units = plan(settings, name)[candidate.name]
        for number, ((train, test), unit) in enumerate(zip(splits(name), units, strict=True)):
            learner = clone(candidate.learner())
            if candidate.name == "open":
                place = SCHEMES.index(name)
                learner.set_params(random_state=seeds.random_state(settings.seed, "fit", place, number))
            hypothesis = learner.fit(X.iloc[train], y[train])
            result = fit_cache.store.load(unit.key)
            losses, training = result.losses, result.training
            assert (hypothesis.predict(X.iloc[test]) != y[test]).astype(float).tolist() == losses.tolist()
            if name == "covalidation":
                assert (hypothesis.predict(X.iloc[train]) != y[train]).astype(float).tolist() == training.tolist()
            else:
                assert training is None


@pytest.mark.parametrize("name", FURTHER)
def test_the_further_fits_are_those_of_their_splits(prepared, name):
    settings = prepared(f"candidates=[{BAYES}]")
    (candidate,) = settings.candidates
    units = plan(settings, name)["bayes"][::9]
    assert fit_units(settings, candidate, units, Versions.current()) is None
    X, y = files.read_table(files.LABELED)
    for split, unit in zip(own(settings, name).splits[::9], units, strict=True):
        hypothesis = candidate.learner().fit(X.iloc[split.train], y[split.train])
        wrong = (hypothesis.predict(X.iloc[split.validation]) != y[split.validation]).astype(float)
        assert wrong.tolist() == fit_cache.store.load(unit.key).losses.tolist()
        assert not fit_cache.store.has(hypothesis_key(unit.key))


KEPT = {
    "final": {"holdout", "final", "covalidation"},
    "k_fold": {"holdout", "final", "covalidation", "cross_validation"},
    "vote": {"holdout", "final", "covalidation", "cross_validation"},
    "progressive": {"holdout", "final", "covalidation", "progressive"},
}


@pytest.mark.parametrize("form", KEPT)
@every_scheme
def test_the_hypothesis_is_kept_where_it_is_needed_and_predicts_as_it_was_tested(prepared, name, form):
    settings = prepared(f"candidates=[{BAYES}]", f"deliver={form}")
    work(settings, name)
    X, y = files.read_table(files.LABELED)
    for (_, test), unit in zip(splits(name), plan(settings, name)["bayes"], strict=True):
        kept = name in KEPT[form]
        assert kept == fit_cache.store.has(hypothesis_key(unit.key))
        if kept:
            predicted = fit_cache.store.load(hypothesis_key(unit.key)).predict(X.iloc[test])
            assert (predicted != y[test]).astype(float).tolist() == fit_cache.store.load(unit.key).losses.tolist()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("intervals.E_cv=bayle within", []),
        ("intervals.E_cv=corrected t", ["subsamples"]),
        ("intervals.E_cv=corrected repeated t", ["repeated_folds"]),
    ],
)
@pytest.mark.parametrize("nested", [False, True])
def test_only_the_further_fits_that_the_intervals_or_nested_selection_need_are_made(prepared, change, expected, nested):
    settings = prepared(f"candidates=[{BAYES}, {TREE}]", change, f"further_estimates={['E_nested'] * nested}")
    wanted = [*expected, *(["fold_pairs"] if nested else [])]
    assert wanted == further_schemes(read_design(settings))


def test_a_failing_learner_gives_a_reason_and_leaves_nothing_for_the_unit_that_failed(prepared):
    settings = prepared(f"candidates=[{GREEDY}]", "progressive.block=10")
    (greedy,) = settings.candidates
    units = plan(settings, "progressive")["greedy"]
    # 30, 40 and 50 rows to train on, and 40 neighbours asked for: the first block fails
    reason = fit_units(settings, greedy, [units[2], units[0], units[1]], Versions.current())
    assert reason.startswith("block 1/3: ValueError: Expected n_neighbors <= n_samples_fit")
    assert [False, False, True] == [fit_cache.store.has(unit.key) for unit in units]


def test_a_reason_names_the_learners_own_error_for_every_scheme(prepared):
    settings = prepared(f"candidates=[{GREEDY}]", "candidates.0.params.n_neighbors=70")
    starts = {"holdout": "hold-out", "final": "all rows", "cross_validation": "fold 1/5", "covalidation": "repeat 1/3"}
    for name, start in starts.items():
        assert work(settings, name)["greedy"].startswith(f"{start}: ValueError: Expected n_neighbors <= ")
    assert not fit_cache.FOLDER.exists()


def test_the_first_reason_of_each_candidate_is_told_and_all_failed_is_an_error(prepared):
    failures = run_schemes.first_reasons(["a", "b", "a", "c"], [None, "first b", "first a", None])
    assert {"b": "first b", "a": "first a"} == failures
    plan = run_schemes.StageFits(prepared(f"candidates=[{TREE}, {BAYES}]"), ["holdout"]).plan()
    plan.fail("tree", "holdout", "no")
    run_schemes.check_not_all_failed(plan)
    plan.fail("bayes", "holdout", "oh")
    with pytest.raises(
        UserError, match="^candidates: tree failed: no\ncandidates: bayes failed: oh\n.*fix at least one$"
    ):
        run_schemes.check_not_all_failed(plan)


@pytest.mark.parametrize(
    ("name", "numbers", "label"),
    [
        ("holdout", [0], "hold-out"),
        ("final", [0], "all rows"),
        ("cross_validation", [2], "fold 3/5"),
        ("cross_validation", [0, 4], "folds 1-5/5"),
        ("progressive", [0, 1, 2], "blocks 1-3/3"),
        ("progressive", [1], "block 2/3"),
        ("covalidation", [0, 1, 2, 3], "repeats 1-2/3"),
        ("covalidation", [4, 5], "repeat 3/3"),
        ("covalidation", [5], "repeat 3/3"),
        ("subsamples", [0, 1], "subsamples 1-2/25"),
        ("repeated_folds", [9], "further fold 10/10"),
        ("fold_pairs", [3], "pair of folds 4/10"),
    ],
)
def test_a_label_counts_from_one_and_names_the_whole(prepared, name, numbers, label):
    assert label == own(prepared(), name).label(numbers)


@pytest.mark.parametrize(("n", "tasks"), [(2, 2), (60, 60), (99, 99), (200, 200), (2000, 2000)])
def test_a_fit_of_a_minute_is_a_task_of_its_own_and_a_fold_of_leave_one_out_a_row(prepared, n, tasks):
    rows = np.arange(n)
    pd.DataFrame({"x": rows, "target": rows % 2}).to_parquet(files.LABELED)
    table = pd.DataFrame({"row": rows, "validation": rows == 0, "fold": rows, "step": rows - 1})
    table.to_parquet(files.PARTITION)
    settings = prepared(f"candidates=[{TREE}]")
    fit_costs.note(settings.candidates[0], Versions.current().labeled, FitCost(60.0 / max(1, n - 1)))
    folds = own(settings, "cross_validation")
    assert n == len(folds.splits)
    todo = tasks_of(settings, "cross_validation")
    assert tasks == len(todo)
    assert len(in_task_runs(longest_first(todo))) <= 500
    assert [n - 1] == folds.splits[n - 1].validation.tolist()


def states(settings, name):
    """The seed of each fit of a scheme, by candidate."""
    counted = len(own(settings, name).splits)
    return {
        candidate.name: [
            units_of_scheme.specs_of(settings, candidate, Versions.current()).fit(name, number).state
            for number in range(counted)
        ]
        for candidate in settings.candidates
    }


def test_a_learner_is_seeded_by_its_fit_only_where_it_is_open(prepared):
    settings = prepared(f"candidates=[{TREE}, {BAYES}, {OPEN}]")
    found = states(settings, "covalidation")
    assert {0} == {*found["tree"], *found["bayes"]}
    assert 6 == len({*found["open"]})
    assert ["random_state"] == open_random_states(settings.candidates[2].learner())


def test_a_family_is_seeded_by_its_fit(prepared):
    settings = prepared(f"candidates=[{BAYES}, {TREE}]", "candidates.1.family={parameter: max_depth, values: [1, 2]}")
    found = states(settings, "cross_validation")
    assert {0} == {*found["bayes"]}
    assert 5 == len({*found["tree"]})  # the rows that its path is validated on


def test_what_was_fitted_is_gathered_without_another_fit(prepared):
    settings = prepared(f"candidates=[{BAYES}, {TREE}]")
    for name in ("final", "covalidation"):
        work(settings, name)
    before = {path: path.stat().st_mtime_ns for path in fit_cache.FOLDER.rglob("*")}
    finished, failures = run_schemes.fit_all(
        settings, ["final", "covalidation"]
    )  # no task is left, so no worker is needed
    assert {} == failures
    assert {"final": ["bayes", "tree"], "covalidation": ["bayes", "tree"]} == {
        name: list(units) for name, units in finished.items()
    }
    for name, by_candidate in finished.items():
        for candidate, units in plan(settings, name).items():
            assert tuple(unit.key for unit in units) == by_candidate[candidate].keys
            for unit, losses, training in zip(
                units, by_candidate[candidate].losses, by_candidate[candidate].training, strict=True
            ):
                result = fit_cache.store.load(unit.key)
                stored, own_training = result.losses, result.training
                assert stored.tolist() == losses.tolist()
                assert (training is None) == (own_training is None) == (name == "final")
    assert before == {path: path.stat().st_mtime_ns for path in fit_cache.FOLDER.rglob("*")}


def test_a_half_model_that_was_planted_is_fitted_again(prepared):
    settings = prepared(f"candidates=[{BAYES}]")
    work(settings, "covalidation")
    (units,) = plan(settings, "covalidation").values()
    (planted,) = fit_cache.FOLDER.rglob(hypothesis_key(units[2].key))
    before = planted.read_bytes()
    planted.write_bytes(pickle.dumps("planted"))
    stored = [units_of_scheme.is_stored(unit) for unit in units]
    assert [number != 2 for number in range(len(units))] == stored
    assert 1 == count_fits(settings, Versions.current()).table["bayes"]["covalidation"]
    work(settings, "covalidation")
    assert before == planted.read_bytes()


def test_the_hypotheses_of_a_scheme_are_those_that_were_tested(prepared):
    settings = prepared(f"candidates=[{BAYES}, {TREE}]")
    work(settings, "covalidation")
    X, y = files.read_table(files.LABELED)
    found = run_schemes.hypotheses(settings, settings.candidates[1], "covalidation")
    for (train, _), hypothesis in zip(splits("covalidation"), found, strict=True):
        expected = settings.candidates[1].learner().fit(X.iloc[train], y[train])
        assert expected.predict(X).tolist() == hypothesis.predict(X).tolist()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            ["candidates=[{name: a, estimator: sklearn.svm.SVR}]"],
            r"^candidates\[0\]: the target holds classes, .* but a \(.*SVR\) is a regressor; .* set loss to squared$",
        ),
        (
            [f"candidates=[{BAYES}]", "selection.criterion=E_maxdt"],
            "^selection.criterion is E_maxdt, which needs unlabelled rows, but there is no shard; ",
        ),
        (
            [f"candidates=[{BAYES}]", "selection.criterion=MAE"],
            "^selection.criterion is MAE, whose order E_cv has where the loss is absolute; here it is zero_one: use ",
        ),
        (
            [
                "candidates=[{name: a, estimator: sklearn.linear_model.LogisticRegression}]",
                "candidates.0.family={parameter: C, values: [0.1, 1]}",
                "selection.criterion=max(E_cv, E_maxdt)",
            ],
            r"^selection.criterion is max\(E_cv, E_maxdt\), which needs unlabelled rows",
        ),
        (
            [f"candidates=[{BAYES}]", "report.columns=[[x, nothing]]"],
            "^report.columns names the column 'nothing', but the prepared rows have 'id', 'x'",
        ),
        (
            [f"candidates=[{BAYES}]", "report.columns=[[x], [x]]"],
            "^report.columns names the column 'x' twice; a column is in one set",
        ),
    ],
)
def test_what_cannot_be_right_is_told_before_any_fit(prepared, changes, message):
    with pytest.raises(UserError, match=message):
        run_schemes.fit_all(prepared(*changes), ["holdout"])
    assert not fit_cache.FOLDER.exists()


def test_columns_of_folds_of_one_row_are_told_before_any_fit(rows, settings_of_rows):
    settings = settings_of_rows(f"candidates=[{BAYES}]", "report.columns=true", "split.folds=loo")
    write_prepared(prepare(settings))
    with pytest.raises(UserError, match=r"^report.columns: fold 0 tests fewer than two rows, .* use fewer folds"):
        run_schemes.fit_all(settings, ["holdout"])
    assert not fit_cache.FOLDER.exists()


def test_an_interval_that_does_not_fit_the_loss_is_told_before_any_fit_with_those_that_do(prepared):
    y = pd.read_parquet(files.LABELED)
    y.assign(target=np.linspace(0.5, 9.75, 60)).to_parquet(files.LABELED)
    settings = prepared(
        "candidates=[{name: a, estimator: sklearn.linear_model.LinearRegression}]", "intervals.E_val=Wilson"
    )
    with pytest.raises(
        UserError, match=r"^intervals: Wilson is for losses 0/1, and the squared loss is not; for E_val"
    ):
        run_schemes.fit_all(settings, ["holdout"])
    assert not fit_cache.FOLDER.exists()


@pytest.mark.parametrize(
    ("seconds", "fits"), [(None, [5]), (0.001, [5]), (0.1, [5]), (0.4, [2, 2, 1]), (3.0, [1] * 5), (0.0, [5])]
)
def test_short_fits_share_a_task_of_about_a_second(prepared, seconds, fits):
    settings = prepared(f"candidates=[{TREE}]")
    if seconds is not None:
        trained = own(settings, "cross_validation").splits[0].n_train
        fit_costs.note(settings.candidates[0], Versions.current().labeled, FitCost(seconds / trained))
    assert fits == [len(task.keys) for task in tasks_of(settings, "cross_validation")]


def test_a_task_that_is_done_again_after_its_worker_died_makes_only_the_fits_that_are_not_stored(prepared, monkeypatch):
    settings = prepared(f"candidates=[{TREE}]")
    (task,) = tasks_of(settings, "covalidation")
    fit_units(*task.arguments)
    stored = {path: path.read_bytes() for path in fit_cache.FOLDER.rglob("*") if path.is_file()}
    fit_cache.store.remove(hypothesis_key(task.keys[1]))
    fit_cache.store.remove(task.keys[3])
    made, make = [], Fits.make
    monkeypatch.setattr(Fits, "make", lambda self, *of, **more: made.append(of) or make(self, *of, **more))
    assert fit_units(*task.arguments) is None
    assert 2 == len(made)
    assert stored == {path: path.read_bytes() for path in fit_cache.FOLDER.rglob("*") if path.is_file()}


def tasks_of(settings, name):
    """The tasks of a scheme."""
    asked = []

    def run_all(_, _what, todo, _reused, **_more):
        asked.extend(todo)
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patched, contextlib.suppress(KeyboardInterrupt):
        patched.setattr(run_schemes, "run_all", run_all)
        run_schemes.fit_all(settings, [name])
    return asked


def test_the_fits_that_are_measured_say_how_long_a_fit_takes(prepared):
    settings = prepared(f"candidates=[{TREE}, {BAYES}]")
    versions = Versions.current()
    labeled = versions.labeled
    for name in ("cross_validation", "holdout"):
        work(settings, name)
        assert fit_costs.known(settings.candidates[0], labeled) is None
    for candidate in settings.candidates:
        measure_units(settings, candidate, plan(settings, "final")[candidate.name], versions)
        cost = fit_costs.known(candidate, labeled)
        assert 0 < cost.seconds_a_row < 1
        assert 0 < cost.microseconds < 1e6
        assert 100 < cost.size
        renamed = candidate.model_copy(update={"name": "other"})
        assert fit_costs.known(candidate, labeled) == fit_costs.known(renamed, labeled)


def test_a_helper_of_a_learners_module_that_was_changed_is_fitted_again_and_gives_its_own_errors(
    prepared, checkout, monkeypatch
):
    """The whole way of a fit: from the files of the user to the losses that E_cv is the mean of."""
    module = "from sklearn.base import BaseEstimator, ClassifierMixin\nimport numpy as np\n\n\n"
    module += "class Always(ClassifierMixin, BaseEstimator):\n    def fit(self, X, y):\n        return self\n\n"
    module += "    def predict(self, X):\n        from always_helper import answer\n\n"
    module += "        return np.full(len(X), answer)\n"
    (checkout / "always.py").write_text(module)
    monkeypatch.syspath_prepend(checkout)
    found = {}
    for answer in ("won", "lost", "won"):
        (checkout / "always_helper.py").write_text(f"answer = {answer!r}\n")
        for name in ("always", "always_helper"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        settings = prepared(
            "candidates=[{name: one, estimator: always.Always}]", "execution.allowed_modules=[sklearn, always]"
        )
        units = plan(settings, "cross_validation")["one"]
        reused = [units_of_scheme.is_stored(unit) for unit in units]
        assert reused == [answer in found] * 5  # what was fitted before the change is not lost
        assert {"one": None} == work(settings, "cross_validation")
        found[answer] = np.concatenate([fit_cache.store.load(unit.key).losses for unit in units]).mean()
    assert {"won": 40 / 60, "lost": 20 / 60} == pytest.approx(found)
