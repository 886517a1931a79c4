"""Results know the settings that made them: a stage on results of other settings is refused, with keys and values."""

import json
import sys

import pandas as pd
import pytest

from tasks.runtime.errors import UserError
from tasks.storage import files, stage_settings

STAGES = ("prepare", "fit", "select")
TWO = "candidates=[{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}, {name: svm, estimator: sklearn.svm.SVC}]"


@pytest.fixture
def results(prepared):
    """What every stage leaves; returns the settings, with changes."""
    for stage in STAGES:
        stage_settings.write(stage, prepared(TWO))
    return lambda *changes: prepared(TWO, *changes)


@pytest.mark.parametrize("stage", [*STAGES, "report"])
def test_results_of_the_same_settings_are_taken(results, stage):
    # what decides where and how fast fits are made, and where runs are recorded, is no part of the results
    stage_settings.check(stage, results("execution.workers=7", "tracking.experiment=other"))


@pytest.mark.parametrize("stage", ["select", "report"])
@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("seed=11", "seed is 11 here and 0 there"),
        ("split.folds=3", "split.folds is 3 here and 5 there"),
        ("loss=brier", 'loss is "brier" here and null there'),
        ("data.drop=[id]", 'data.drop is ["id"] here and [] there'),
        ("data.known_after=[id]", 'data.known_after is ["id"] here and [] there'),
        ("report.slices=[x]", 'report.slices is ["x"] here and [] there'),
        ("candidates.1.params.C=5", "candidates.svm.params.C is 5 here and left out there"),
        ("candidates.1.name=other", 'candidates is ["bayes", "other"] here and ["bayes", "svm"] there'),
    ],
)
def test_results_of_other_settings_are_refused_with_the_key_both_values_and_the_remedy(results, stage, change, named):
    with pytest.raises(UserError) as error:
        stage_settings.check(stage, results(change))
    assert f": {named}. Nothing was written." in str(error.value)
    assert all(remedy in str(error.value) for remedy in ("dvc repro", "python -m flows validate", "--set"))
    assert str(error.value).startswith(f"{stage}: ")


def test_results_of_another_module_of_the_users_are_refused_with_its_name(prepared, checkout, monkeypatch):
    (checkout / "own_learner.py").write_text(
        "import own_helper\nfrom sklearn.svm import SVC\n\n\nclass Own(SVC): ...\n"
    )
    monkeypatch.syspath_prepend(checkout)
    helper = checkout / "own_helper.py"
    helper.write_text("")
    monkeypatch.delitem(sys.modules, "own_learner", raising=False)
    changes = "candidates=[{name: own, estimator: own_learner.Own}]", "execution.allowed_modules=[sklearn, own_learner]"
    for stage in STAGES:
        stage_settings.write(stage, prepared(*changes))
    stage_settings.check("report", prepared(*changes))
    helper.write_text("more = 1\n")
    stage_settings.check("fit", prepared(*changes))  # prepare has no candidates
    for stage in ("select", "report"):
        with pytest.raises(UserError, match="module own_helper .*data/results/fits.*deps"):
            stage_settings.check(stage, prepared(*changes))
    assert not stage_settings.made_with("fit", prepared(*changes))


def test_only_the_report_asks_for_the_settings_of_the_selection(results):
    changed = results("selection.rule=indistinguishable")
    stage_settings.check("select", changed)
    with pytest.raises(UserError, match="selection.rule is"):
        stage_settings.check("report", changed)


def test_a_selection_that_was_begun_and_not_ended_is_not_reported(results):
    stage_settings.forget("select")
    with pytest.raises(UserError, match=r"reports/settings.json is missing"):
        stage_settings.check("report", results())


def test_results_of_rows_that_were_prepared_again_are_refused(results):
    """The keys of a stage are the same, but the rows are cut into other folds."""
    partition = pd.read_parquet(files.PARTITION)
    partition.assign(fold=partition["fold"].to_numpy()[::-1]).to_parquet(files.PARTITION)
    with pytest.raises(UserError, match=r"data/prepared/partition.parquet is not the file from which data/results"):
        stage_settings.check("select", results())


def test_a_record_holds_the_keys_of_its_stage_alone(results):
    """So that another key changes no output that DVC keeps."""
    known = {stage: {*json.loads(stage_settings.place(stage).read_text())["settings"]} for stage in STAGES}
    assert {"seed", "candidates", "loss", "selection.race", "execution.fit_timeout"} <= known["fit"]
    assert "selection" in known["select"] - known["fit"]
