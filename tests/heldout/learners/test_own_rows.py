"""A scaler that writes over rows of a fit's own: the same numbers, and a learner as it was."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from heldout.learners.fitting import fit_and_test
from heldout.losses import ZERO_ONE
from heldout.splits.split import Split

N = 400
rng = np.random.default_rng(0)
X = pd.DataFrame(np.asfortranarray(rng.normal(3, [1, 5, 0.1], (N, 3))), columns=["a", "b", "c"])
Y = (X["a"] + X["b"] > 6).to_numpy().astype(int)
SPLIT = Split(np.arange(100, N), np.arange(100))


class InItsFile:
    """A table of which each use reads rows of its own; it keeps those that were read."""

    shape = X.shape

    def __init__(self):
        self.read = []

    @property
    def iloc(self):
        return self

    def __getitem__(self, rows):
        self.read.append(X.iloc[rows].copy())
        return self.read[-1]


@pytest.mark.parametrize("scaler", [MaxAbsScaler(), MinMaxScaler(), RobustScaler(), StandardScaler()])
def test_a_scaler_writes_over_rows_that_were_read_for_the_fit_and_changes_no_number(scaler):
    table, learner = InItsFile(), make_pipeline(scaler, LogisticRegression())
    made = fit_and_test(learner, table, Y, SPLIT, ZERO_ONE, 0)
    plain = fit_and_test(learner, X, Y, SPLIT, ZERO_ONE, 0)
    np.testing.assert_array_equal(plain.hypothesis[-1].coef_, made.hypothesis[-1].coef_)
    np.testing.assert_array_equal(plain.losses, made.losses)
    assert made.hypothesis[0].copy
    trained, tested = table.read
    np.testing.assert_array_equal(plain.hypothesis[0].transform(X.iloc[SPLIT.train]), trained)
    np.testing.assert_array_equal(X.iloc[SPLIT.validation], tested)
