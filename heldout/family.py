"""A one-parameter family of learners as one learner, which chooses the value of its parameter by validation.

Abu-Mostafa, Learning From Data, lecture 13; METHOD, section 2. The family is a path of penalties, or of numbers of
epochs of a `partial_fit` learner (early stopping). `fit` chooses on rows held out of its training rows, so that the
error on rows outside `fit` stays honest. The minimal validation error of the path is optimistic, since it is a
minimum, and is corrected like the error of a winner.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, is_classifier
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from heldout import seeds
from heldout.errors import BadArgument
from heldout.learners import parameters
from heldout.learners.clones import cloned
from heldout.learners.fitting import predict
from heldout.learners.inner_tags import with_tags_of
from heldout.losses import SQUARED, ZERO_ONE, Losses
from heldout.losses.tested_losses import Tested
from heldout.records import Interval
from heldout.rows.aligned_rows import aligned
from heldout.rows.frames import take
from heldout.schemes.holdout import split
from heldout.selection import bbc
from heldout.selection.bound import selection_bound
from heldout.splits import class_shares, time_order
from heldout.splits.dependence import checked_dependence
from heldout.splits.partition import can_stratify, part_size, training_cut

EPOCHS = "epochs"
ROWS_A_DEGREE = 50  # lecture 13: K = 100 serves for two parameters
BOUND = (
    "Clopper and Pearson's limit and a union bound over the values; where they are more than K + 1, over K + 1, a rule "
    "of thumb for one degree of freedom: K rows can be separated in K + 1 ways, if the loss of each row changes once "
    "along the path"
)


@dataclass(frozen=True, eq=False)
class ParameterPath:
    """The errors along a path of values: on the training rows (E_in) and on K other rows (E_val), shape (values,)."""

    values: tuple[Any, ...]
    training_errors: Losses
    validation_errors: Losses
    chosen: Any
    validated_on: int
    corrected: float
    interval: Interval | None
    bound: float | None

    @property
    def degrees_are_many(self) -> bool:
        """Whether K is too small for one tuned degree of freedom, by the lecture's rule of thumb."""
        return self.validated_on < ROWS_A_DEGREE


