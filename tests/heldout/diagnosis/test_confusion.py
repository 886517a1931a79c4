"""The confusion matrix of cross-validation: that of scikit-learn on the same folds."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import PredefinedSplit, RepeatedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.errors import BadArgument, FitFailure

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])
MEASURED = X + np.random.default_rng(0).normal(scale=1.5, size=X.shape)  # so that every class is mistaken


def validated(y, learner=None, **more):
    asked = {"estimates": ["E_cv"], "progress": False, **({} if "cv" in more else {"folds": 5}), **more}
    return heldout.validate({"a": learner or GaussianNB()}, MEASURED, y, **asked)


def matrix(found, names):
    counts = {(one.class_name, one.taken_for): one.rows for one in found}
    return np.array([[counts.get((str(actual), str(given)), 0) for given in names] for actual in names])


@pytest.mark.parametrize("learner", [GaussianNB(), DecisionTreeClassifier(max_depth=3, random_state=0)], ids=str)
@pytest.mark.parametrize("y", [NAMES[Y], Y + 1, Y > 0, np.where(Y == 1, "it", "other")], ids=["3", "1 …", "bool", "2"])
def test_it_is_scikit_learns_on_the_same_folds(y, learner):
    made = validated(y, learner)
    answered = cross_val_predict(learner, MEASURED, y, cv=PredefinedSplit(made.design.partition.fold))
    classes = np.unique(y)
    found = made.confusion()
    np.testing.assert_array_equal(confusion_matrix(y, answered), matrix(found, classes))
    wrong = sum(one.rows for one in found if one.class_name != one.taken_for)
    assert wrong / len(y) == pytest.approx(made["a"]["E_cv"].value)
    assert [*made.to_frame("confusion").columns] == ["candidate", "class_name", "taken_for", "rows"]


def test_of_several_partitions_it_is_the_mean():
    y, cv = NAMES[Y], RepeatedKFold(n_splits=3, n_repeats=2, random_state=0)
    answered = np.zeros((3, 3))
    for train, test in cv.split(MEASURED):
        given = GaussianNB().fit(MEASURED[train], y[train]).predict(MEASURED[test])
        answered += confusion_matrix(y[test], given, labels=NAMES) / 2
    np.testing.assert_allclose(answered, matrix(validated(y, cv=cv).confusion(), NAMES))


def test_it_needs_no_model_for_two_classes_and_is_saved_for_who_is_asked(tmp_path):
    two, three = validated(Y > 0), validated(Y)
    assert two.confusion() == heldout.load(two.save(tmp_path / "two")).confusion()
    with pytest.raises(BadArgument, match="load"):
        heldout.load(three.save(tmp_path / "three")).confusion()
    loaded = heldout.load(three.save(tmp_path / "asked", asked=["a"]))
    assert three.confusion() == loaded.confusion()
    assert three.confusion() == heldout.load(tmp_path / "three", candidates={"a": GaussianNB()}, X=MEASURED).confusion()


def test_of_many_folds_only_the_losses_are_asked():
    assert () == validated(Y, folds=150).confusion()
    assert 150 == sum(one.rows for one in validated(Y > 0, folds=150).confusion())


def test_a_table_has_no_line_where_a_hypothesis_does_not_answer(monkeypatch):
    made = validated(Y)

    def fails(*_):
        raise FitFailure("no")

    monkeypatch.setattr("heldout.diagnosis.confusion.answers", fails)
    assert made.to_frame("confusion").empty
    with pytest.raises(FitFailure):
        made.confusion()


def test_numbers_have_none_and_without_e_cv_it_is_an_error():
    assert () == validated(X[:, 0], LinearRegression()).confusion()
    with pytest.raises(BadArgument, match="E_cv was not computed"):
        validated(Y, estimates=["E_val"]).confusion()
