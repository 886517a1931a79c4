"""Whether more or less of a metric is better is known, or asked for: the worse candidate is never the better one."""

import inspect
from functools import partial

import numpy as np
import pytest
import sklearn.metrics
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import (
    accuracy_score,
    get_scorer,
    get_scorer_names,
    hamming_loss,
    log_loss,
    make_scorer,
    mean_absolute_error,
    roc_auc_score,
)
from sklearn.naive_bayes import GaussianNB

import heldout
from heldout.errors import BadArgument

# labels, answers of a better and of a worse candidate: classes, numbers, and what ranks the rows by the second class
PROBLEMS = {
    "classes": (np.array([0, 0, 1, 1, 1]), np.array([0, 0, 1, 1, 0]), np.array([0, 1, 0, 1, 0])),
    "numbers": (np.arange(1.0, 6), np.arange(1.0, 6) + 0.1, np.arange(5.0, 0, -1)),
    "ranks": (np.array([0, 0, 1, 1, 1]), np.linspace(0.05, 0.95, 5), np.array([0.6, 0.2, 0.3, 0.8, 0.4])),
}
FUNCTIONS = [name for name in sklearn.metrics.__all__ if inspect.isfunction(getattr(sklearn.metrics, name))]
COMPARED = {  # those of them that are compared: with a scikit-learn that has more, they are compared too or refused
    *("accuracy_score", "average_precision_score", "balanced_accuracy_score", "brier_score_loss", "cohen_kappa_score"),
    *("d2_absolute_error_score", "d2_log_loss_score", "d2_pinball_score", "d2_tweedie_score"),
    *("explained_variance_score", "f1_score", "hamming_loss", "hinge_loss", "jaccard_score", "log_loss"),
    *("matthews_corrcoef", "mean_absolute_error", "mean_absolute_percentage_error", "mean_gamma_deviance"),
    *("mean_pinball_loss", "mean_poisson_deviance", "mean_squared_error", "mean_squared_log_error"),
    *("mean_tweedie_deviance", "median_absolute_error", "precision_score", "r2_score", "recall_score", "roc_auc_score"),
    *("root_mean_squared_error", "root_mean_squared_log_error", "zero_one_loss"),
}


def errors(metric, y, *said):
    """The errors of a better and a worse candidate; None where the metric is refused."""
    table = {"label": y, **dict(zip(("better", "worse"), said, strict=True))}
    try:
        found = heldout.from_predictions(table, answer=["better", "worse"], metric=metric)
    except BadArgument:
        return None
    return [one.value for one in found.estimates]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_of_scikit_learn_has_the_right_direction_or_is_refused(name):
    found = [errors(getattr(sklearn.metrics, name), *problem) for problem in PROBLEMS.values()]
    assert all(values[0] <= values[1] for values in found if values is not None)
    compared = any(values is not None and values[0] < values[1] for values in found)
    assert compared or name not in COMPARED


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", get_scorer_names())
def test_a_scorer_of_scikit_learn_has_the_right_direction_or_is_refused(name):
    problem = PROBLEMS["numbers" if "error" in name or "deviance" in name else "ranks"]
    values = errors(get_scorer(name), *problem)
    assert values is None or values[0] <= values[1]
    if name in ("neg_log_loss", "neg_brier_score", "roc_auc", "average_precision", "neg_mean_squared_error"):
        assert values[0] < values[1]


@pytest.mark.parametrize("name", get_scorer_names())
def test_a_name_of_scikit_learn_is_that_of_an_estimate_or_refused(made, name):
    try:
        values = {one.candidate: one.value for one in made.metric(name).estimates}
    except BadArgument:
        values = {"line": 0.0, "constant": 1.0}
    assert values["line"] < values["constant"]


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(24, 2))
    y = (X[:, 0] + 0.3 * rng.normal(size=24) > 0).astype(int)
    learners = {"line": LogisticRegression(), "constant": LogisticRegression(C=1e-9)}
    return heldout.validate(learners, X, y, estimates=["E_cv"], folds=2, progress=False)


