"""Fits as units: what a worker stores equals the plain loop, under a key made of what decides the result."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from heldout import seeds
from tasks import cache, files, fit, learners, schemes
from tasks.errors import UserError

TREE = "{name: tree, estimator: sklearn.tree.DecisionTreeClassifier, params: {random_state: 0, max_depth: 4}}"
BAYES = "{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}"
OPEN = "{name: open, estimator: sklearn.tree.DecisionTreeClassifier, params: {max_features: 1}}"
GREEDY = "{name: greedy, estimator: sklearn.neighbors.KNeighborsClassifier, params: {n_neighbors: 40}}"
SCHEMES = {
    "holdout": schemes.holdout_scheme,
    "final": schemes.final_scheme,
    "cross_validation": schemes.cross_validation_scheme,
    "progressive": lambda: schemes.progressive_scheme(10),
    "covalidation": schemes.covalidation_scheme,
}
every_scheme = pytest.mark.parametrize("scheme", SCHEMES)


def plan(settings, scheme: str) -> dict[str, list[fit.Unit]]:
    """The units of each candidate."""
    planned = fit._plan(settings, SCHEMES[scheme](), fit.Versions.current())
    return {candidate.name: units for candidate, units in planned}


def keys(settings, scheme: str = "cross_validation") -> list[str]:
    return [unit.key for units in plan(settings, scheme).values() for unit in units]


def work(settings, scheme: str) -> dict[str, str | None]:
    """Fit every unit as a worker does; the reason of each candidate that failed."""
    planned = plan(settings, scheme)
    versions = fit.Versions.current()
    return {one.name: fit.fit_units(settings, one, planned[one.name], versions) for one in settings.candidates}


def splits(scheme: str):
    """The rows trained on and tested of each unit, straight from the files of the contract."""
    partition, n = files.read_partition(), 60
    if scheme == "final":
        return [(np.arange(n), np.arange(n))]
    if scheme == "holdout":
        return [(np.flatnonzero(~partition.validation), np.flatnonzero(partition.validation))]
    if scheme == "cross_validation":
        return [(np.flatnonzero(partition.fold != k), np.flatnonzero(partition.fold == k)) for k in range(5)]
    if scheme == "progressive":
        step = partition.step
        return [
            (np.flatnonzero(step < first), np.flatnonzero((first <= step) & (step < first + 10)))
            for first in range(0, 30, 10)
        ]
    halves = files.read_halves()
    return [(np.flatnonzero(half == side), np.flatnonzero(half != side)) for half in halves for side in (0, 1)]


@every_scheme
def test_the_stored_losses_equal_the_plain_loop(prepared, scheme):
    settings = prepared(f"candidates=[{TREE}, {BAYES}, {OPEN}]")
    assert {"tree": None, "bayes": None, "open": None} == work(settings, scheme)
    X, y = files.read_table(files.LABELED)
    for candidate in settings.candidates:
        units = plan(settings, scheme)[candidate.name]
        for number, ((train, test), unit) in enumerate(zip(splits(scheme), units, strict=True)):
            learner = clone(candidate.learner())
            if candidate.name == "open":
                place = list(SCHEMES).index(scheme)
                learner.set_params(random_state=seeds.random_state(settings.seed, "fit", place, number))
            hypothesis = learner.fit(X.iloc[train], y[train])
            losses, training = cache.load(unit.key)
            assert (hypothesis.predict(X.iloc[test]) != y[test]).astype(float).tolist() == losses.tolist()
            expected = np.mean(hypothesis.predict(X.iloc[train]) != y[train]) if scheme == "covalidation" else None
            assert expected == training


@every_scheme
def test_the_hypothesis_is_kept_where_it_is_needed_and_predicts_as_it_was_tested(prepared, scheme):
    settings = prepared(f"candidates=[{BAYES}]")
    work(settings, scheme)
    X, y = files.read_table(files.LABELED)
    for (_, test), unit in zip(splits(scheme), plan(settings, scheme)["bayes"], strict=True):
        kept = scheme in ("final", "covalidation")
        assert kept == cache.has(fit.hypothesis_key(unit))
        if kept:
            predicted = cache.load(fit.hypothesis_key(unit)).predict(X.iloc[test])
            assert (predicted != y[test]).astype(float).tolist() == cache.load(unit.key)[0].tolist()


def test_a_failing_learner_gives_a_reason_and_leaves_nothing_for_the_unit_that_failed(prepared):
    settings = prepared(f"candidates=[{GREEDY}]", "progressive.block=10")
    (greedy,) = settings.candidates
    units = plan(settings, "progressive")["greedy"]
    # 30, 40 and 50 rows to train on, and 40 neighbours asked for: the first block fails
    reason = fit.fit_units(settings, greedy, [units[2], units[0], units[1]], fit.Versions.current())
    assert reason.startswith("block 1/3: ValueError: Expected n_neighbors <= n_samples_fit")
    assert [False, False, True] == [cache.has(unit.key) for unit in units]


def test_a_reason_names_the_learners_own_error_for_every_scheme(prepared):
    settings = prepared(f"candidates=[{GREEDY}]", "candidates.0.params.n_neighbors=70")
    starts = {"holdout": "hold-out", "final": "all rows", "cross_validation": "fold 1/5", "covalidation": "repeat 1/3"}
    for scheme, start in starts.items():
        assert work(settings, scheme)["greedy"].startswith(f"{start}: ValueError: Expected n_neighbors <= ")
    assert not cache.FOLDER.exists()


def test_the_first_reason_of_each_candidate_is_told_and_all_failed_is_an_error(prepared):
    failures = fit.first_reasons(["a", "b", "a", "c"], [None, "first b", "first a", None])
    assert {"b": "first b", "a": "first a"} == failures
    settings = prepared(f"candidates=[{TREE}, {BAYES}]")
    fit.check_not_all_failed(settings, {"tree": "no"})
    with pytest.raises(
        UserError, match="^candidates: tree failed: no\ncandidates: bayes failed: oh\n.*mend at least one$"
    ):
        fit.check_not_all_failed(settings, {"tree": "no", "bayes": "oh"})


@pytest.mark.parametrize(
    ("scheme", "numbers", "label"),
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
    ],
)
def test_a_label_counts_from_one_and_names_the_whole(prepared, scheme, numbers, label):
    assert label == SCHEMES[scheme]().label(numbers)


@pytest.mark.parametrize("n", [2, 99, 200, 450, 2000])
def test_leave_one_out_of_many_rows_is_at_most_two_hundred_tasks(prepared, n):
    rows = np.arange(n)
    table = pd.DataFrame({"row": rows, "validation": rows == 0, "fold": rows, "step": rows - 1})
    table.to_parquet(files.PARTITION)
    scheme = schemes.cross_validation_scheme()
    assert n == scheme.count
    assert -(-n // scheme.fits_a_task) <= 200
    assert [n - 1] == scheme.split(n - 1).validation.tolist()


def test_a_learner_is_seeded_by_its_unit_only_where_it_is_open(prepared):
    settings = prepared(f"candidates=[{TREE}, {BAYES}, {OPEN}]")
    units = plan(settings, "covalidation")
    assert {0} == {unit.random_state for name in ("tree", "bayes") for unit in units[name]}
    assert 6 == len({unit.random_state for unit in units["open"]})
    assert learners.has_open_random_state(settings.candidates[2].learner())
