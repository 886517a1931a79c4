"""One learner under two names is shown once."""

import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import heldout


def validated(load=load_wine, **candidates):
    return heldout.validate(candidates, *load(return_X_y=True), estimates=["E_val", "E_cv"])


def test_a_learner_under_a_second_name_is_the_first_and_the_table_has_its_numbers_once():
    found = validated(knn=KNeighborsClassifier(), bayes=GaussianNB(), again=KNeighborsClassifier())
    assert found.equal == {"again": "knn"}
    lines = str(found).splitlines()
    (line,) = [line for line in lines if line.strip().startswith("again")]
    assert "the losses of knn, on every row" in line
    assert not any(digit in line for digit in "0123456789")
    assert "the losses of knn, on every row" in found._repr_html_()


@pytest.mark.parametrize("alpha", [1.0, 1.0001])
def test_losses_of_numbers_are_equal_to_the_last_digit_or_not(alpha):
    found = validated(load_diabetes, one=Ridge(alpha=1.0), other=Ridge(alpha=alpha))
    assert found.equal == ({"other": "one"} if alpha == 1.0 else {})


def test_candidates_without_an_error_are_not_taken_for_one_another():
    X, y = load_wine(return_X_y=True)
    X[:, 0] = y * 1000
    made = {"knn": KNeighborsClassifier(1), "three": KNeighborsClassifier(3)}
    found = heldout.validate(made, X[:, :1], y, estimates=["E_cv"])
    assert {record.value for record in found.estimates} == {0.0}
    assert found.equal == {}
