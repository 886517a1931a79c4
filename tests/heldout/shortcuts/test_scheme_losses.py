"""The losses of whole schemes without fits are those of the fits; what is not exact is declined."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from heldout.estimates import PER_CANDIDATE
from heldout.estimates.methods import choose
from heldout.learners.fitting import fit_and_test
from heldout.learners.fitting import test as losses_on
from heldout.losses import choose_loss
from heldout.preprocessing import auto
from heldout.schemes import SchemeName
from heldout.schemes.design import Design
from heldout.shortcuts import Declined, find, known
from heldout.shortcuts.scheme_losses import ExactLosses, accelerated, check_independent, fit_and_test_accelerated
from heldout.splits.dependence import Dependence
from heldout.splits.partition import make_halves, make_partition
from heldout.splits.weights import Weights

N = 60
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 4))
CLASSES = (X[:, 0] + RNG.normal(size=N) > 0).astype(int) + (X[:, 1] > 0.5)
NUMBERS = X @ [1.0, 0.5, 0.0, -1.0] + RNG.normal(size=N)
SCHEMES: tuple[SchemeName, ...] = (
    *("holdout", "cross_validation", "progressive", "covalidation"),
    *("subsamples", "repeated_folds", "fold_pairs"),
)


def design(
    y, loss=None, weights=None, folds: int = 5, repeats: int = 1, dependence: Dependence | None = None
) -> Design:
    chosen = choose_loss(loss, y, weights)
    stratify = chosen.of_classes and folds < N
    return Design(
        y=y,
        loss=chosen,
        partition=make_partition(
            y, validation_fraction=0.2, folds=folds, tested_fraction=0.5, stratify=stratify, seed=3
        ),
        halves=make_halves(y, repeats=2, stratify=stratify, seed=3),
        block=3,
        stratify=stratify,
        seed=3,
        level=0.95,
        methods=choose(None, chosen),
        estimates=PER_CANDIDATE,
        fold_repeats=repeats,
        weights=Weights.of(weights),
        **({} if dependence is None else {"dependence": dependence}),
    )


def exact_losses(learner, rows, made: Design, scheme: SchemeName):
    return ExactLosses.of(learner, rows, made.y, made.loss, made.weights).on(made.of_scheme(scheme))


def assert_same(learner, made: Design, scheme: SchemeName) -> None:
    got, training = exact_losses(learner, X, made, scheme)
    splits = made.splits(scheme)
    fits = [fit_and_test(learner, X, made.y, split, made.loss, 0, made.weights) for split in splits]
    for losses, fit in zip(got, fits, strict=True):
        np.testing.assert_allclose(losses, fit.losses, rtol=1e-9, atol=1e-9)
    assert len(training) == (len(splits) if scheme == "covalidation" else 0)
    for losses, fit, split in zip(training, fits, splits, strict=False):
        wanted = losses_on(fit.hypothesis, X, made.y, split.train, made.loss)
        np.testing.assert_allclose(losses, wanted, rtol=1e-9, atol=1e-9)


LEARNERS = [
    (GaussianNB(), CLASSES, None),
    (GaussianNB(), CLASSES, "log"),
    (GaussianNB(), CLASSES, "brier"),
    (NearestCentroid(), CLASSES, "balanced"),
    (Ridge(), NUMBERS, None),
    (Ridge(alpha=0.1), NUMBERS, "absolute"),
    (make_pipeline(StandardScaler(), Ridge()), NUMBERS, None),
    (make_pipeline(StandardScaler(), GaussianNB()), CLASSES, "log"),
    (make_pipeline(MinMaxScaler(), LinearDiscriminantAnalysis()), CLASSES, None),
]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("learner", "y", "loss"), LEARNERS)
def test_every_scheme_has_the_losses_of_its_fits(scheme, learner, y, loss):
    assert_same(learner, design(y, loss), scheme)


@pytest.mark.slow
@pytest.mark.parametrize("learner", [GaussianNB(), Ridge(), make_pipeline(StandardScaler(), Ridge())])
@pytest.mark.parametrize("scheme", ["cross_validation", "progressive", "subsamples", "covalidation"])
def test_so_have_leave_one_out_repeated_folds_and_weights(learner, scheme):
    y = CLASSES if is_classifier(learner) else NUMBERS
    assert_same(learner, design(y, folds=N), scheme)
    assert_same(learner, design(y, repeats=3), scheme)
    assert_same(learner, design(y, weights=RNG.random(N) + 0.5), scheme)


def test_dependent_rows_are_declined():
    grouped = Dependence(group=np.arange(N) // 2)
    with pytest.raises(Declined, match="rows depend on each other"):
        check_independent(design(CLASSES, dependence=grouped).of_scheme("cross_validation"))


@pytest.mark.parametrize("kind", ["str", "category", "bool", "Int64"])
def test_a_table_of_other_than_numbers_is_declined(kind):
    frame = pd.DataFrame(X).assign(other=pd.Series([0, 1] * (N // 2)).astype(kind))
    with pytest.raises(Declined, match="no table of numbers in memory"):
        exact_losses(GaussianNB(), frame, design(CLASSES), "cross_validation")


def test_a_data_frame_of_numbers_is_as_good_as_an_array():
    made = design(CLASSES)
    both = (exact_losses(GaussianNB(), rows, made, "progressive")[0] for rows in (X, pd.DataFrame(X)))
    pairs = zip(*both, strict=True)
    assert all((first == second).all() for first, second in pairs)


@pytest.mark.parametrize("learner", [GaussianNB(), Ridge()])
def test_a_data_frame_of_numbers_is_seen_through_the_projects_own_preprocessing(learner):
    made = design(CLASSES if is_classifier(learner) else NUMBERS)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(e=np.arange(N) % 7)
    whole = make_pipeline(auto(learner), learner)
    for split, losses in zip(
        made.splits("cross_validation"), exact_losses(whole, frame, made, "cross_validation")[0], strict=True
    ):
        wanted = fit_and_test(whole, frame, made.y, split, made.loss, 0, made.weights).losses
        np.testing.assert_allclose(losses, wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "learner",
    [
        *(LinearRegression(), Ridge(), RidgeClassifier(), KernelRidge(), GaussianProcessRegressor(optimizer=None)),
        *(KNeighborsClassifier(), KNeighborsRegressor(), GaussianNB(), BernoulliNB(), MultinomialNB(), ComplementNB()),
        *(CategoricalNB(), NearestCentroid(), LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis()),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_each_family_is_found_by_its_learner(learner):
    assert known(learner)
    counts = np.tile(RNG.integers(0, 3, size=(N // 2, 4)), (2, 1)).astype(float)
    rows, y = (counts, CLASSES) if type(learner).__module__.endswith("naive_bayes") else (X, CLASSES)
    answers = find(learner, rows, y if is_classifier(learner) else NUMBERS).folds(np.arange(N) % 5)
    assert (N,) == answers.shape


def test_a_learner_without_a_shortcut_is_declined_by_its_name():
    assert not known(LogisticRegression())
    with pytest.raises(Declined, match="LogisticRegression has no shortcut"):
        find(LogisticRegression(), X, CLASSES)


def test_a_subclass_is_another_learner():
    class Own(GaussianNB):
        pass

    assert known(GaussianNB())
    assert not known(Own())
    with pytest.raises(Declined, match="Own has no shortcut"):
        find(Own(), X, CLASSES)


def test_a_reason_begins_with_the_learner():
    with pytest.raises(Declined, match=r"^GaussianNB has|^GaussianNB was"):
        find(GaussianNB(), X.astype(np.float32), CLASSES)


@pytest.mark.parametrize(
    ("learner", "y", "loss"),
    [
        (SVC(), CLASSES, None),
    ],
)
@pytest.mark.parametrize("scheme", ["cross_validation", "covalidation"])
def test_a_fit_that_is_made_sooner_has_the_same_losses(learner, y, loss, scheme):
    own = design(y, loss)
    made = accelerated(learner, X, own.y, own.weights, 2)
    for split in own.splits(scheme):
        fitted, training = fit_and_test_accelerated(made, own.y, own.loss, split, 4, own=True)
        wanted = fit_and_test(learner, X, y, split, own.loss, 4)
        np.testing.assert_array_equal(fitted.losses, wanted.losses)
        assert fitted.warned == wanted.warned
        np.testing.assert_array_equal(training, losses_on(wanted.hypothesis, X, y, split.train, own.loss))


def test_what_has_nothing_to_gain_is_made_by_itself():
    assert accelerated(LogisticRegression(), X, CLASSES, None, 2) is None
    assert accelerated(SVC(), X, CLASSES, None, 1) is None
    with pytest.raises(Declined, match="without values"):
        accelerated(SVC(), X[:, :0], CLASSES, None, 2)
