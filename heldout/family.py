"""A one-parameter family of learners as one learner, which chooses its own value by validation.

Abu-Mostafa, Learning From Data, lecture 13; METHOD, section 2. A path of penalties, or the number of epochs of
a `partial_fit` learner (early stopping). The choice is made inside `fit`, on rows held out of its own training
rows, so that whatever is held out of `fit` stays honest; the family's own validation error is optimistic, since
it was minimised over, and is corrected as a winner's is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from heldout import seeds
from heldout.errors import BadArgument
from heldout.fitting import take
from heldout.holdout import split
from heldout.intervals.hoeffding import upper_reach
from heldout.losses import SQUARED, ZERO_ONE, Losses
from heldout.partition import can_stratify, cut, part_size
from heldout.records import Interval
from heldout.selection.bbc import corrected_error

EPOCHS = "epochs"
ROWS_A_DEGREE = 50  # lecture 13: K = 100 serves for two parameters
BOUND = (
    "Hoeffding and a union bound over the values; where they are more than K + 1, over K + 1, a rule of thumb for one "
    "degree of freedom: K rows are told apart in K + 1 ways, if each row's loss changes once along the path"
)


@dataclass(frozen=True, eq=False)
class ParameterPath:
    """The errors along a path of values: on the rows trained on (E_in) and on K others (E_val), shape (values,)."""

    values: tuple[Any, ...]
    training_errors: Losses
    validation_errors: Losses
    chosen: Any
    validated_on: int
    corrected: float
    interval: Interval
    bound: float | None

    @property
    def degrees_are_many(self) -> bool:
        """Whether K is too small for one tuned degree of freedom, by the lecture's rule of thumb."""
        return self.validated_on < ROWS_A_DEGREE


class TunedEstimator(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """The `learner` at the value of `parameter` that errs least on validation rows, retrained on all rows.

    `values` go from simple to complex: ties go to the first. `parameter` is one of the learner's, or "epochs",
    the number of passes of `partial_fit` (values ascending whole numbers). Where a linear learner has `warm_start`,
    each fit of the path starts from the one before. After `fit`: `path_`, `hypothesis_`.
    """

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

    def fit(self, X: Any, y: Any) -> Self:
        """Fit along the path on part of the rows, choose, and retrain on all N of them.

        X has shape (N, p), y (N,). Raises BadArgument for fewer than two values, or what `check` refuses.
        """
        check(self.learner, self.parameter, self.values)
        y = np.asarray(y)
        seed = 0 if self.random_state is None else int(self.random_state)
        loss = ZERO_ONE if is_classifier(self.learner) else SQUARED
        size = part_size(len(y), self.validation_fraction, "validation_fraction")
        state = seeds.random_state(seed, "path")
        held_out = split(cut(y, size, stratify=loss.of_classes and can_stratify(y, size), random_state=state))
        trained = (take(X, held_out.train), y[held_out.train])
        tested = (take(X, held_out.validation), y[held_out.validation])
        classes = np.unique(y) if loss.of_classes else None
        training, losses = [], []
        for hypothesis in self._along(*trained, classes):
            training.append(float(loss.pointwise(trained[1], hypothesis.predict(trained[0])).mean()))
            losses.append(loss.pointwise(tested[1], hypothesis.predict(tested[0])))
        table = np.stack(losses)
        errors = table.mean(axis=1)
        place = int(np.argmin(errors))
        corrected, interval = corrected_error(table, self.level, seed)
        models = min(len(self.values), size + 1)
        bound = float(errors[place]) + upper_reach(size, 1 - self.level, models) if loss.bounded else None
        self.path_ = ParameterPath(
            tuple(self.values), np.array(training), errors, self.values[place], size, corrected, interval, bound
        )
        self.hypothesis_ = self._at(self.values[place], X, y, classes)
        if loss.of_classes:
            self.classes_ = classes
        return self

    def path_values(self) -> list[Any]:
        """The learner at each value of the path, unfitted."""
        if self.parameter == EPOCHS:
            return [clone(self.learner)]
        return [clone(self.learner).set_params(**{self.parameter: value}) for value in self.values]

    def predict(self, X: Any) -> NDArray[Any]:
        """The answers of the hypothesis at the chosen value, shape (n,)."""
        check_is_fitted(self)
        return np.asarray(self.hypothesis_.predict(X))

    @available_if(lambda self: hasattr(self.learner, "predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The class probabilities of the hypothesis at the chosen value, shape (n, classes)."""
        check_is_fitted(self)
        return np.asarray(self.hypothesis_.predict_proba(X))

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.learner)
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        tags.input_tags, tags.target_tags = inner.input_tags, inner.target_tags
        return tags

    def _along(self, X: Any, y: Any, classes: Any) -> Iterator[Any]:
        """The hypothesis at each value in turn; it may be the same object, trained on."""
        hypothesis = clone(self.learner)
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
            # an ensemble would keep its trees, and a network train on: then the value would decide little or nothing
            if hasattr(hypothesis, "coef_") and "warm_start" in hypothesis.get_params():
                hypothesis.set_params(warm_start=True)

    def _at(self, value: Any, X: Any, y: Any, classes: Any) -> Any:
        hypothesis = clone(self.learner)
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
    elif parameter not in learner.get_params(deep=True):
        known = ", ".join(sorted(learner.get_params(deep=True)))
        raise BadArgument(
            "parameter", f"parameter is {parameter!r}; it must be epochs, or one of {type(learner).__name__}'s {known}"
        )


def _pass(hypothesis: Any, X: Any, y: Any, classes: Any) -> None:
    if classes is None:
        hypothesis.partial_fit(X, y)
    else:
        hypothesis.partial_fit(X, y, classes=classes)


# what models saved before version 0.2 call these classes
Family, Path = TunedEstimator, ParameterPath
