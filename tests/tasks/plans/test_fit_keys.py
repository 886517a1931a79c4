"""The key of a fit holds all that decides its result, so that nothing else makes it run again."""

import sys
from dataclasses import replace

import pandas as pd
import pytest

from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.plans import units_of_scheme
from tasks.plans.fit_plans import scheme
from tasks.plans.read_design import read_design
from tasks.plans.units import Versions
from tasks.storage import files

TREE = "{name: tree, estimator: sklearn.tree.DecisionTreeClassifier, params: {random_state: 0}}"
BAYES = "{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}"
OPEN = "{name: open, estimator: sklearn.tree.DecisionTreeClassifier}"
THREE = f"candidates=[{TREE}, {BAYES}, {OPEN}]"
SCHEMES = ("holdout", "final", "cross_validation", "progressive", "covalidation")
FURTHER = ("subsamples", "repeated_folds", "fold_pairs")


def keys(settings, names=SCHEMES) -> dict[str, dict[str, list[str]]]:
    """The keys of each candidate by scheme."""
    design = read_design(settings)
    found: dict[str, dict[str, list[str]]] = {}
    for name in names:
        for candidate, units in units_of_scheme.plan_units(
            settings, scheme(design, name, settings.deliver), Versions.current()
        ):
            found.setdefault(candidate.name, {})[name] = [unit.key for unit in units]
    return found


def flat(by_scheme) -> set[str]:
    return {key for keys in by_scheme.values() for key in keys}


def test_keys_differ_by_candidate_scheme_and_unit(prepared):
    found = keys(prepared(THREE))
    counts = {"holdout": 1, "final": 1, "cross_validation": 5, "progressive": 3, "covalidation": 6}
    for by_scheme in found.values():
        assert counts == {scheme: len(several) for scheme, several in by_scheme.items()}
    assert 3 * 16 == len(set().union(*map(flat, found.values())))


def test_whether_a_hypothesis_is_kept_is_no_part_of_a_fit(prepared):
    settings, versions = prepared(THREE), Versions.current()
    own = scheme(read_design(settings), "cross_validation", "final")
    for (_, lost), (_, kept) in zip(
        units_of_scheme.plan_units(settings, own, versions),
        units_of_scheme.plan_units(settings, replace(own, keep=True), versions),
        strict=True,
    ):
        assert [unit.key for unit in lost] == [unit.key for unit in kept]


