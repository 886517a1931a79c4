"""A one-parameter family: what it chooses, what its errors are, and that it is a learner like any other."""

import io
import re

import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io
from scipy.sparse import csr_matrix
from scipy.stats import beta
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier, SGDRegressor
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from heldout import seeds
from heldout.errors import BadArgument
from heldout.family import ROWS_A_DEGREE, TunedEstimator, check
from heldout.intervals import wilson
from heldout.learners import open_random_states, seeded
from heldout.selection.bbc import corrected
from heldout.splits.partition import can_stratify, cut

X, y = make_classification(120, 6, n_informative=3, flip_y=0.2, random_state=2)
U, v = make_regression(90, 4, noise=20.0, random_state=2)
EPOCHS = [1, 2, 5, 9]
PENALTIES = [10.0, 1.0, 0.1, 0.01]
TREE = DecisionTreeClassifier(random_state=0)
DEPTHS = [1, 2, 3, 6]

FAMILIES = {
    "epochs": (TunedEstimator(SGDClassifier(random_state=0), "epochs", EPOCHS), X, y),
    "epochs of a regressor": (
        TunedEstimator(SGDRegressor(random_state=0, eta0=1e-3), "epochs", EPOCHS, random_state=5),
        StandardScaler().fit_transform(U),
        v,
    ),
    "penalty": (TunedEstimator(SGDClassifier(random_state=0), "alpha", PENALTIES, validation_fraction=0.4), X, y),
    "depth": (TunedEstimator(TREE, "max_depth", DEPTHS, random_state=3), X, y),
    "ridge": (TunedEstimator(Ridge(), "alpha", PENALTIES), U, v),
}
every_family = pytest.mark.parametrize(("family", "X", "y"), FAMILIES.values(), ids=FAMILIES)


def parts(family, y) -> tuple[np.ndarray, np.ndarray]:
    """The rows of the path that are trained on, and those that are tested."""
    size = round(len(y) * family.validation_fraction)
    state = seeds.random_state(family.random_state or 0, "path")
    mask = cut(y, size, stratify=is_classifier(family) and can_stratify(y, size), random_state=state)
    return np.flatnonzero(~mask), np.flatnonzero(mask)


def plain(family, value, X, y, rows):
    """The learner at one value, fitted on `rows` by a plain loop."""
    learner = clone(family.learner)
    if family.parameter != "epochs":
        return learner.set_params(**{family.parameter: value}).fit(X[rows], y[rows])
    for _ in range(value):
        learner.partial_fit(X[rows], y[rows], **({"classes": np.unique(y)} if is_classifier(learner) else {}))
    return learner


def loss(family, y, predicted) -> np.ndarray:
    return (predicted != y).astype(float) if is_classifier(family) else (predicted - y) ** 2


def along(family, X, y, rows):
    """The hypotheses of the path, by a plain loop; a stochastic linear learner goes on from where it was."""
    if "warm_start" in family.learner.get_params() and family.parameter == "alpha":
        learner = clone(family.learner).set_params(warm_start=True)
        for value in family.values:
            yield learner.set_params(alpha=value).fit(X[rows], y[rows])
    else:
        yield from (plain(family, value, X, y, rows) for value in family.values)


@every_family
def test_the_errors_along_the_path_are_those_of_a_plain_loop_on_the_same_rows(family, X, y):
    path = clone(family).fit(X, y).path_
    trained, tested = parts(family, y)
    assert (len(tested), tuple(family.values)) == (path.validated_on, path.values)
    for place, hypothesis in enumerate(along(family, X, y, trained)):
        errors = [loss(family, y[rows], hypothesis.predict(X[rows])).mean() for rows in (trained, tested)]
        assert errors == pytest.approx([path.training_errors[place], path.validation_errors[place]], rel=1e-9)


@every_family
def test_what_is_delivered_is_the_chosen_value_fitted_on_all_rows(family, X, y):
    fitted = clone(family).fit(X, y)
    expected = plain(family, fitted.path_.chosen, X, y, np.arange(len(y)))
    assert expected.predict(X).tolist() == fitted.predict(X).tolist()


