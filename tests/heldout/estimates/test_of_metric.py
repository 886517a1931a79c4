"""1 - a metric by cross-validation: scikit-learn's number in each fold, an interval, and a choice by it."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, SGDClassifier
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.model_selection import PredefinedSplit, cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import SVC, LinearSVC

import heldout
from heldout.errors import BadArgument, LearnerWarning
from heldout.estimates import ESTIMATES, set_metrics
from heldout.online import OnePass
from heldout.selection import bbc

PART_LOSSES = set_metrics(ESTIMATES)
FEW_FITS = {"E_cv": "Bayle within folds"}  # those of the folds alone: the interval of E_cv is no matter here
CANDIDATES = {"lda": LinearDiscriminantAnalysis(), "bayes": GaussianNB(), "svc": SVC()}
SCORING = {
    True: {"E_auc": "roc_auc", "E_ap": "average_precision", "E_f1": "f1", "E_balanced": "balanced_accuracy"},
    False: {"E_f1": "f1_macro", "E_balanced": "balanced_accuracy"},
}


@pytest.fixture(scope="module", params=[load_breast_cancer, load_iris], ids=["two classes", "three classes"])
def made(request):
    X, y = request.param(return_X_y=True)
    how = {"estimates": ["E_cv", "E_bbc"], "further_estimates": [*PART_LOSSES], "intervals": FEW_FITS}
    return X, y, heldout.validate(CANDIDATES, X, y, **how)


def test_each_is_the_mean_of_what_scikit_learn_finds_in_the_folds(made):
    X, y, found = made
    fold = found.design.partition.fold
    for name, learner in CANDIDATES.items():
        for estimate, scoring in SCORING[len(np.unique(y)) == 2].items():
            scores = cross_val_score(learner, X, y, cv=PredefinedSplit(fold), scoring=scoring)
            expected = 1 - np.average(scores, weights=np.bincount(fold))
            assert found[name][estimate].value == pytest.approx(expected, abs=1e-12), (name, estimate)


def test_an_interval_is_about_the_value_and_open_to_errors_that_were_not_seen(made):
    _, _, found = made
    for name in CANDIDATES:
        for estimate in PART_LOSSES:
            record = found[name][estimate]
            assert 0 <= record.low <= record.value < record.high <= 1
            assert record.interval.startswith("corrected Wilson of ")


def test_the_others_are_as_without_them(made):
    X, y, found = made
    alone = heldout.validate(CANDIDATES, X, y, estimates=["E_cv", "E_bbc"], intervals=FEW_FITS)
    for record in alone.estimates:
        same = found[record.candidate][record.estimate]
        assert (record.value, record.low, record.high) == pytest.approx((same.value, same.low, same.high), rel=1e-9)


def test_numbers_are_the_same_in_two_processes(made):
    X, y, found = made
    again = heldout.validate(CANDIDATES, X, y, estimates=["E_auc"], n_jobs=2)
    assert [found[name]["E_auc"] for name in CANDIDATES] == [again[name]["E_auc"] for name in CANDIDATES]


def test_differences_and_those_who_are_alike_are_by_the_criterion(made):
    _, _, found = made
    chosen = found.select("E_auc")
    assert chosen.selected == min(CANDIDATES, key=lambda name: found[name]["E_auc"].value)
    by_metric = found.differences(chosen.selected, "E_auc")
    for line in by_metric:
        other = 0.5 if line.against == "baseline" else found[line.against]["E_auc"].value
        assert line.difference == pytest.approx(found[chosen.selected]["E_auc"].value - other)
    worse = {line.against for line in by_metric if line.shown_less}
    assert chosen.indistinguishable == tuple(name for name in CANDIDATES if name not in worse)
    assert found.beats_baseline(chosen.selected, "E_auc") is True


def rare():
    """A class of a twentieth of the rows, whose label depends weakly on the features: nobody predicts it."""
    rng = np.random.default_rng(0)
    y = (rng.random(600) < 0.05).astype(int)
    return rng.normal(size=(600, 2)) + 0.9 * y[:, None], y


def test_a_candidate_that_ranks_well_is_chosen_though_no_loss_of_classes_shows_it():
    X, y = rare()
    candidates = {"constant": DummyClassifier(strategy="prior"), "bayes": GaussianNB()}
    found = heldout.validate(candidates, X, y, estimates=["E_val", "E_cv"], further_estimates=["E_auc"])
    assert found["bayes"]["E_cv"].value == pytest.approx(found["constant"]["E_cv"].value, abs=0.02)
    assert "bayes" == found.select("E_auc").selected
    assert found.beats_baseline("bayes") is not True
    assert found.beats_baseline("bayes", "E_auc") is True
    assert "not_yet" != found.decide("E_auc").verdict
    assert "not_yet" == found.decide("E_cv").verdict
    assert 0.5 == found["constant"]["E_auc"].value


def test_E_bbc_repeats_the_choice_by_the_metric():
    # the metric says that the first is the better one on every row, and the loss that the second is
    rng = np.random.default_rng(0)
    by = np.stack([rng.random(200) * 0.1, 0.5 + rng.random(200) * 0.1])
    losses = np.stack([np.full(200, 1.0), np.zeros(200)])
    assert 1.0 == bbc.corrected(losses, 0, chosen_by=by).error
    assert 0.0 == bbc.corrected(losses, 0).error
    assert bbc.corrected(losses, 0, chosen_by=losses).error == bbc.corrected(losses, 0).error


def test_labels_that_depend_on_nothing_have_an_AUC_of_a_half_inside_of_the_interval():
    # of 40 tables a 95 % interval misses more than 6 with probability .014 (binomial)
    missed = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(120, 3)), rng.permutation(120) % 2
        bayes = {"bayes": GaussianNB()}
        found = heldout.validate(bayes, X, y, estimates=["E_auc"], folds=5)
        record = found["bayes"]["E_auc"]
        missed += not record.low <= 0.5 <= record.high
    assert missed <= 6


def test_ranks_are_probabilities_or_scores_and_a_learner_with_neither_is_left_out():
    X, y = rare()

    class Answers(KNeighborsClassifier):
        predict_proba = property()

    candidates = {"scores": LinearSVC(), "answers": Answers()}
    with pytest.warns(LearnerWarning, match="neither probabilities nor scores"):
        found = heldout.validate(candidates, X, y, estimates=["E_auc"])
    assert ("scores",) == found.candidates
    assert [*found.failed] == ["answers"]


def test_what_cannot_be_computed_is_refused_before_any_fit():
    X, y = rare()
    with pytest.raises(BadArgument, match=r"E_auc: fold \d+ tests rows of one class alone, .0., and needs rows of two"):
        heldout.validate({"bayes": GaussianNB()}, X, y, folds=50, stratify=False, further_estimates=["E_auc"])
    with pytest.raises(BadArgument, match="AUC is of classes, and the target holds numbers"):
        heldout.validate({"line": LinearRegression()}, X, X[:, 0], further_estimates=["E_auc"])
    with pytest.raises(BadArgument, match="further_estimates is 'E_auc'; it must be a list of names"):
        heldout.validate({"bayes": GaussianNB()}, X, y, further_estimates="E_auc")
    with pytest.raises(BadArgument, match="estimates has 'AUC'"):
        heldout.validate({"bayes": GaussianNB()}, X, y, further_estimates=["AUC"])


def test_a_name_that_others_give_a_criterion_is_taken_or_answered_with_ours():
    X, y = rare()
    found = heldout.validate(
        {"bayes": GaussianNB()}, X, y, estimates=["E_cv"], further_estimates=["E_auc"], intervals=FEW_FITS
    )
    for name in ("AUC", "auc", "roc_auc"):
        assert found.select(name).criterion == "E_auc"
    for name in ("accuracy", "error_rate"):
        assert found.select(name).criterion == "E_cv"
    with pytest.raises(BadArgument, match="E_f1 was not computed .it has to be asked for: further_estimates"):
        found.select("F1")
    for name, (listed, loss) in {
        "RMSE": ("RMSE", "squared"),
        "r²": ("R2", "squared"),
        "mae": ("MAE", "absolute"),
    }.items():
        with pytest.raises(BadArgument, match=f"criterion is {listed}, .* the loss is {loss}; here it is zero_one"):
            found.select(name)
        with pytest.raises(BadArgument, match=f"loss is '{name}'; .* {loss} puts candidates in the order of {name}"):
            heldout.validate({"bayes": GaussianNB()}, X, y, loss=name)
    with pytest.raises(BadArgument, match="criterion is 'kappa'; it must be one of E_val.* or a metric: .*RMSE.*AUC"):
        found.select("kappa")


@pytest.mark.parametrize(("loss", "names"), [("squared", ("RMSE", "MSE", "R2", "R²")), ("absolute", ("MAE",))])
def test_a_metric_chooses_as_the_loss_in_whose_order_it_puts_candidates(loss, names):
    X, y = load_diabetes(return_X_y=True)
    candidates = {"mean": DummyRegressor(), "line": LinearRegression(), "nearest": KNeighborsRegressor(1)}
    found = heldout.validate(candidates, X, y, loss=loss, estimates=["E_cv"], intervals=FEW_FITS)
    metric = {"squared": r2_score, "absolute": lambda y, answers: -mean_absolute_error(y, answers)}[loss]
    assert {found.select(name).selected for name in names} == {found.select("E_cv").selected}
    pooled = {name: metric(y, cross_val_predict(one, X, y, cv=10)) for name, one in candidates.items()}
    assert found.select(names[0]).selected == max(pooled, key=lambda name: pooled[name])


def test_a_learner_that_is_updated_once_has_none():
    X, y = rare()
    once = OnePass(SGDClassifier(random_state=0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = heldout.validate(
            {"once": once, "bayes": GaussianNB()}, X, y, estimates=["E_cv"], further_estimates=["E_auc"]
        )
    assert "updated once" in found.failed["once"]
