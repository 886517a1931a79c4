"""Metrics by name have the values of scikit-learn, and the terms that difference quotients of it give."""

import numpy as np
import pytest
from sklearn.metrics import (
    cohen_kappa_score,
    matthews_corrcoef,
    precision_score,
    r2_score,
    recall_score,
)

import heldout
from heldout.errors import BadArgument
from heldout.losses.set_metrics import OwnMetric
from heldout.losses.set_metrics.named import NAMED, named

RNG = np.random.default_rng(2)
N = 240


def specificity(y, said, sample_weight=None):
    """The mean over classes of the share of other rows that are not answered so; of two classes of the last one."""
    classes = np.unique(y)[-1:] if len(np.unique(y)) == 2 else np.unique(y)
    weights = np.ones(len(y)) if sample_weight is None else sample_weight
    return np.mean([np.average(said[y != one] != one, weights=weights[y != one]) for one in classes])


def macro(metric):
    def of(y, said, sample_weight=None):
        average = "binary" if len(np.unique(y)) == 2 else "macro"
        return metric(y, said, average=average, sample_weight=sample_weight)

    return of


PEERS = {
    "mcc": matthews_corrcoef,
    "kappa": cohen_kappa_score,
    "recall": macro(recall_score),
    "precision": macro(precision_score),
    "specificity": specificity,
    "r2": r2_score,
}


def table(classes: int) -> dict:
    if not classes:
        y = RNG.normal(size=N)
        return {"row": np.arange(N), "label": y, "a": y + RNG.normal(size=N) / 2, "b": y + RNG.normal(size=N)}
    y = np.arange(N) % classes
    wrong = {name: RNG.random(N) < share for name, share in (("a", 0.15), ("b", 0.35))}
    answers = {name: np.where(of, RNG.integers(0, classes, N), y) for name, of in wrong.items()}
    return {"row": np.arange(N), "label": y, **answers}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("name", "classes"), [(name, many) for name in NAMED for many in ((0,) if name == "r2" else (2, 3))]
)
def test_values_and_terms_are_those_of_the_function(name, classes, weighted):
    of = {**table(classes), "times": RNG.random(N) + 0.5}
    how = {"answer": ["a", "b"], "weight": "times" if weighted else None}
    found = heldout.from_predictions(of if weighted else {**of, "times": np.zeros(N)}, metric=name, **how)
    by_function = heldout.from_predictions(of if weighted else {**of, "times": np.zeros(N)}, metric=PEERS[name], **how)
    weights = of["times"] if weighted else None
    for one in found.estimates:
        expected = 1 - PEERS[name](of["label"], of[one.candidate], sample_weight=weights)
        assert expected == pytest.approx(one.value)
        assert one.low < one.value < one.high
        if name != "r2":  # of which a function is asked about parts
            ours, theirs = (made.observed[one.candidate].losses for made in (found, by_function))
            assert ours == pytest.approx(theirs, abs=1e-4)
    assert [f"E_{name}"] * 2 == [one.estimate for one in found.estimates]


def test_terms_of_r2_are_its_derivatives():
    y, said, ones = RNG.normal(size=30), RNG.normal(size=30), np.ones(30)
    terms = NAMED["r2"].terms(y, said, ones)
    assert 1 - r2_score(y, said) == pytest.approx(terms.mean())
    step = 1e-6
    for row in (0, 7):
        more = ones + step * (np.arange(30) == row)
        slope = (r2_score(y, said, sample_weight=more) - r2_score(y, said)) / step
        assert 1 - r2_score(y, said) - 30 * slope == pytest.approx(terms[row], abs=1e-3)


@pytest.mark.parametrize(
    ("written", "name"), [("MCC", "mcc"), ("R²", "r2"), ("cohen_kappa_score", "kappa"), ("sensitivity", "recall")]
)
def test_a_metric_is_known_by_other_names(written, name):
    assert name == named(written)
    assert None is named("AUC")


def test_right_answers_leave_an_interval_and_few_answers_count_as_few():
    y = np.repeat([0, 1], [150, 50])
    said = np.where(np.arange(200) >= 197, 1, 0)  # three of class 1, all right
    [found] = heldout.from_predictions({"a": said, "label": y}, answer=["a"], metric="precision").estimates
    assert found.value == 0
    assert found.high > 0.5
    for name in ("mcc", "kappa", "recall", "specificity"):
        [one] = heldout.from_predictions({"a": y, "label": y}, answer=["a"], metric=name).estimates
        assert (0, True) == (one.value, 0 < one.high < 0.12)


def test_a_metric_of_classes_is_refused_for_numbers_and_one_of_numbers_for_texts():
    for name, one in NAMED.items():
        y = RNG.normal(size=20) if not (isinstance(one, OwnMetric) and one.slopes) else np.array([*"ab"] * 10)
        with pytest.raises(BadArgument, match=f"metric is {name}, which is of"):
            heldout.from_predictions({"a": y, "label": y}, answer=["a"], metric=name)
    with pytest.raises(BadArgument, match="no row is answered with a class"):
        heldout.from_predictions({"a": [0] * 20, "label": [0, 1] * 10}, answer=["a"], metric="precision")


def test_a_margin_goes_with_a_metric():
    y = np.arange(2000) % 2
    answers = {name: np.where(RNG.random(2000) < share, 1 - y, y) for name, share in (("a", 0.1), ("b", 0.3))}
    made = heldout.from_predictions({**answers, "label": y}, answer=["a", "b"], metric="kappa", margin=0.05)
    assert "by a margin of 0.05 of E_kappa a is better than b" in str(made)
    same = heldout.from_predictions(
        {"a": answers["a"], "b": answers["a"], "label": y}, answer=["a", "b"], metric="mcc", margin=0.05
    )
    assert ["alike"] == [one.by_margin for one in same.differences()]


def test_both_doors_have_the_same_metric():
    from sklearn.datasets import load_iris
    from sklearn.naive_bayes import GaussianNB

    X, y = load_iris(return_X_y=True)
    made = heldout.validate({"bayes": GaussianNB()}, X, y, estimates=["E_cv"], progress=False)
    [by_name], [by_function] = made.metric("kappa").estimates, made.metric(cohen_kappa_score).estimates
    assert by_function.value == pytest.approx(by_name.value)
    assert by_function.low == pytest.approx(by_name.low, abs=1e-4)