@every_family
def test_the_choice_is_the_least_validation_error(family, X, y):
    path = clone(family).fit(X, y).path_
    assert path.validation_errors.min() == path.validation_errors[path.values.index(path.chosen)]


def test_of_equal_errors_the_first_is_chosen():
    apart = np.where(y[:, None] == 1, 5.0, -5.0) + np.zeros((1, 2))
    for values in (DEPTHS, DEPTHS[::-1]):
        path = TunedEstimator(TREE, "max_depth", values).fit(apart, y).path_
        assert [0.0] * 4 == path.validation_errors.tolist()
        assert values[0] == path.chosen


def test_a_path_from_warm_starts_ends_where_plain_fits_do():
    learner = LogisticRegression(tol=1e-8, max_iter=5000)
    family = TunedEstimator(learner, "C", [0.01, 0.1, 1.0, 10.0])
    trained, _ = parts(family, y)
    for value, hypothesis in zip(family.values, family._along(X[trained], y[trained], np.unique(y)), strict=True):
        expected = clone(learner).set_params(C=value).fit(X[trained], y[trained])
        assert expected.coef_.ravel().tolist() == pytest.approx(hypothesis.coef_.ravel().tolist(), abs=1e-3)
        assert expected.predict(X).tolist() == hypothesis.predict(X).tolist()
    started_late = hypothesis.n_iter_[0]
    assert started_late < clone(learner).set_params(C=10.0).fit(X[trained], y[trained]).n_iter_[0]


