"""Errors carry a reason, and survive the way back from a worker process."""

import pickle

import pytest

from heldout.errors import BadArgument, FitFailure


def test_bad_argument_is_a_value_error_and_fit_failure_a_runtime_error():
    assert issubclass(BadArgument, ValueError)
    assert issubclass(FitFailure, RuntimeError)


def test_bad_argument_carries_argument_and_message():
    error = BadArgument("folds", "folds is 1; it must be at least 2")
    assert "folds" == error.argument
    assert "folds is 1; it must be at least 2" == str(error)


@pytest.mark.parametrize(
    "error",
    [
        FitFailure("ValueError: no"),
        BadArgument("folds", "folds is 1"),
    ],
    ids=["FitFailure", "BadArgument"],
)
def test_an_error_survives_pickling(error: Exception):
    copy = pickle.loads(pickle.dumps(error))
    assert type(error) is type(copy)
    assert str(error) == str(copy)
    assert vars(error) == vars(copy)
