"""What a validation found, as people read it."""

import numpy as np
import pandas as pd
import pytest

from heldout.records import Estimate
from tasks import files
from tasks.estimates import estimate_all, read_results
from tasks.summary import Summary, read_summary

SELECTION = {
    "selected": "bayes",
    "criterion": "E_cv",
    "rule": "one_standard_error",
    "contamination": 7,
    "bound": 0.25,
    "E_test": 0.125,
    "test_openings": 1,
}
INTERVAL = {"low": 0.05, "high": 0.15, "level": 0.9, "interval": "Wilson"}
ESTIMATES = [
    Estimate("bayes", "E_in", 0.0625, "g", 8, 8),
    Estimate("bayes", "E_cv", 0.1, "one of the k", 7, 8, **INTERVAL),
    Estimate("bayes", "E_test", 0.125, "g", 8, 4, low=0.1, high=0.2, level=0.9, interval="Wilson"),
]


@pytest.fixture
def summary(settings_with):
    """A summary made by hand, of classes unless told otherwise."""

    def make(percent=True, failures=None, **selection) -> Summary:
        table = pd.DataFrame([vars(estimate) for estimate in ESTIMATES])
        settings = settings_with("selection.level=0.9")
        return Summary(
            estimates=table,
            selection={**SELECTION, **selection},
            failures=failures or {},
            fold_errors={},
            progressive_errors={},
            assumptions={},
            percent=percent,
            settings=settings,
        )

    return make


def test_a_cell_is_a_value_and_its_interval_and_empty_where_there_is_none(summary):
    assert ("10.0", "5.0–15.0") == summary().cell("bayes", "E_cv")
    assert ("6.2", "") == summary().cell("bayes", "E_in")
    assert ("0.1", "0.05–0.15") == summary(percent=False).cell("bayes", "E_cv")
    assert ("", "") == summary().cell("bayes", "E_maxdt")
    assert ("", "") == summary().cell("another", "E_cv")


def test_the_sentences_tell_the_choice_its_bound_and_the_test_part(summary):
    said = summary().sentences()
    assert ["selected", "bound", "E_test"] == list(said)
    assert "bayes, by one standard error of E_cv = 10.0 %" == said["selected"]
    assert said["bound"].startswith(
        "with probability 90 % its error, trained without the held-out rows, is at most 25.0 %"
    )
    assert "Hoeffding over all learners ever compared on these labels, 7 so far" in said["bound"]
    assert said["E_test"].startswith("12.5 % [10.0–20.0], of the model trained on all labelled rows")
    assert "opened for this model alone" in said["E_test"]
    assert "opened for 3 different winners so far" in summary(test_openings=3).sentences()["E_test"]


def test_numbers_are_no_percentages(summary):
    said = summary(percent=False).sentences()
    assert "bayes, by one standard error of E_cv = 0.1" == said["selected"]
    assert "at most 0.25: " in said["bound"]
    assert said["E_test"].startswith("0.125 [0.1–0.2], ")


def test_what_is_not_there_is_not_told(summary):
    said = summary(bound=None, E_test=None, criterion="max(E_cv, E_maxdt)").sentences()
    assert {"selected": "bayes, by one standard error of max(E_cv, E_maxdt)"} == said
    assert "0.0 %" in summary(E_test=0.0).sentences()["E_test"]  # a zero is there


def test_a_candidate_that_failed_is_told_with_its_reason(summary):
    assert "fold 2/5: no" == summary(failures={"tree": "fold 2/5: no"}).sentences()["tree failed"]


def test_the_summary_is_read_from_the_files_of_the_contract(prepared):
    settings = prepared("candidates=[{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}]")
    partition, rng = files.read_partition(), np.random.default_rng(1)
    rows = {
        "holdout": np.flatnonzero(partition.validation),
        "cross_validation": np.argsort(partition.fold, kind="stable"),
        "progressive": np.argsort(partition.step)[30:][::-1],  # not in the order of the steps
        "covalidation": np.arange(60),
    }
    units = {"cross_validation": partition.fold, "progressive": partition.step}
    losses = {scheme: pd.Series(rng.integers(0, 2, len(row)).astype(float), row) for scheme, row in rows.items()}
    training = pd.DataFrame({"candidate": ["bayes"], "repeat": 0, "half": 0, "error": 0.0})
    disagreement = pd.DataFrame(columns=["candidate", "shard", "repeat", "rows", "disagreement"])
    for scheme, row in rows.items():
        unit = units.get(scheme, np.zeros(60, dtype=int))[row]
        table = pd.DataFrame({"candidate": "bayes", "unit": unit, "row": row, "loss": losses[scheme].to_numpy()})
        more = {"training": training, "disagreement": disagreement, "in_sample": table}
        files.write_result(scheme, {"losses": table, **more}, {"tree": "no"} if scheme == "holdout" else {})
    files.write_estimates(ESTIMATES)
    files.write_json(files.SELECTION, SELECTION)

    found = read_summary(settings)
    by_fold = losses["cross_validation"].groupby(partition.fold[rows["cross_validation"]]).mean()
    assert by_fold.tolist() == pytest.approx(found.fold_errors["bayes"].tolist())
    in_steps = losses["progressive"].loc[np.argsort(partition.step)[30:]].to_numpy()
    expected = [np.mean(in_steps[:tested]) for tested in range(1, 31)]
    assert expected == pytest.approx(found.progressive_errors["bayes"].tolist())
    assert ({"tree": "no"}, SELECTION, True) == (found.failures, found.selection, found.percent)
    assert ("10.0", "5.0–15.0") == found.cell("bayes", "E_cv")
    own = estimate_all(settings, read_results(settings))["bayes"]
    expected = {record.estimate: record.assumption for record in own if record.low is not None}
    assert {**expected, "E_test": expected["E_val"]} == found.assumptions
