"""A default has one home: what a notebook leaves out is what params.yaml leaves out."""

from functools import reduce
from inspect import signature

import pytest

import heldout
from tasks.params import load

SHORTEST = "data: {source: sklearn:iris}\ncandidates: [{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}]\n"
KEYS = {
    "seed": "seed",
    "loss": "loss",
    "loss_max": "loss_max",
    "level": "selection.level",
    "margin": "selection.margin",
    "race": "selection.race",
    "finalists": "selection.finalists",
    "validation_fraction": "split.validation_fraction",
    "folds": "split.folds",
    "stratify": "split.stratify",
    "gap": "split.gap",
    "tested_fraction": "progressive.tested_fraction",
    "block": "progressive.block",
    "repeats": "covalidation.repeats",
    "intervals": "intervals",
    "shortcuts": "execution.shortcuts",
    "fit_timeout": "execution.fit_timeout",
    "groups": "data.groups",
    "time": "data.time",
    "sample_weight": "data.weight",
    "unlabeled": "data.unlabeled",
}


@pytest.fixture
def left_out(tmp_path):
    path = tmp_path / "params.yaml"
    path.write_text(SHORTEST)
    return load(path)


@pytest.mark.parametrize("option", KEYS)
def test_the_default_of_an_option_is_that_of_its_key(left_out, option):
    expected = signature(heldout.validate).parameters[option].default
    assert expected == reduce(getattr, KEYS[option].split("."), left_out)


def test_a_notebook_and_a_file_choose_alike(left_out):
    options = signature(heldout.Validation.select).parameters
    assert options["rule"].default == left_out.selection.rule
    assert options["criterion"].default == left_out.criterion
    assert [*signature(heldout.validate).parameters["further_estimates"].default] == left_out.further_estimates