def test_the_further_fits_of_an_interval_have_keys_of_their_own(prepared):
    found = keys(prepared(THREE), (*SCHEMES, *FURTHER))
    counts = {"subsamples": 25, "repeated_folds": 2 * 5, "fold_pairs": 5 * 4 // 2}
    for by_scheme in found.values():
        assert counts == {name: len(by_scheme[name]) for name in FURTHER}
    assert 3 * (16 + sum(counts.values())) == len(set().union(*map(flat, found.values())))


def test_the_same_inputs_have_the_same_keys_whatever_the_rest(prepared):
    base = keys(prepared(THREE))
    for change in (
        "selection.level=0.9",
        "execution.workers=1",
        "selection.rule=one_standard_error",
        "further_estimates=[E_nested]",
        "selection.reopen_test=true",
        "intervals.E_cv=corrected repeated t",
        "tracking.experiment=b",
    ):
        assert base == keys(prepared(THREE, change))
    assert {"bayes": base["bayes"]} == keys(prepared(f"candidates=[{BAYES}]"))  # others come and go


@pytest.mark.parametrize("form", ["k_fold", "vote", "progressive"])
def test_a_form_of_delivery_has_the_same_fits(prepared, form):
    assert keys(prepared(THREE)) == keys(prepared(THREE, f"deliver={form}"))


def test_what_a_candidate_is_called_does_not_matter(prepared):
    other = keys(prepared(THREE, "candidates.0.name=oak", "candidates.2.name=elm"))
    assert list(keys(prepared(THREE)).values()) == list(other.values())


def test_the_seed_matters_to_learners_that_leave_their_random_state_open_alone(prepared):
    base, other = keys(prepared(THREE)), keys(prepared(THREE, "seed=1"))
    assert (base["tree"], base["bayes"]) == (other["tree"], other["bayes"])
    assert set() == flat(base["open"]) & flat(other["open"])


@pytest.mark.parametrize(
    "change",
    [
        "params.max_depth=3",
        "params.random_state=1",
        "estimator=sklearn.tree.ExtraTreeClassifier",
        "preprocess=sklearn.preprocessing.StandardScaler",
        "family={parameter: max_depth, values: [1, 2, 3]}",
    ],
)
def test_another_learner_has_other_keys(prepared, change):
    base, other = keys(prepared(THREE)), keys(prepared(THREE, f"candidates.0.{change}"))
    assert set() == flat(base["tree"]) & flat(other["tree"])
    assert base["bayes"] == other["bayes"]


@pytest.mark.parametrize(
    "change", ["parameter: min_samples_leaf, values: [1, 2]", "parameter: max_depth, values: [2, 1]"]
)
def test_another_path_is_another_family(prepared, change):
    path = "parameter: max_depth, values: [1, 2]"
    base, other = (keys(prepared(THREE, f"candidates.0.family={{{one}}}")) for one in (path, change))
    assert set() == flat(base["tree"]) & flat(other["tree"])


@pytest.mark.parametrize(("column", "value"), [("x", 0.0), ("target", "lost")])
def test_other_data_have_other_keys(prepared, column, value):
    settings = prepared(THREE)
    base = keys(settings)
    table = pd.read_parquet(files.LABELED)
    table.loc[0, column] = value
    table.to_parquet(files.LABELED)
    for name, other in keys(settings).items():
        assert set() == flat(base[name]) & flat(other)


def test_another_partition_has_other_keys_for_the_splits_that_changed_alone(prepared):
    settings = prepared(THREE)
    base = keys(settings)
    partition = pd.read_parquet(files.PARTITION)
    one, other = (partition.index[partition["fold"] == fold][0] for fold in (0, 1))
    partition.loc[[one, other], "fold"] = [1, 0]
    partition.to_parquet(files.PARTITION)
    for name, found in keys(settings).items():
        folds = zip(base[name]["cross_validation"], found["cross_validation"], strict=True)
        assert [False, False, True, True, True] == [before == after for before, after in folds]
        for other in ("holdout", "final", "progressive", "covalidation"):
            assert base[name][other] == found[other]


@pytest.mark.parametrize("repeats", [4, 9])
def test_more_repeats_leave_the_earlier_keys(prepared, settings_of_rows, repeats):
    base = keys(prepared(THREE))
    settings = settings_of_rows(THREE, f"covalidation.repeats={repeats}")
    write_prepared(prepare(settings))
    for name, found in keys(settings).items():
        assert base[name].pop("covalidation") == found["covalidation"][:6]
        assert 2 * repeats == len(set(found.pop("covalidation")))
        assert base[name] == found


def test_rows_that_are_prepared_again_have_the_same_keys(prepared, settings_of_rows):
    settings = prepared(THREE)
    base = keys(settings)
    write_prepared(prepare(settings_of_rows("selection.level=0.8")))
    assert base == keys(settings)


def test_a_learner_of_the_users_own_has_other_keys_once_its_module_is_edited(prepared, checkout, monkeypatch):
    settings = []
    for number, base in enumerate(("GaussianNB", "BernoulliNB")):
        folder = checkout / str(number)  # the same module before and after: two folders, for Python reads it once
        folder.mkdir()
        (folder / "own_edited.py").write_text(f"from sklearn.naive_bayes import {base} as Own\n")
        monkeypatch.syspath_prepend(folder)
        monkeypatch.delitem(sys.modules, "own_edited", raising=False)
        made = prepared(
            "candidates=[{name: own, estimator: own_edited.Own}]", "execution.allowed_modules=[sklearn, own_edited]"
        )
        assert base == type(made.candidates[0].learner()).__name__
        settings.append(keys(made))
    assert settings[0] != settings[1]
