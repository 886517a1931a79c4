"""No function of anybody's gets a number in a type that wraps: the value is that of the same labels as int64."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeRegressor

import heldout
from heldout.errors import BadArgument
from heldout.rows.wide import wide
from tasks.data.target import wide_target

SMALL = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "uint64", "float16"]
NULLABLE = ["UInt8", "Int8", "UInt64"]
N = 16
RNG = np.random.default_rng(0)
GRADES = RNG.integers(1, 6, N)
SAID = np.clip(GRADES + RNG.integers(-2, 3, N), 1, 5)
X = np.column_stack([GRADES + RNG.normal(size=N), RNG.normal(size=N)])


def distance(y, said):
    return abs(y - said) * 60


def skill(y, said, sample_weight):
    return 1 - np.average((60 * (y - said)) ** 2, weights=sample_weight) / 1e5


@pytest.mark.parametrize("dtype", SMALL)
def test_a_difference_does_not_wrap(dtype):
    values = np.array([1, 2, 100]).astype(dtype)
    made = wide(values, "y")
    assert made.dtype in (np.int64, np.float64)
    assert (made[:2] - made[1:]).tolist() == [-1, -98]
    assert (200 * made).tolist() == [200, 400, 20000]
    assert np.array_equal(made, values)


@pytest.mark.parametrize("values", [np.array([True]), np.float32([1.5]), np.array(["a"]), np.array([1.5])])
def test_what_does_not_wrap_stays_as_it_is(values):
    assert wide(values, "y") is values


def test_a_number_beyond_int64_is_refused():
    with pytest.raises(BadArgument) as caught:
        heldout.validate({"line": LogisticRegression()}, X[:2], np.array([1, 2**63], dtype=np.uint64))
    assert caught.value.argument == "y"
    assert wide(np.array([2**63 - 1], dtype=np.uint64), "y").tolist() == [2**63 - 1]


def as_(dtype, values):
    return pd.Series(values, dtype=dtype) if dtype in NULLABLE else np.asarray(values).astype(dtype)


@pytest.mark.parametrize("dtype", [*SMALL, *NULLABLE])
@pytest.mark.parametrize("how", [{"loss": distance}, {"metric": skill}])
def test_a_table_of_answers_in_any_type_has_the_value_of_int64(dtype, how):
    def value(labels, said):
        return heldout.from_predictions({"label": labels, "a": said}, answer=["a"], **how).estimates[0].value

    expected = value(GRADES, SAID)
    assert value(as_(dtype, GRADES), as_(dtype, SAID)) == pytest.approx(expected, rel=1e-12)
    assert value(as_(dtype, GRADES), SAID) == pytest.approx(expected, rel=1e-12)
    assert value(GRADES, as_(dtype, SAID)) == pytest.approx(expected, rel=1e-12)


class Narrow(RegressorMixin, BaseEstimator):
    """A learner of somebody's that answers in a small type, and has a number of its own in `fit`."""

    def __init__(self, dtype="uint8"):
        self.dtype = dtype

    def fit(self, X, y):
        self.least_ = (y.dtype.type(1) - y).min()
        return self

    def predict(self, X):
        return np.clip(np.round(X[:, 0]), 1, 5).astype(self.dtype)


@pytest.mark.parametrize("dtype", ["uint8", "float16"])
def test_a_target_in_any_type_has_the_estimates_of_int64(dtype):
    learners = {"narrow": Narrow()}
    asked = {"estimates": ["E_cv"], "folds": 2, "loss": distance, "progress": False}
    expected, found = (heldout.validate(learners, X, y, **asked) for y in (GRADES, as_(dtype, GRADES)))
    assert found.estimates == expected.estimates
    assert found.baseline == expected.baseline
    assert found.metric(skill).estimates == expected.metric(skill).estimates
    assert expected["narrow"]["E_cv"].value == pytest.approx(
        distance(GRADES, np.clip(np.round(X[:, 0]), 1, 5)).mean(), rel=1e-12
    )
    assert all(one.least_ < 0 for one in found.target("narrow", "E_cv"))


def test_several_labels_a_row_do_not_wrap():
    def lost(y, said):
        return abs(y - said).sum(axis=1)

    both = np.column_stack([GRADES, SAID])
    asked = {"estimates": ["E_cv"], "folds": 2, "loss": lost, "progress": False}
    learner = {"tree": DecisionTreeRegressor(max_depth=1, random_state=0)}
    found = heldout.validate(learner, X, both.astype(np.uint8), **asked)
    assert found.estimates == heldout.validate(learner, X, both, **asked).estimates


@pytest.mark.parametrize("dtype", SMALL)
def test_metrics_of_new_rows_are_those_of_int64(dtype):
    y, said = np.arange(40) * 2, np.arange(40) * 2 + RNG.integers(-1, 2, 40)
    found = heldout.metrics_of(y.astype(dtype), np.abs(said).astype(dtype))
    assert found == heldout.metrics_of(y, np.abs(said))
    assert found.lines[0].metric == "r_squared"


@pytest.mark.parametrize("dtype", [*SMALL, *NULLABLE, "uint8[pyarrow]"])
def test_the_target_of_a_run_is_wide(dtype):
    made = wide_target(pd.Series([1, 2, 3], dtype=dtype)).to_numpy()
    assert made.dtype in (np.int64, np.float64)
    assert made.tolist() == [1, 2, 3]


@pytest.mark.parametrize("dtype", NULLABLE)
def test_the_target_of_a_run_is_wide_next_to_gaps(dtype):
    assert wide_target(pd.Series([1, None, 3], dtype=dtype)).dtype == pd.Int64Dtype()