@pytest.mark.parametrize(
    ("learner", "parameter", "values"),
    [
        (RandomForestClassifier(5, random_state=0), "max_depth", [1, 2, 6]),
        (HistGradientBoostingClassifier(max_iter=3, random_state=0), "learning_rate", [0.01, 0.5]),
        (MLPClassifier((4,), max_iter=5, random_state=0), "alpha", [1.0, 0.1]),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
def test_a_learner_that_would_keep_what_it_has_learned_starts_afresh_at_every_value(learner, parameter, values):
    family = TunedEstimator(learner, parameter, values)
    path = clone(family).fit(X, y).path_
    trained, tested = parts(family, y)
    expected = [np.mean(plain(family, value, X, y, trained).predict(X[tested]) != y[tested]) for value in values]
    assert expected == path.validation_errors.tolist()


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_corrected_error_is_that_of_the_bootstrap_over_the_path(level):
    family = TunedEstimator(TREE, "max_depth", DEPTHS, level=level)
    path = clone(family).fit(X, y).path_
    trained, tested = parts(family, y)
    losses = [plain(family, value, X, y, trained).predict(X[tested]) != y[tested] for value in DEPTHS]
    table = np.array(losses, dtype=float)
    found, chosen = corrected(table, 0), table[table.mean(axis=1).argmin()]
    assert found.error == path.corrected
    r = min(found.losses.var() / chosen.var(), 1)
    low, high = (wilson.roots(centre, len(tested) / ((1 + r) / 2), level) for centre in (chosen.mean(), found.error))
    assert (low[0], high[1]) == pytest.approx((path.interval.low, path.interval.high), abs=1e-12)
    assert level == path.interval.level


@pytest.mark.parametrize("count", [2, 4, 40])
def test_the_bound_pays_for_the_values_but_never_for_more_than_one_degree_of_freedom(count):
    values = list(range(1, count + 1))
    path = TunedEstimator(TREE, "max_depth", values).fit(X, y).path_
    models = min(count, 24 + 1)  # K = 24 rows can be separated in K + 1 ways
    errors = round(24 * path.validation_errors.min())
    assert beta.isf(0.05 / models, errors + 1, 24 - errors) == pytest.approx(path.bound, rel=1e-12)


def test_numbers_have_no_bound():
    assert TunedEstimator(Ridge(), "alpha", PENALTIES).fit(U, v).path_.bound is None


def test_on_labels_that_mean_nothing_the_least_error_is_optimistic_and_the_corrected_one_less_so():
    least, corrected = [], []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        nothing = rng.normal(size=(100, 5)), rng.integers(0, 2, 100)
        path = TunedEstimator(TREE, "max_depth", [1, 2, 3, 4, 5, 6, 7, 8], random_state=seed).fit(*nothing).path_
        least.append(path.validation_errors.min())
        corrected.append(path.corrected)
    assert np.mean(least) < 0.45
    assert np.mean(least) + 0.03 < np.mean(corrected)
    assert abs(np.mean(corrected) - 0.5) < abs(np.mean(least) - 0.5)


@pytest.mark.parametrize(("rows", "many"), [(2 * ROWS_A_DEGREE - 2, True), (2 * ROWS_A_DEGREE, False)])
def test_one_degree_of_freedom_is_many_for_few_rows(rows, many):
    path = (
        TunedEstimator(GaussianNB(), "var_smoothing", [1.0, 0.1], validation_fraction=0.5).fit(X[:rows], y[:rows]).path_
    )
    assert (rows // 2, many) == (path.validated_on, path.degrees_are_many)


@pytest.mark.parametrize(
    ("learner", "parameter", "values", "message"),
    [
        (TREE, "max_depth", [3], "values is [3]; a family needs at least 2"),
        (TREE, "max_depth", [], "values is []; a family needs at least 2"),
        (SVC(), "epochs", [1, 2], "parameter is epochs, but SVC has no partial_fit"),
        (SGDClassifier(), "epochs", [2, 1], "values is [2, 1]; epochs must be ascending whole numbers from 1"),
        (SGDClassifier(), "epochs", [1, 1], "values is [1, 1]; epochs must be ascending whole numbers from 1"),
        (SGDClassifier(), "epochs", [0, 1], "values is [0, 1]; epochs must be ascending whole numbers from 1"),
        (SGDClassifier(), "epochs", [1, 2.0], "values is [1, 2.0]; epochs must be ascending whole numbers from 1"),
        (SGDClassifier(), "epochs", [True, 2], "values is [True, 2]; epochs must be ascending whole numbers from 1"),
        (GaussianNB(), "smoothing", [1, 2], "parameter is 'smoothing'; it must be epochs, or one of GaussianNB's "),
    ],
)
def test_a_path_that_the_learner_cannot_take_is_refused(learner, parameter, values, message):
    with pytest.raises(BadArgument, match=f"^{re.escape(message)}"):
        check(learner, parameter, values)
    with pytest.raises(BadArgument, match=f"^{re.escape(message)}"):
        TunedEstimator(learner, parameter, values).fit(X, y)


@pytest.mark.parametrize("fraction", [0.0, 1.0])
def test_a_fraction_outside_of_its_limits_is_refused(fraction):
    with pytest.raises(BadArgument, match=f"^validation_fraction is {fraction}; "):
        TunedEstimator(TREE, "max_depth", DEPTHS, validation_fraction=fraction).fit(X, y)


def test_a_nested_parameter_may_be_the_one():
    path = (
        TunedEstimator(make_pipeline(StandardScaler(), TREE), "decisiontreeclassifier__max_depth", DEPTHS)
        .fit(X, y)
        .path_
    )
    assert (
        TunedEstimator(TREE, "max_depth", DEPTHS).fit(X, y).path_.validation_errors.tolist()
        == path.validation_errors.tolist()
    )


@every_family
def test_it_can_be_cloned_and_a_fit_leaves_learner_and_values_alone(family, X, y):
    before = repr(family)
    copy = clone(family).fit(X, y)
    assert before == repr(family) == repr(clone(copy))
    assert not hasattr(family.learner, "classes_")
    assert not hasattr(copy.learner, "classes_")
    with pytest.raises(NotFittedError):
        family.predict(X)


@every_family
def test_two_fits_are_the_same(family, X, y):
    one, other = (clone(family).fit(X, y) for _ in range(2))
    assert one.path_.validation_errors.tolist() == other.path_.validation_errors.tolist()
    assert one.predict(X).tolist() == other.predict(X).tolist()


@every_family
def test_it_is_of_the_kind_of_its_learner(family, X, y):
    assert (is_classifier(family.learner), is_regressor(family.learner)) == (
        is_classifier(family),
        is_regressor(family),
    )
    scoring = "accuracy" if is_classifier(family) else "neg_mean_squared_error"
    assert np.isfinite(cross_val_score(clone(family), X, y, cv=3, scoring=scoring)).all()


def stored(fitted, how):
    if how == "joblib":
        buffer = io.BytesIO()
        joblib.dump(fitted, buffer)
        buffer.seek(0)
        return joblib.load(buffer)
    data = skops.io.dumps(fitted)
    return skops.io.loads(data, trusted=skops.io.get_untrusted_types(data=data))


@pytest.mark.parametrize("how", ["joblib", "skops"])
@every_family
def test_it_is_stored_and_loaded_with_its_path(family, X, y, how):
    fitted = clone(family).fit(X, y)
    loaded = stored(fitted, how)
    assert fitted.predict(X).tolist() == loaded.predict(X).tolist()
    assert repr(fitted) == repr(loaded)
    for name, value in vars(fitted.path_).items():
        assert np.array_equal(value, getattr(loaded.path_, name))


def test_probabilities_are_those_of_the_chosen_hypothesis_where_the_learner_has_any():
    fitted = TunedEstimator(TREE, "max_depth", DEPTHS).fit(X, y)
    assert fitted.hypothesis_.predict_proba(X).tolist() == fitted.predict_proba(X).tolist()
    assert not hasattr(TunedEstimator(SGDClassifier(), "alpha", PENALTIES), "predict_proba")  # of the hinge loss
    by_hinge = TunedEstimator(SGDClassifier(random_state=0), "alpha", PENALTIES).fit(X, y)
    assert by_hinge.hypothesis_.decision_function(X).tolist() == by_hinge.decision_function(X).tolist()
    assert hasattr(TunedEstimator(SGDClassifier(loss="log_loss"), "alpha", PENALTIES), "predict_proba")


def test_classes_may_be_texts_and_one_may_be_too_rare_for_the_path():
    names = np.array(["lost", "won", "drawn"])[np.where(np.arange(120) == 7, 2, y)]
    for family in (
        TunedEstimator(SGDClassifier(random_state=0), "epochs", EPOCHS),
        TunedEstimator(TREE, "max_depth", DEPTHS),
    ):
        fitted = family.fit(X, names)
        assert ["drawn", "lost", "won"] == fitted.classes_.tolist()
        assert {*fitted.predict(X)} <= {"drawn", "lost", "won"}


@pytest.mark.parametrize("container", [pd.DataFrame, csr_matrix, np.asfortranarray])
def test_rows_may_come_in_any_container(container):
    family = TunedEstimator(TREE, "max_depth", DEPTHS)
    expected, found = clone(family).fit(X, y), clone(family).fit(container(X), y)
    assert expected.path_.validation_errors.tolist() == pytest.approx(found.path_.validation_errors.tolist())
    assert expected.predict(X).tolist() == found.predict(container(X)).tolist()


def test_behind_preprocessing_its_path_is_that_of_the_transformed_rows():
    family = TunedEstimator(SGDClassifier(random_state=0), "alpha", PENALTIES)
    behind = make_pipeline(StandardScaler(), clone(family)).fit(X, y)
    alone = clone(family).fit(StandardScaler().fit_transform(X), y)
    assert alone.path_.validation_errors.tolist() == behind[-1].path_.validation_errors.tolist()
    assert alone.predict(StandardScaler().fit_transform(X)).tolist() == behind.predict(X).tolist()


def test_its_own_random_state_decides_which_rows_are_held_out_and_is_open_to_the_seed():
    family = TunedEstimator(DecisionTreeClassifier(max_features=1), "max_depth", DEPTHS)
    assert {"random_state", "learner__random_state"} == {*open_random_states(family)}
    closed = seeded(family, 7)
    assert (7, 7) == (closed.random_state, closed.learner.random_state)
    errors = {tuple(seeded(family, state).fit(X, y).path_.validation_errors) for state in range(5)}
    assert len(errors) > 1
    assert {**parts_by_state(0)} != {**parts_by_state(1)}


def parts_by_state(state: int) -> dict[int, int]:
    return dict(enumerate(parts(TunedEstimator(TREE, "max_depth", DEPTHS, random_state=state), y)[1].tolist()))
