"""The design of a validation: which estimates there are, and which fits they ask for."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier

import heldout
from heldout.errors import PartsWarning
from heldout.estimates import ESTIMATES, ON_REQUEST, PER_CANDIDATE
from heldout.estimates.methods import DEFAULTS, default_method
from heldout.losses import SQUARED, ZERO_ONE
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.params.settings import FURTHER
from tasks.plans.read_design import read_design
from tasks.runtime.errors import UserError
from tasks.storage import files

BAYES = "{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}"
ONE, TWO = f"candidates=[{BAYES}]", f"candidates=[{BAYES}, {BAYES.replace('name: bayes', 'name: other')}]"
UNLABELED = ("disagreement", "E_dis", "E_maxdt")


@pytest.mark.parametrize(
    ("changes", "of_the_winner"),
    [
        ([ONE], []),
        ([ONE, "further_estimates=[E_nested]"], []),
        ([TWO], ["E_bbc"]),
        ([TWO, "further_estimates=[E_nested]"], ["E_bbc", "E_nested"]),
    ],
)
@pytest.mark.parametrize("unlabeled", [False, True])
def test_the_estimates_are_those_that_rows_and_candidates_allow(prepared, changes, of_the_winner, unlabeled):
    if unlabeled:
        pd.DataFrame({"id": [60], "x": [0.5]}).to_parquet(files.UNLABELED / "shard-00000.parquet")
    own = [name for name in PER_CANDIDATE if (unlabeled or name not in UNLABELED) and name not in ON_REQUEST]
    assert [*own, *of_the_winner] == list(read_design(prepared(*changes)).estimates)


@pytest.mark.parametrize("name", FURTHER)
def test_an_estimate_that_is_named_is_made(prepared, name):
    before, after = (list(read_design(prepared(f"further_estimates={names}")).estimates) for names in ([], [name]))
    assert {name} == {*after} - {*before}
    assert sorted(after, key=[*ESTIMATES].index) == after


def test_the_rows_and_partitions_are_those_that_were_prepared(prepared):
    design = read_design(prepared("progressive.block=7", "selection.level=0.8", "seed=3"))
    partition = files.read_partition()
    assert files.read_table(files.LABELED)[1].tolist() == design.y.tolist()
    for name, expected in vars(partition).items():
        assert expected.tolist() == getattr(design.partition, name).tolist()
    assert np.array_equal(files.read_halves(), design.halves)
    assert (7, 0.8, 3, True, ZERO_ONE) == (design.block, design.level, design.seed, design.stratify, design.loss)
    assert not read_design(prepared("split.stratify=false")).stratify


@pytest.mark.parametrize("stratify", ["null", "false", "true"])
def test_three_classes_have_the_parts_of_a_notebook_and_plain_parts_unless_shares_are_asked_for(
    rows, settings_of_rows, stratify
):
    rows.assign(kind=np.array(["lost", "drawn", "won"])[rows["id"] % 3]).to_csv("rows.csv", index=False)
    settings = settings_of_rows(f"split.stratify={stratify}", "split.folds=10")
    write_prepared(prepare(settings))
    design = read_design(settings)
    assert (stratify == "true") == design.stratify
    labeled = pd.read_parquet(files.LABELED)
    wanted = {"null": None, "false": False, "true": True}[stratify]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PartsWarning)  # 3 / sqrt(60) is 0.39
        found = heldout.validate(
            {"a": DummyClassifier()}, labeled[["x"]], labeled["target"], repeats=3, stratify=wanted, seed=settings.seed
        ).design
    for name, expected in vars(found.partition).items():
        assert np.array_equal(expected, getattr(design.partition, name)), name
    assert np.array_equal(found.halves, design.halves)
    for ours, theirs in zip(design.splits("subsamples"), found.splits("subsamples"), strict=True):
        assert np.array_equal(ours.validation, theirs.validation)


def test_the_methods_are_those_of_the_study_but_for_the_ones_that_are_named(prepared):
    base = read_design(prepared()).methods
    assert {name: default_method(name, ZERO_ONE) for name in DEFAULTS} == base
    named = read_design(prepared("intervals={E_val: betting, E_cv: corrected t}")).methods
    assert {**base, "E_val": named["E_val"], "E_cv": named["E_cv"]} == named
    assert ("betting", "corrected t") == (named["E_val"].name, named["E_cv"].name)


def test_a_design_is_read_anew_where_anything_changed(prepared):
    base = read_design(prepared())
    assert base is read_design(prepared("execution.workers=1", "selection.rule=one_standard_error"))
    for change in ("selection.level=0.9", "seed=1", "progressive.block=3", "intervals.E_cv=corrected t"):
        assert base is not read_design(prepared(change))
    partition = pd.read_parquet(files.PARTITION)
    partition["fold"] = 1 - partition["fold"].clip(upper=1)
    partition.to_parquet(files.PARTITION)
    assert partition["fold"].tolist() == read_design(prepared()).partition.fold.tolist()


@pytest.fixture
def of_numbers(prepared):
    """The same rows with numbers to predict."""
    labeled = pd.read_parquet(files.LABELED)
    labeled.assign(target=np.linspace(0.5, 9.75, 60)).to_parquet(files.LABELED)
    return prepared


def test_numbers_are_not_stratified_and_have_their_own_methods(of_numbers):
    design = read_design(of_numbers())
    assert (False, SQUARED, 0) == (design.stratify, design.loss, design.classes)
    assert {name: default_method(name, SQUARED) for name in DEFAULTS} == design.methods


@pytest.mark.parametrize(("estimate", "name"), [("E_val", "Wilson"), ("E_cv", "k-fold Hoeffding")])
def test_a_method_that_does_not_admit_the_loss_is_told_with_those_that_do(of_numbers, estimate, name):
    with pytest.raises(
        UserError,
        match=f"^intervals: {name} is for losses .*, and the squared loss (is not|has none .*); for {estimate}",
    ):
        read_design(of_numbers(f"intervals.{estimate}={name}"))


def test_a_method_that_needs_larger_folds_is_told_before_any_fit(prepared, settings_of_rows):
    write_prepared(prepare(settings_of_rows("split.folds=loo")))
    with pytest.raises(
        UserError, match="^Bayle within folds needs at least 2 folds of at least 2 rows, and there are 60 of 1; use "
    ):
        read_design(prepared("split.folds=loo", "intervals.E_cv=Bayle within folds"))
    assert 60 == read_design(prepared("split.folds=loo", "intervals.E_cv=corrected t")).partition.fold.max() + 1
