"""Several labels a row, classes or numbers: the loss is the mean over the labels, and scikit-learn has the same."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_multilabel_classification
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import f1_score, hamming_loss, mean_absolute_error, mean_pinball_loss, mean_squared_error
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier, MultiOutputRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.errors import BadArgument, LearnerWarning, TargetWarning
from heldout.online import OnePass

X, LABELS = make_multilabel_classification(120, 5, n_classes=3, random_state=0)
RNG = np.random.default_rng(0)
NUMBERS = np.column_stack([X[:, 0] + RNG.normal(size=120), 10 * X[:, 1] - X[:, 2]])
CLASSIFIERS = {
    "tree": DecisionTreeClassifier(random_state=0),
    "near": KNeighborsClassifier(),
    "each": MultiOutputClassifier(LogisticRegression()),
    "chain": ClassifierChain(LogisticRegression()),
}
FAST = {name: CLASSIFIERS[name] for name in ("tree", "near")}
REGRESSORS = {"ridge": Ridge(), "near": KNeighborsRegressor(), "each": MultiOutputRegressor(Ridge())}
U = X[:40] + 0.1
FEW_FITS = {"E_cv": "Bayle within folds"}  # those of the folds alone


def validate(learners, y, **more):
    return heldout.validate(learners, X, y, progress=False, **{"repeats": 3, "unlabeled": U, **more})


def by_hand(learner, y, made, scheme, loss):
    """The mean of scikit-learn's number over the tested rows of a scheme."""
    splits = made.design.splits(scheme)
    found = [
        loss(y[one.validation], clone(learner).fit(X[one.train], y[one.train]).predict(X[one.validation]))
        for one in splits
    ]
    return np.average(found, weights=[len(one.validation) for one in splits])


@pytest.fixture(scope="module")
def made():
    return validate(CLASSIFIERS, LABELS, repeats=1, folds=5, intervals=FEW_FITS)


@pytest.mark.parametrize("scheme", ["holdout", "cross_validation", "progressive"])
def test_classes_err_by_the_hamming_loss_of_scikit_learn(scheme, made):
    estimate = {"holdout": "E_val", "cross_validation": "E_cv", "progressive": "E_prog"}[scheme]
    for name, learner in CLASSIFIERS.items():
        found = made[name][estimate]
        assert found.value == pytest.approx(by_hand(learner, LABELS, made, scheme, hamming_loss), abs=1e-12)
        assert 0 <= found.low <= found.value <= found.high <= 1


@pytest.mark.parametrize(
    ("loss", "theirs"),
    [
        ("squared", mean_squared_error),
        ("absolute", mean_absolute_error),
        ({"pinball": 0.9}, lambda y, said: mean_pinball_loss(y, said, alpha=0.9)),
        (lambda y, said: np.abs(y - said).max(axis=1), lambda y, said: np.abs(y - said).max(axis=1).mean()),
    ],
)
def test_numbers_err_by_the_mean_over_the_labels(loss, theirs):
    made = validate(REGRESSORS, NUMBERS, loss=loss, folds=5, estimates=["E_cv"], intervals=FEW_FITS)
    for name, learner in REGRESSORS.items():
        expected = by_hand(learner, NUMBERS, made, "cross_validation", theirs)
        assert made[name]["E_cv"].value == pytest.approx(expected, rel=1e-9)


def test_a_function_judges_all_labels_of_a_row_at_once(made):
    any_wrong = lambda y, said: (y != said).any(axis=1)  # noqa: E731
    whole = validate(FAST, LABELS, loss=any_wrong, folds=5, estimates=["E_cv"], intervals=FEW_FITS)
    expected = by_hand(FAST["tree"], LABELS, whole, "cross_validation", lambda y, said: (y != said).any(1).mean())
    assert whole["tree"]["E_cv"].value == pytest.approx(expected, abs=1e-12)
    assert whole["tree"]["E_cv"].value >= made["tree"]["E_cv"].value


