"""One rule says at every door which classes are too many to learn, where nobody named a loss."""

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

import heldout
from heldout.errors import BadArgument
from heldout.losses import choose_loss
from heldout.losses.choice import unlearnable
from tasks.init.profile import _is_class
from tasks.runtime.errors import UserError


def audited(y):
    heldout.audit(np.arange(2.0 * len(y)).reshape(len(y), 2) % 7, y)


def validated(y):
    X = np.random.default_rng(0).normal(size=(len(y), 2))
    heldout.validate({"bayes": GaussianNB()}, X, y, estimates=["E_val"], progress=False)


def begun(y):
    assert _is_class(pd.Series(y, name="y"), "y")


DOORS = pytest.mark.parametrize("door", [audited, validated, begun])


def labels(classes, rows):
    """As many names in so many rows, each about as often."""
    return np.array([f"class {row % classes}" for row in range(rows)])


@DOORS
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("classes", "rows"), [(100, 1600), (51, 255), (26, 60), (50, 51)])
def test_classes_that_can_be_learned_are_taken_by_each_door(door, classes, rows):
    assert unlearnable(labels(classes, rows)) is None
    door(labels(classes, rows))


@DOORS
@pytest.mark.parametrize(("classes", "rows"), [(2500, 5000), (51, 254), (100, 499), (30, 30)])
def test_too_many_are_refused_by_each_door_in_the_same_words(door, classes, rows):
    reason = unlearnable(labels(classes, rows))
    assert str(classes) in reason or str(rows) in reason
    with pytest.raises((BadArgument, UserError)) as refused:
        door(labels(classes, rows))
    assert reason in str(refused.value)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_loss_that_is_named_or_classifiers_on_whole_numbers_keep_them_all():
    """Also where a class has a single row, whatever the number of classes."""
    rng = np.random.default_rng(1)
    whole = np.r_[np.tile(np.arange(25), 8), 99]
    X = rng.normal(size=(len(whole), 2)) + whole[:, None]
    for loss in (None, "zero_one", "log"):
        made = heldout.validate({"bayes": GaussianNB()}, X, whole, loss=loss, estimates=["E_val"], progress=False)
        assert 26 == made.design.classes
    many = labels(60, 120)
    assert choose_loss("zero_one", many).of_classes
    heldout.validate({"bayes": GaussianNB()}, X[:120], many, loss="zero_one", estimates=["E_val"], progress=False)
    with pytest.raises(BadArgument, match="no classes"):
        choose_loss("zero_one", np.arange(30))