def spread(y, said, sample_weight):
    return float(np.average(abs(y - said), weights=sample_weight))


def gain(y, said, sample_weight):
    """More is better, and not 1 at best."""
    return float(np.average(y * said, weights=sample_weight)) / 10


def test_a_function_whose_direction_nothing_says_is_asked_for():
    y, better, worse = (values / 7 for values in PROBLEMS["numbers"])
    assert errors(spread, y, better, worse) is None
    assert errors(gain, y, better, worse) is None
    expected = errors(mean_absolute_error, y, better, worse)
    assert errors(make_scorer(spread, greater_is_better=False), y, better, worse) == pytest.approx(expected, abs=1e-9)
    values = [1 - gain(y, said, None) for said in (better, worse)]
    assert errors(make_scorer(gain), y, better, worse) == pytest.approx(values, abs=1e-12)
    with pytest.raises(BadArgument, match=r"spread, which is 0 for .*make_scorer\(spread, greater_is_better=False\)"):
        heldout.from_predictions({"label": y, "a": worse}, answer=["a"], metric=spread)


def test_a_loss_is_its_own_error_with_the_same_terms():
    y, *said = (np.array(["ill", "well"])[values] for values in PROBLEMS["classes"])
    table = {"label": y, "a": said[0], "b": said[1], "weight": np.arange(1.0, 6)}
    asked = {"answer": ["a", "b"], "weight": "weight"}
    loss = heldout.from_predictions(table, metric=hamming_loss, **asked)
    metric = heldout.from_predictions(table, metric=accuracy_score, **asked)
    for one, other, answers in zip(loss.estimates, metric.estimates, said, strict=True):
        assert one.value == pytest.approx(hamming_loss(y, answers, sample_weight=table["weight"]), abs=1e-12)
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-9)
    assert loss.estimates[0].estimate == "E_hamming_loss"
    assert loss.select().selected == metric.select().selected == "a"


def test_a_loss_may_be_above_1():
    y, better, worse = PROBLEMS["numbers"]
    values = errors(partial(mean_absolute_error), y, better, worse)
    assert values == pytest.approx([0.1, 2.4])


def test_a_scorer_says_what_it_asks_of_a_hypothesis(made):
    scorer, splits = get_scorer("neg_log_loss"), made.design.splits("cross_validation")
    X = made._fits["line"].X
    for one in made.metric(scorer).estimates:
        hypotheses = made.target(one.candidate, "E_cv")
        of_folds = [
            log_loss(made.design.y[split.validation], hypothesis.predict_proba(X[split.validation]))
            for split, hypothesis in zip(splits, hypotheses, strict=True)
        ]
        assert one.value == pytest.approx(np.mean(of_folds), abs=1e-9)
    of_ranks = made.metric(roc_auc_score, needs="ranks").estimates
    assert made.metric(get_scorer("roc_auc")).estimates == of_ranks


def test_a_scorer_that_ranks_is_not_for_numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    found = heldout.validate({"ridge": Ridge()}, X, X[:, 0], estimates=["E_cv"], folds=3, progress=False)
    with pytest.raises(BadArgument, match="y has no classes"):
        found.metric(get_scorer("roc_auc"))
    assert found.metric(get_scorer("neg_mean_absolute_error")).estimates[0].value == pytest.approx(
        found.metric("MAE").estimates[0].value, abs=1e-9
    )


def test_a_metric_of_three_classes_is_1_where_each_has_probability_1():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    y = np.digitize(X[:, 0], [-0.4, 0.4])
    found = heldout.validate({"bayes": GaussianNB()}, X, y, estimates=["E_cv"], folds=2, progress=False)
    assert found.metric(partial(roc_auc_score, multi_class="ovr"), needs="ranks").estimates[0].value < 0.2