@pytest.mark.parametrize(
    ("y", "learners", "loss", "dummy", "theirs"),
    [
        (LABELS, FAST, None, DummyClassifier(), hamming_loss),
        (NUMBERS, REGRESSORS, None, DummyRegressor(), mean_squared_error),
        (NUMBERS, REGRESSORS, "absolute", DummyRegressor(strategy="median"), mean_absolute_error),
    ],
)
def test_the_baseline_is_the_best_constant_of_each_label(y, learners, loss, dummy, theirs):
    made = validate(learners, y, loss=loss, folds=5, estimates=["E_cv"], intervals=FEW_FITS)
    [E_cv] = [one for one in made.baseline if one.estimate == "E_cv"]
    expected = by_hand(
        dummy if theirs is not hamming_loss else MultiOutputClassifier(dummy), y, made, "cross_validation", theirs
    )
    assert E_cv.value == pytest.approx(expected, rel=1e-9)


def test_the_disagreement_is_the_mean_over_the_labels(made):
    halves = made.target("near", "disagreement")
    pairs = zip(halves[::2], halves[1::2], strict=True)
    expected = np.mean([np.mean(first.predict(U) != second.predict(U)) for first, second in pairs])
    assert made["near"]["disagreement"].value == pytest.approx(expected, abs=1e-12)
    assert "E_dis" not in made["near"]  # what a disagreement of classes implies is known for one label


def test_numbers_disagree_by_the_mean_over_the_labels_and_e_dis_is_half_of_it():
    made = validate(REGRESSORS, NUMBERS, estimates=["disagreement", "E_dis"])
    halves = made.target("ridge", "disagreement")
    pairs = zip(halves[::2], halves[1::2], strict=True)
    expected = np.mean([np.mean((first.predict(U) - second.predict(U)) ** 2) for first, second in pairs])
    assert made["ridge"]["disagreement"].value == pytest.approx(expected, rel=1e-9)
    assert made["ridge"]["E_dis"].value == pytest.approx(expected / 2, rel=1e-9)


def test_a_label_next_to_its_copy_errs_as_the_label_alone():
    twice = np.column_stack([LABELS[:, 0]] * 2)
    of_both = {"estimates": ["E_val", "E_cv"], "intervals": FEW_FITS}
    alone, both = (
        validate({"near": KNeighborsClassifier()}, y, stratify=False, shortcuts="off", folds=5, **of_both)
        for y in (LABELS[:, 0], twice)
    )
    assert [one.value for one in alone.estimates] == pytest.approx([one.value for one in both.estimates], abs=1e-12)
    assert alone.losses("E_cv")["near"] == pytest.approx(both.losses("E_cv")["near"], abs=1e-12)


def test_leave_one_out_is_k_fold_with_k_n():
    first, near = LABELS[:40], KNeighborsClassifier()
    made = heldout.validate({"near": near}, X[:40], first, folds=40, estimates=["E_cv"], progress=False)
    expected = by_hand(near, first, made, "cross_validation", hamming_loss)
    assert made["near"]["E_cv"].value == pytest.approx(expected, abs=1e-12)


def test_labels_may_be_a_frame_a_sparse_matrix_lists_or_texts():
    near, few = {"near": KNeighborsClassifier()}, {"estimates": ["E_val", "E_2cv"]}
    ours = validate(near, LABELS, **few)
    texts = np.where(LABELS, "yes", "no")
    for y in (
        pd.DataFrame(LABELS, columns=list("abc")),
        sparse.csr_array(LABELS),
        LABELS.tolist(),
        LABELS.astype(bool),
        texts,
        pd.DataFrame(texts),
        texts.astype(object),
    ):
        assert ours.estimates == validate(near, y, **few).estimates


def test_all_that_is_asked_of_a_result_has_an_answer():
    made = validate(FAST, LABELS, margin=0.01)
    assert made.select().selected in FAST
    assert made.decide().verdict
    assert len(made.differences("tree")) == len(FAST)
    assert 5 == len(made.columns("tree", draws=2))
    assert len(made.hard_rows(10)) == 10
    assert made.more_rows("tree")
    assert made.bound("tree").value <= 1
    assert () == made.prediction_powered("tree")
    assert "share of wrong labels" in str(made)
    assert "share of wrong labels" in made._repr_html_()
    assert pickle.loads(pickle.dumps(made)) == made
    [near] = (
        one
        for one in made.metric(
            lambda y, said, sample_weight: f1_score(y, said, average="micro", sample_weight=sample_weight)
        ).estimates
        if one.candidate == "near"
    )
    assert 0 < near.value < 1
    with pytest.raises(BadArgument, match="one label a row"):
        made.prediction_sets(X[:2], "tree")


