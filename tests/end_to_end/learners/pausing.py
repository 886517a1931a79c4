"""A user's learner that waits once its test error is known; tests copy this module next to their parameters."""

import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.naive_bayes import GaussianNB

TEST, PAUSE, SCORED = Path("data/prepared/test.parquet"), Path("pause"), Path("scored")
asked = 0


class Pausing(GaussianNB):
    """Naive Bayes; asked for the test set a second time, after its losses, it waits for somebody to kill it."""

    def predict(self, X):
        wait_at_test_set(X)
        return super().predict(X)

    def predict_proba(self, X):
        wait_at_test_set(X)
        return super().predict_proba(X)


def wait_at_test_set(X) -> None:
    global asked
    if not PAUSE.exists() or len(X) != len(test := pd.read_parquet(TEST).drop(columns="target")):
        return
    asked += np.array_equal(np.asarray(X), test.to_numpy())
    if asked > 1:
        SCORED.touch()
        time.sleep(600)