class TunedEstimator(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """The `learner` at the value of `parameter` with the least validation error, retrained on all rows.

    Where a linear learner has `warm_start`, each fit of the path starts from the previous fit.

    Parameters
    ----------
    learner : estimator
        An unfitted scikit-learn classifier or regressor.
    parameter : str
        A parameter of the learner, or "epochs" for the number of passes of `partial_fit`.
    values : sequence
        At least two values, from simple to complex: of equal errors the first wins. Epochs are ascending whole numbers
        from 1.
    validation_fraction : float, default 0.2
        The share of the rows of `fit` that are held out for the choice; between 0 and 1, both excluded.
    level : float, default 0.95
        The level of the interval of the corrected error, and of the bound.
    random_state : int, optional
        The seed of the held-out rows; None is 0.

    Attributes
    ----------
    path_ : ParameterPath
        The errors along the path, the chosen value, and its corrected error.
    hypothesis_ : estimator
        The learner at the chosen value, fitted on all rows.
    classes_ : ndarray of shape (number of classes,)
        For classifiers.

    Examples
    --------
    >>> from sklearn.base import clone
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = make_classification(n_samples=100, random_state=0)
    >>> tree, depths = DecisionTreeClassifier(random_state=0), [1, 2, 4]
    >>> tuned = TunedEstimator(tree, "max_depth", depths, random_state=0).fit(X, y)
    >>> tuned.path_.chosen in depths
    True

    `fit` equals this loop:

    >>> part = training_cut(y, 20, stratify=True, random_state=seeds.random_state(0, "path"))
    >>> fits = [clone(tree).set_params(max_depth=depth).fit(X[~part], y[~part]) for depth in depths]
    >>> errors = [float((hypothesis.predict(X[part]) != y[part]).mean()) for hypothesis in fits]
    >>> errors == tuned.path_.validation_errors.tolist()
    True
    >>> depths[errors.index(min(errors))] == tuned.path_.chosen
    True
    """

    chooses_on_whole_groups = True

    def __init__(
        self,
        learner: Any,
        parameter: str,
        values: Sequence[Any],
        *,
        validation_fraction: float = 0.2,
        level: float = 0.95,
        random_state: int | None = None,
    ) -> None:
        self.learner = learner
        self.parameter = parameter
        self.values = values
        self.validation_fraction = validation_fraction
        self.level = level
        self.random_state = random_state

    def fit(self, X: Any, y: Any, *, groups: Any = None, time: Any = None) -> Self:
        """Fit along the path on a part of the rows, choose a value, and retrain on all rows.

        The rows held out are whole groups where rows have groups, and the last ones where they have a time;
        `heldout.validate` and a run say so by themselves.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (N, p)
        y : array-like of shape (N,)
        groups, time : array-like of shape (N,), optional
            As in `heldout.validate`.

        Returns
        -------
        self

        Raises
        ------
        BadArgument
            For a parameter or values that the learner cannot take, or a setting outside its limits.
        """
        check(self.learner, self.parameter, self.values)
        X, y, groups, time = aligned({"X": X, "y": y, "groups": groups, "time": time}).values()
        y = np.asarray(y)
        seed = 0 if self.random_state is None else int(self.random_state)
        loss = ZERO_ONE if is_classifier(self.learner) else SQUARED
        size = part_size(len(y), self.validation_fraction, "validation_fraction")
        state = seeds.random_state(seed, "path")
        strata = class_shares.strata(y, loss.of_classes)
        stratify = loss.of_classes and class_shares.stratified(y, None) and can_stratify(y, size)
        dependence = checked_dependence(groups, time, 0, len(y))
        if dependence.time is not None:
            part = time_order.last(dependence.time, size)
        else:
            part = training_cut(strata, size, stratify=stratify, random_state=state, group=dependence.group)
        held_out = dependence.purged(split(part))
        size = len(held_out.validation)
        trained = (take(X, held_out.train), y[held_out.train])
        tested = (take(X, held_out.validation), y[held_out.validation])
        classes = np.unique(y) if loss.of_classes else None
        training, losses = [], []
        for hypothesis in self._along(*trained, classes):
            training.append(float(loss.pointwise(trained[1], predict(hypothesis, trained[0])).mean()))
            losses.append(loss.pointwise(tested[1], predict(hypothesis, tested[0])))
        table = np.stack(losses)
        errors = table.mean(axis=1)
        place = int(np.argmin(errors))
        corrected = bbc.corrected(table, seed)
        interval = bbc.interval(corrected.error, Tested(table[place], loss), self.level, taken=corrected.losses)
        models = min(len(self.values), size + 1)
        bound = selection_bound(Tested(table[place], loss, seed), models, self.level)
        self.path_ = ParameterPath(
            values=tuple(self.values),
            training_errors=np.array(training),
            validation_errors=errors,
            chosen=self.values[place],
            validated_on=size,
            corrected=corrected.error,
            interval=interval,
            bound=None if bound is None else bound.value,
        )
        self.hypothesis_ = self._at(self.values[place], X, y, classes)
        if loss.of_classes:
            self.classes_ = classes
        return self

    def path_values(self) -> list[Any]:
        """The unfitted learner at each value of the path; for epochs the learner alone."""
        if self.parameter == EPOCHS:
            return [cloned(self.learner)]
        return [cloned(self.learner).set_params(**{self.parameter: value}) for value in self.values]

    def predict(self, X: Any) -> NDArray[Any]:
        """The predictions of the hypothesis at the chosen value.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n, p)

        Returns
        -------
        ndarray of shape (n,)
        """
        check_is_fitted(self)
        return np.asarray(self.hypothesis_.predict(X))

    @available_if(lambda self: hasattr(self.learner, "predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The class probabilities of the hypothesis at the chosen value.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n, p)

        Returns
        -------
        ndarray of shape (n, number of classes)
        """
        check_is_fitted(self)
        return np.asarray(self.hypothesis_.predict_proba(X))

    @available_if(lambda self: hasattr(self.learner, "decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The scores of the hypothesis at the chosen value, which rank the rows.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n, p)

        Returns
        -------
        ndarray of shape (n,) for two classes, else (n, number of classes)
        """
        check_is_fitted(self)
        return np.asarray(self.hypothesis_.decision_function(X))

    def __sklearn_tags__(self) -> Any:
        return with_tags_of(self.learner, super().__sklearn_tags__())

    def _along(self, X: Any, y: Any, classes: Any) -> Iterator[Any]:
        """The hypothesis at each value in turn; it may be the same object, trained further."""
        hypothesis = cloned(self.learner)
        if self.parameter == EPOCHS:
            passes = 0
            for value in self.values:
                for _ in range(value - passes):
                    _pass(hypothesis, X, y, classes)
                passes = value
                yield hypothesis
            return
        for value in self.values:
            yield hypothesis.set_params(**{self.parameter: value}).fit(X, y)
            # only for linear learners: with warm_start an ensemble keeps its old trees and a network its training, so
            # that the value would have little or no effect
            if hasattr(hypothesis, "coef_") and "warm_start" in hypothesis.get_params():
                hypothesis.set_params(warm_start=True)

    def _at(self, value: Any, X: Any, y: Any, classes: Any) -> Any:
        hypothesis = cloned(self.learner)
        if self.parameter != EPOCHS:
            return hypothesis.set_params(**{self.parameter: value}).fit(X, y)
        for _ in range(value):
            _pass(hypothesis, X, y, classes)
        return hypothesis


def check(learner: Any, parameter: str, values: Sequence[Any]) -> None:
    """Raise BadArgument for a path that the learner cannot take."""
    if len(values) < 2:
        raise BadArgument("values", f"values is {list(values)!r}; a family needs at least 2")
    if parameter == EPOCHS:
        if not hasattr(learner, "partial_fit"):
            raise BadArgument("parameter", f"parameter is epochs, but {type(learner).__name__} has no partial_fit")
        whole = all(isinstance(value, int) and not isinstance(value, bool) for value in values)
        if not whole or values[0] < 1 or any(low >= high for low, high in pairwise(values)):
            raise BadArgument("values", f"values is {list(values)!r}; epochs must be ascending whole numbers from 1")
    elif parameter not in parameters(learner):
        known = ", ".join(sorted(parameters(learner)))
        raise BadArgument(
            "parameter", f"parameter is {parameter!r}; it must be epochs, or one of {type(learner).__name__}'s {known}"
        )


def _pass(hypothesis: Any, X: Any, y: Any, classes: Any) -> None:
    if classes is None:
        hypothesis.partial_fit(X, y)
    else:
        hypothesis.partial_fit(X, y, classes=classes)
