"""One fit, tested: equal to the plain loop, and never silent about a failure."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

from heldout.errors import FitFailure
from heldout.learners import fitting
from heldout.learners.fitting import answers, fit_and_test, predict, probabilities
from heldout.learners.fitting import test as losses_on  # a name that pytest does not collect
from heldout.losses import ABSOLUTE, SQUARED, ZERO_ONE, choose_loss
from heldout.rows.frames import take
from heldout.splits.split import Split

X, y = make_classification(n_samples=40, n_features=4, flip_y=0.3, random_state=0)
SPLIT = Split(train=np.arange(0, 40, 2), validation=np.arange(1, 40, 2))


class Predicts(BaseEstimator):
    """Predicts `function(n)` for n rows, after a fit that does nothing."""

    def __init__(self, function):
        self.function = function

    def fit(self, X, y):
        return self

    def predict(self, X):
        return self.function(X.shape[0])


def raises(*arguments):
    raise OSError("disk is full\nand more")


class NeverFits(Predicts):
    def fit(self, X, y):
        raises()


@pytest.mark.parametrize(
    ("learner", "target", "loss", "error"),
    [
        (DecisionTreeClassifier(random_state=1), y, ZERO_ONE, lambda truth, predicted: truth != predicted),
        (Ridge(), X[:, 0] + 0.1 * y, SQUARED, lambda truth, predicted: (truth - predicted) ** 2),
        (Ridge(), X[:, 0] + 0.1 * y, ABSOLUTE, lambda truth, predicted: abs(truth - predicted)),
    ],
    ids=["classes", "squares", "distances"],
)
def test_fit_and_test_equals_the_plain_loop(learner, target, loss, error):
    hypothesis = learner.__class__(**learner.get_params()).fit(X[SPLIT.train], target[SPLIT.train])
    expected = [float(error(target[row], hypothesis.predict(X[[row]])[0])) for row in SPLIT.validation]
    # one row at a time or all at once: a dot product may be summed in another order
    assert expected == pytest.approx(
        fit_and_test(learner, X, target, SPLIT, loss, 0).losses.tolist(), rel=1e-9, abs=1e-15
    )


def test_the_hypothesis_is_the_one_that_was_tested():
    fitted = fit_and_test(SVC(), X, y, SPLIT, ZERO_ONE, 0)
    expected = (fitted.hypothesis.predict(X[SPLIT.validation]) != y[SPLIT.validation]).astype(float)
    assert expected.tolist() == fitted.losses.tolist()
    assert expected.tolist() == losses_on(fitted.hypothesis, X, y, SPLIT.validation, ZERO_ONE).tolist()


def test_the_learner_itself_is_neither_fitted_nor_changed():
    learner = DecisionTreeClassifier(max_depth=2, random_state=1)
    before = dict(vars(learner))
    fit_and_test(learner, X, y, SPLIT, ZERO_ONE, 0)
    assert before == vars(learner)
    with pytest.raises(NotFittedError):
        check_is_fitted(learner)


def test_data_are_left_as_they_were():
    copies = X.copy(), y.copy()
    fit_and_test(Ridge(), X, y, SPLIT, SQUARED, 0)
    assert copies[0].tobytes() == X.tobytes()
    assert copies[1].tobytes() == y.tobytes()


@pytest.mark.parametrize(
    "container",
    [lambda X: pd.DataFrame(X, index=range(100, 140)), scipy.sparse.csr_array, scipy.sparse.csc_matrix],
    ids=["DataFrame", "csr_array", "csc_matrix"],
)
def test_frames_and_sparse_matrices_give_the_losses_of_the_array(container):
    tree = DecisionTreeClassifier(random_state=1)
    expected = fit_and_test(tree, X, y, SPLIT, ZERO_ONE, 0).losses.tolist()
    assert expected == fit_and_test(tree, container(X), y, SPLIT, ZERO_ONE, 0).losses.tolist()


def test_rows_are_taken_by_position_and_a_frame_stays_a_frame():
    frame = pd.DataFrame({"a": [1, 2, 3]}, index=[2, 1, 0])
    assert [3, 1] == take(frame, np.array([2, 0]))["a"].tolist()
    assert ["a"] == list(take(frame, np.array([0])).columns)


@pytest.mark.parametrize("learner", [NeverFits(None), Predicts(raises)], ids=["fit", "predict"])
def test_a_learner_that_raises_is_a_fit_failure_with_its_own_reason(learner):
    with pytest.raises(FitFailure, match="^OSError: disk is full$") as caught:
        fit_and_test(learner, X, y, SPLIT, ZERO_ONE, 0)
    assert OSError is type(caught.value.__cause__)


class Speaks(Predicts):
    """Raises what its parameter makes, in a fit."""

    def fit(self, X, y):
        raise self.function()


def unspeakable():
    def speak(error):
        raise SystemExit("no word")

    return type("[/luck]\x1b[2J", (Exception,), {"__str__": speak})()


@pytest.mark.fault("learner")
@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (lambda: SystemExit("enough"), "SystemExit: enough"),
        (lambda: ValueError("[/luck]\x1b[2J\x07\u202e<b>\nsecond line"), r"ValueError: [/luck]\x1b[2J\x07\u202e<b>"),
        (lambda: ValueError("long " * 200_000), f"ValueError: {'long ' * 100} …"),
        (unspeakable, r"[/luck]\x1b[2J: no message"),
    ],
    ids=["it would end the notebook", "it would write on the terminal", "a megabyte", "it cannot be printed"],
)
def test_whatever_a_learner_raises_is_one_short_printable_line(error, reason):
    for learner, at in ((Speaks(error), SPLIT), (Predicts(lambda _: raises_this(error())), SPLIT)):
        with pytest.raises(FitFailure) as caught:
            fit_and_test(learner, X, y, at, ZERO_ONE, 0)
        assert reason == str(caught.value)
        assert reason == str(FitFailure(reason))


def raises_this(error):
    raise error


@pytest.mark.fault("learner")
def test_a_failure_of_any_length_is_cut_and_an_interruption_by_hand_passes():
    assert len(str(FitFailure("long " * 200_000))) < 700
    assert "\x1b" not in str(FitFailure("\x1b"))
    with pytest.raises(KeyboardInterrupt):
        fit_and_test(Speaks(KeyboardInterrupt), X, y, SPLIT, ZERO_ONE, 0)


def test_a_long_warning_is_one_short_printable_line():
    class Warns(Predicts):
        def fit(self, X, y):
            warnings.warn("\x1b" + "long " * 200_000, stacklevel=1)
            return self

    fitted = fit_and_test(Warns(np.zeros), X, y, SPLIT, ZERO_ONE, 0)
    ((_, long),) = fitted.warned
    assert long.startswith("\\x1blong")
    assert len(long) < 700


def test_a_hypothesis_that_cannot_predict_is_a_fit_failure():
    with pytest.raises(FitFailure, match="^NotFittedError: "):
        predict(SVC(), X)


def third_is(value):
    return lambda n: np.where(np.arange(n) == 2, value, 0.0)


@pytest.mark.parametrize("loss", [ZERO_ONE, SQUARED], ids=lambda loss: loss.name)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_prediction_that_is_not_finite_is_a_fit_failure_that_names_its_number(value, loss):
    with pytest.raises(FitFailure, match="^the prediction number 2 is not finite$"):
        fit_and_test(Predicts(third_is(value)), X, y, SPLIT, loss, 0)


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
def test_a_loss_that_is_not_finite_is_a_fit_failure_that_names_the_row():
    # the third row of the odd ones is row 5; the square of 1e200 is past the largest float
    with pytest.raises(FitFailure, match="^the squared loss of row 5 is not finite$"):
        fit_and_test(Predicts(third_is(1e200)), X, y, SPLIT, SQUARED, 0)


@pytest.mark.parametrize(
    ("function", "loss", "message"),
    [
        pytest.param(lambda n: np.full(n, np.nan), ZERO_ONE, "the prediction number 0 is not finite", id="NaN"),
        pytest.param(lambda n: np.zeros((n, 2)), ZERO_ONE, r"the predictions have shape \(20, 2\), not \(20,\)"),
        pytest.param(lambda n: np.zeros(n - 1), ZERO_ONE, r"the predictions have shape \(19,\), not \(20,\)"),
        pytest.param(lambda n: 0.0, SQUARED, r"the predictions have shape \(\), not \(20,\)"),
        pytest.param(lambda n: np.array(["a"] * n), ZERO_ONE, "the zero_one loss refuses the predictions: .+"),
        pytest.param(lambda n: np.array(["a"] * n), SQUARED, "the squared loss refuses the predictions: .+"),
    ],
)
def test_predictions_without_a_loss_are_a_fit_failure(function, loss, message):
    with pytest.raises(FitFailure, match=f"^{message}$"):
        fit_and_test(Predicts(function), X, y, SPLIT, loss, 0)


class Chances(Predicts):
    """Probabilities of the classes `says` in place of predictions."""

    def __init__(self, function, says=(0, 1)):
        super().__init__(function)
        self.says = says

    def predict_proba(self, X):
        return self.function(X.shape[0])

    @property
    def classes_(self):
        return np.array(self.says)


LOG = choose_loss("log", y)


def test_probabilities_are_put_into_the_columns_of_all_classes():
    of_two = Chances(lambda n: np.tile([0.25, 0.75], (n, 1)), says=(2, 0))
    assert [[0.75, 0.0, 0.25]] * 3 == probabilities(of_two, X[:3], np.array([0, 1, 2])).tolist()
    assert [1, 1] == answers(Chances(lambda n: np.ones(n)), X[:2], ZERO_ONE).tolist()
    assert np.float32 == probabilities(Chances(lambda n: np.float32([[0, 1]] * n)), X[:3], np.array([0, 1])).dtype


@pytest.mark.parametrize(
    ("hypothesis", "message"),
    [
        (Predicts(lambda n: np.ones(n)), "AttributeError: 'Predicts' object has no attribute 'predict_proba'"),
        (Chances(raises), "OSError: disk is full"),
        (Chances(lambda n: np.ones(n)), r"the probabilities have shape \(20,\), not \(20, 2\)"),
        (Chances(lambda n: np.ones((n, 3)) / 3), r"the probabilities have shape \(20, 3\), not \(20, 2\)"),
        (
            Chances(lambda n: np.tile([0.5, 0.5], (n, 1)), (0, 7)),
            "class 7 of the hypothesis is the class of no labelled row",
        ),
        (
            Chances(lambda n: np.where(np.arange(n)[:, None] == 2, np.nan, 0.5) * np.ones((n, 2))),
            r"the probabilities of row 2 are \[nan, nan\], which are no distribution",
        ),
        (
            Chances(lambda n: np.tile([1.5, -0.5], (n, 1))),
            r"the probabilities of row 0 are \[1.5, -0.5\], which are no distribution",
        ),
        (Chances(lambda n: np.ones((n, 2))), r"the probabilities of row 0 are \[1.0, 1.0\], which are no distribution"),
    ],
)
def test_what_is_no_distribution_is_a_fit_failure(hypothesis, message):
    with pytest.raises(FitFailure, match=f"^{message}$"):
        losses_on(hypothesis, X, y, SPLIT.validation, LOG)


@pytest.mark.parametrize("of", [np.asarray, pd.DataFrame, scipy.sparse.csr_array], ids=["array", "frame", "sparse"])
@pytest.mark.parametrize("loss", [None, "log"])
@pytest.mark.parametrize("rows", [None, np.arange(39, 2, -2)], ids=["all", "some"])
def test_answers_in_pieces_are_those_of_all_rows_at_once(of, loss, rows, monkeypatch):
    data, judged = of(X), choose_loss(loss, y)
    hypothesis = DecisionTreeClassifier(max_depth=2, random_state=0).fit(data, y)
    expected = answers(hypothesis, data, judged, rows)
    monkeypatch.setattr(fitting, "ROWS_AT_ONCE", 7)
    asked = []
    name = "predict" if loss is None else "probabilities"
    whole = getattr(fitting, name)
    monkeypatch.setattr(fitting, name, lambda of, some, *more: (asked.append(some.shape[0]), whole(of, some, *more))[1])
    assert expected.tolist() == answers(hypothesis, data, judged, rows).tolist()
    assert (len(expected), 7) == (sum(asked), max(asked))


THREE = np.repeat(["a", "b", "c"], len(X) // 3 + 1)[: len(X)]


def test_scores_have_a_column_for_each_class_in_the_order_of_the_classes():
    of_two = SVC().fit(X, y)
    given = of_two.decision_function(X)
    assert np.column_stack([-given, given]).tolist() == fitting.scores(of_two, X, np.unique(y)).tolist()
    of_three = make_pipeline(StandardScaler(), SVC()).fit(X, THREE)
    found = fitting.scores(of_three, X, np.array(["a", "aa", "b", "c"]))  # one that it never saw
    assert of_three.decision_function(X).tolist() == found[:, [0, 2, 3]].tolist()
    assert not found[:, 1].any()


def test_numbers_for_pairs_of_classes_are_no_scores():
    pairs = make_pipeline(StandardScaler(), SVC(decision_function_shape="ovo"))
    of_three, of_two = clone(pairs).fit(X, THREE), pairs.fit(X, y)
    assert (len(X), 3) == of_three.decision_function(X).shape  # of three classes there are three pairs
    with pytest.raises(FitFailure, match="no number for each class"):
        fitting.scores(of_three, X, np.unique(THREE))
    assert fitting.scores(of_two, X, np.unique(y)).shape == (len(X), 2)
    with pytest.raises(FitFailure, match="^AttributeError: "):
        fitting.scores(DecisionTreeClassifier().fit(X, y), X, np.unique(y))
