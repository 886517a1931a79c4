"""A validation's summary that is made by hand."""

import pandas as pd
import pytest

from heldout.losses import SQUARED, ZERO_ONE
from heldout.records import Difference, Estimate, Measured, MoreRows, PredictionPowered, PredictionSets
from heldout.schemes.delivery import FORMS
from tasks.report.summary import Curves, LabeledRows, Summary, TestSet, Tuned, Unlabeled
from tasks.storage.findings import Found


@pytest.fixture(autouse=True)
def verbose(monkeypatch):
    """Terminals print every sentence, which most tests look for."""
    monkeypatch.setenv("HELDOUT_VERBOSE", "1")


FINAL = {"form": "final", "target": FORMS["final"].target, "bytes": 2048, "bytes_final": 2048}
SELECTION = {
    "selected": "bayes",
    "criterion": "E_cv",
    "rule": "one_standard_error",
    "candidates": ["bayes", "tree"],
    "indistinguishable": ["bayes"],
    "contamination": 7,
    "bound": 0.25,
    "bound_joint": 0.22,
    "bound_of_one": 0.1875,
    "bound_method": "Clopper-Pearson",
    "bound_hoeffding": 0.3125,
    "baseline": 0.3,
    "beats_baseline": True,
    "E_test": 0.125,
    "rows_delivered": 8,
    "rows": {"estimates": 8, "labeled": 8, "test": 4},
    "test_openings": 1,
    "test_others": 0,
    "test_sealed": 0,
    "test_refused": None,
    "deliver": FINAL,
    "verdict": "ship",
    "caveats": [],
    "advice": "Ship bayes",
}
INTERVAL = {"low": 0.05, "high": 0.15, "level": 0.9, "interval": "Wilson"}
ESTIMATES = [
    Estimate("bayes", "E_in", 0.0625, "g", 8, 8),
    Estimate("bayes", "E_cv", 0.1, "one of the k", 7, 8, **INTERVAL),
    Estimate("bayes", "E_test", 0.125, "g", 8, 4, low=0.1, high=0.2, level=0.9, interval="Wilson"),
    Estimate("baseline", "E_cv", 0.3, "one of the k", 7, 8, low=0.2, high=0.4, level=0.9, interval="Wilson"),
    Estimate("baseline", "E_test", 0.25, "g", 8, 4, low=0.1, high=0.5, level=0.9, interval="Wilson"),
]
OF_DIFFERENCES = {"level": 0.9, "interval": "corrected t"}
DIFFERENCES = [
    Difference("bayes", "tree", -0.05, low=-0.15, high=0.05, **OF_DIFFERENCES),
    Difference("bayes", "baseline", -0.2, low=-0.3, high=-0.1, **OF_DIFFERENCES),
]
OF_MORE_ROWS = {"level": 0.9, "interval": "corrected t", "assumption": "independent examples"}
MORE_ROWS = [
    MoreRows("bayes", 4, "E_2cv", 0.125, low=0.0625, high=0.25, **OF_MORE_ROWS),
    MoreRows("bayes", 7, "E_cv", 0.1, low=0.05, high=0.15, **OF_MORE_ROWS),
    MoreRows("bayes", 7, "gain", 0.025, low=0.0125, high=0.0375, **OF_MORE_ROWS),
    MoreRows("bayes", 8, "E_N", 0.09, low=0.04, high=0.15, **OF_MORE_ROWS),
    MoreRows("bayes", 16, "E_2N", 0.08, low=0.02, high=0.15, **OF_MORE_ROWS),
    MoreRows("tree", 7, "gain", 0.5),
]
SETS = PredictionSets("bayes", "g", 0.9, "LAC", 0.75, 20, 8, 0.875, 0.5, 0.95, 1.25, None, 0.625, 0.0)
PREDICTION_POWERED = [
    PredictionPowered("bayes", "E_val", reason="E_val has no interval", unlabeled=40),
    PredictionPowered("bayes", "E_cv", 0.09, 0.05, 0.13, 0.9, "Wilson", 0.8, 4.5, 40),
    PredictionPowered("tree", "E_cv", reason="the rows differ", unlabeled=40),
]
METRICS = [
    Measured("bayes", "auc", reason="the model gives no probabilities", n_tested=4),
    Measured("bayes", "f1", "", 0.75, 0.5, 0.9, 0.9, "jackknife Wilson", 4),
    Measured("bayes", "class_error", "target=won", 0.25, 0.1, 0.5, 0.9, "Clopper-Pearson", 4),
    Measured("bayes", "zero_one", "sex=f", reason="1 row, at least 2 are needed", n_tested=1),
]
NO_TEXT = {"slice": "", "interval": "", "reason": ""}  # as they are read
CONFUSION = pd.DataFrame([[3, 1], [0, 4]], index=["lost", "won"], columns=["lost", "won"])
FAMILY = {
    "candidate": "path",
    "parameter": "alpha",
    "chosen": "0.1",
    "validated_on": 60,
    "E_val": 0.125,
    "corrected": 0.15,
    "low": 0.1,
    "high": 0.2,
    "bound": 0.25,
    "many": False,
}
NO_FAMILY = pd.DataFrame(columns=list(FAMILY))


@pytest.fixture
def summary(settings_with):
    """A summary made by hand, of classes unless `percent` is false."""

    def make(
        percent=True,
        failures=None,
        warned=None,
        estimates=(),
        family=None,
        least_half_error=None,
        optimism=None,
        differences=DIFFERENCES,
        more_rows=MORE_ROWS,
        no_more_rows=None,
        prediction_sets=SETS,
        prediction_powered=PREDICTION_POWERED,
        metrics=METRICS,
        found=(),
        margin=None,
        **selection,
    ) -> Summary:
        table = pd.DataFrame([vars(estimate) for estimate in [*ESTIMATES, *estimates]])
        settings = settings_with("selection.level=0.9", f"selection.margin={'null' if margin is None else margin}")
        return Summary(
            settings=settings,
            loss=ZERO_ONE if percent else SQUARED,
            estimates=table,
            selection={**SELECTION, **selection},
            differences=pd.DataFrame([vars(record) for record in differences], columns=list(vars(DIFFERENCES[0]))),
            more_rows=pd.DataFrame([vars(record) for record in more_rows], columns=list(vars(MORE_ROWS[0]))),
            no_more_rows=no_more_rows,
            prediction_powered=pd.DataFrame(
                [vars(line) for line in prediction_powered], columns=list(vars(PREDICTION_POWERED[0]))
            ),
            prediction_sets=prediction_sets,
            failures=failures or {},
            warned=warned or {},
            test_set=TestSet(
                pd.DataFrame([vars(line) for line in metrics], columns=list(vars(METRICS[0]))).fillna(NO_TEXT),
                CONFUSION,
            ),
            curves=Curves({}, {}, None),
            tuned=Tuned(
                NO_FAMILY if family is None else pd.DataFrame([{**FAMILY, **family}]),
                pd.DataFrame(columns=["candidate", "value", "E_in", "E_val"]),
            ),
            unlabeled=Unlabeled(True, least_half_error),
            rows=LabeledRows(optimism=optimism, found=Found(tuple(found))),
        )

    return make
