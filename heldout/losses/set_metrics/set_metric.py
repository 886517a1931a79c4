"""What a loss of a whole tested part is: 1 - a metric that is no mean of losses, such as AUC, as one term for each row.

A metric M is a function of the weights w of the n tested rows, unchanged if all are multiplied by a number. The term of
row i is 1 - M - psi_i, with psi_i = n w_i dM/dw_i, the influence of the row: the mean of the terms is 1 - M exactly,
since the psi_i sum up to 0 (Euler's theorem), and in large parts 1 - M varies as the mean of such independent terms
does. So what is known of means of losses (the correction for shared training rows, paired differences, the bootstrap of
a choice) holds for metrics too, to first order.

Source: F. R. Hampel, The influence curve and its role in robust estimation (J. Amer. Statist. Assoc. 69, 1974). For AUC
the psi_i are the placement values of E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson (Biometrics 44, 1988).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from heldout.losses.loss import Loss, Losses
from heldout.losses.zero_one import ZERO_ONE

Values = NDArray[np.float64]
_STEP = 1e-6  # of a weight
Places = NDArray[np.intp]
# the metric of labels and answers of one class against the rest, and dM/dw: `inside`, shape (n,), are the rows of the
# class, `answers` what is said of it, and `weights` are w
OfClass = Callable[[NDArray[np.bool_], NDArray[Any], Values], tuple[float, Values]]


def _half(rows: int, inside: int) -> float:  # noqa: ARG001
    return 0.5


def _as_they_are(sizes: Values) -> Values:
    return sizes


def twice(sizes: Values) -> Values:
    """Two for each row: those of a class that one answer misses change a metric by half of 1 over their number."""
    return 2 * sizes


@dataclass(frozen=True)
class SetMetric:
    """One line of the registry.

    Parameters
    ----------
    name : str
        What is estimated, in words: 1 - AUC.
    metric : str
        The metric's name in sentences.
    also : tuple of str
        What others call it, for messages.
    needs : {"ranks", "class"}
        What it asks of a hypothesis: what ranks the rows by each class, probabilities or scores of shape (n, C), or the
        predicted classes.
    of_class : callable
        The metric of a class against the rest, and its derivatives.
    every_class : bool
        Whether it is the mean over both of two classes; else it is about the second one. Of more classes it is the mean
        over all.
    size : callable
        From the rows of each class, shape (C,), and the metric to the independent rows that it weighs as much as, for
        answers of no particular kind: where few rows decide its variance, no more are counted.
    chance : callable
        Of ranks, from the number of rows and of those of the class to the expected metric of a random order.
    steps : callable
        From the rows of each class, shape (C,), to the number of steps, shape (C,), in which wrong answers to rows of
        the class take its metric, near its best value, from 1 to 0.
    """

    name: str
    metric: str
    also: tuple[str, ...]
    needs: Literal["ranks", "class"]
    of_class: OfClass
    every_class: bool
    size: Callable[[Values, float], float]
    chance: Callable[[int, int], float] = _half
    steps: Callable[[Values], Values] = _as_they_are
    by_said: bool = False

    @property
    def loss(self) -> Loss:
        """A loss of values up to 1, which is what intervals and comparisons ask of one."""
        return replace(ZERO_ONE, name=self.name, binary=False, two_valued=False, disagreement_loss=None)

    def concerned(self, classes: int) -> range:
        """The places of the classes that it is about, among as many."""
        return range(1 if classes == 2 and not self.every_class else 0, classes)

    def rows(self, sizes: Values) -> float:
        """The R of which one more wrong answer changes the metric by 1 / R at most, by the rows of each class, (C,)."""
        concerned = self.concerned(len(sizes))
        return len(concerned) * float(self.steps(sizes)[concerned.start :].min())

    def terms(self, y: Places, answers: NDArray[Any], weights: Values, classes: int) -> Losses:
        """The term of each tested row, shape (n,); NaN where the rows of positive weight have fewer than two classes.

        Of more than two classes it is the mean over those that have such a row.

        `y`, shape (n,), are places among the classes; `answers` are places too, -1 for none of them, or for a metric of
        ranks of shape (n, C). `weights`, shape (n,), are not negative.
        """
        there = np.bincount(y, weights=weights, minlength=classes) > 0
        if there.sum() < 2:
            return np.full(len(y), np.nan)
        metrics, slopes = [], []
        for place in (place for place in self.concerned(classes) if there[place]):
            said = answers[:, place] if self.needs == "ranks" else answers == place
            metric, slope = self.of_class(y == place, said, weights)
            metrics.append(metric)
            slopes.append(slope)
        terms: Losses = 1 - np.mean(metrics) - len(y) * weights * np.mean(slopes, axis=0)
        return terms

    def terms_of_constant(self, y: Places, weights: Values, train: Places, rows: Places, classes: int) -> Losses:
        """The terms at `rows` of the best constant answer by the rows `train`, both places among all rows of y.

        Ranks: of a random order, whose expectation in small parts may be another than that of ranks that all tie.
        """
        if self.needs == "ranks":
            tied = self.terms(y[rows], np.zeros((len(rows), classes)), weights[rows], classes)
            sizes = np.bincount(y[rows], minlength=classes)
            there = [int(sizes[place]) for place in self.concerned(classes) if sizes[place]]
            chance = np.mean([self.chance(len(rows), size) for size in there])
            shifted: Losses = tied + (1 - chance - tied.mean())
            return shifted
        common = np.bincount(y[train], weights=weights[train], minlength=classes)
        losses = [
            float(self.terms(y[train], np.full(len(train), place), weights[train], classes).mean())
            for place in range(classes)
        ]
        best = max(range(classes), key=lambda place: (-round(losses[place], 12), common[place]))
        return self.terms(y[rows], np.full(len(rows), best), weights[rows], classes)


def of_mean(sizes: Values) -> float:
    """The rows that the mean over classes weighs as much as, if each class weighs as `sizes` rows: C^2 / sum 1/n_c.

    As of independent classes of equal metrics; of two classes the second one is the only one.
    """
    return float(sizes[-1] if len(sizes) == 2 else len(sizes) ** 2 / np.sum(1 / sizes))


def by_difference(metric: Callable[[NDArray[Any], NDArray[Any], Values], float]) -> OfClass:
    """`metric` with its derivatives by difference quotients, for a metric whose derivatives nobody has written.

    It is called with the arguments of `OfClass`, once, and then with a little more weight on the rows of each label and
    answer: rows that have the same have the same derivative. So it is called C^2 + 1 times for C classes, and n + 1
    times where all answers of n rows differ. It must be smooth in the weights, and must change neither if all of them
    are multiplied by a number nor with the order of the rows.
    """
    return ByDifference(metric)


@dataclass(frozen=True)
class ByDifference:
    """A class, and no inner function: a worker gets it pickled."""

    metric: Callable[[NDArray[Any], NDArray[Any], Values], float]

    def __call__(
        self, inside: NDArray[Any], said: NDArray[Any], weights: Values, part: NDArray[np.intp] | None = None
    ) -> tuple[float, Values]:
        """With the `part` of each row, shape (n,), the derivative of a row is the mean of its part, by the weights."""
        value = float(self.metric(inside, said, weights))
        of_row = alike(inside, said) if part is None else part
        slopes = np.zeros(len(weights))
        for place in range(int(of_row.max()) + 1):
            more = _STEP * weights * (of_row == place)
            if more.any():
                slopes[of_row == place] = (float(self.metric(inside, said, weights + more)) - value) / more.sum()
        return value, slopes - float(slopes @ weights) / float(weights.sum())  # which is 0 but for the step


def alike(*columns: NDArray[Any]) -> NDArray[np.intp]:
    """The number of each row, shape (n,), among the distinct rows of `columns`, in the order of their first ones."""
    found: dict[tuple[Any, ...], int] = {}
    as_keys = [of.tolist() if of.ndim == 1 else [*map(tuple, of.tolist())] for of in columns]
    return np.array([found.setdefault(key, len(found)) for key in zip(*as_keys, strict=True)], dtype=np.intp)