def test_the_report_of_several_labels(tmp_path):
    made = validate(FAST, LABELS, estimates=["E_val", "E_cv"])
    assert "share of wrong labels" in made.report(tmp_path / "report.html").read_text()


def test_groups_time_weights_and_several_processes():
    of, few = {"tree": CLASSIFIERS["tree"]}, {"estimates": ["E_val", "E_cv"], "folds": 5}
    assert validate(of, LABELS, n_jobs=2, **few) == validate(of, LABELS, **few)
    assert "groups" in validate(of, LABELS, groups=np.arange(120) // 3, **few)["tree"]["E_cv"].assumption
    assert validate(of, LABELS, time=np.arange(120), **few)["tree"]["E_cv"].value < 1
    weighted = validate(of, LABELS, sample_weight=RNG.random(120) + 0.5, **few)
    assert 0 < weighted["tree"]["E_cv"].value < 1


def test_a_learner_of_one_label_fails_and_the_others_go_on():
    with pytest.warns(LearnerWarning, match="bayes failed, and is left out"):
        made = validate({"bayes": GaussianNB(), "tree": DecisionTreeClassifier()}, LABELS, estimates=["E_val"])
    assert ("tree",) == made.candidates
    assert "1d" in made.failed["bayes"]
    assert (
        "boost"
        in validate(
            {"boost": HistGradientBoostingClassifier(max_iter=3), "tree": DecisionTreeClassifier()},
            LABELS,
            estimates=["E_val"],
        ).failed
    )


@pytest.mark.parametrize(
    ("learners", "y", "more", "message"),
    [
        (CLASSIFIERS, LABELS, {"loss": "log"}, "loss is log, but y has 3 labels a row; use one of zero_one, squared"),
        (
            CLASSIFIERS,
            LABELS,
            {"further_estimates": ["E_auc"]},
            "AUC is of classes, and the target holds several labels",
        ),
        (CLASSIFIERS, LABELS, {"estimates": ["E_dis"]}, "known for one label a row"),
        (CLASSIFIERS, NUMBERS, {}, "which is no class, but candidates['tree'] is a classifier"),
        ({"one": OnePass(GaussianNB())}, LABELS, {}, "a OnePass takes one label a row"),
        (CLASSIFIERS, np.where(LABELS == 1, np.nan, 0.0), {}, "y has a label that is missing"),
        (CLASSIFIERS, LABELS[:90], {}, "y has shape (90, 3); it must be (120,)"),
        (CLASSIFIERS, np.array([["a", 1.0]] * 120, dtype=object), {}, "y mixes labels of the types float, str"),
    ],
)
def test_what_is_not_for_several_labels_is_refused(learners, y, more, message):
    with pytest.raises(BadArgument) as caught:
        validate(learners, y, **more)
    assert message in str(caught.value)


def test_columns_of_two_kinds_are_refused_where_no_learner_says_which():
    class Silent:
        def fit(self, X, y):
            return self

        def predict(self, X):
            return np.zeros((len(X), 2))

        def get_params(self, deep=True):
            return {}

    with pytest.raises(
        BadArgument, match="by the labels the loss is zero_one for column 0 of y, and squared for column 1"
    ):
        validate({"silent": Silent()}, np.column_stack([LABELS[:, 0], NUMBERS[:, 1]]))


def test_the_classes_of_one_label_in_columns_have_a_warning():
    with pytest.warns(TargetWarning, match="give y.argmax"):
        validate({"near": KNeighborsClassifier()}, np.eye(3)[LABELS.sum(axis=1).clip(0, 2)], estimates=["E_val"])
