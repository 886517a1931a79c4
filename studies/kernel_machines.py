"""Support vector machines on many parts of a training set, from one matrix of its kernel; and rows picked with them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.svm import SVC

from heldout.losses import ZERO_ONE
from heldout.losses.tested_losses import CrossValidated
from heldout.schemes import covalidation
from heldout.schemes.cross_validation import splits as fold_splits
from heldout.unlabelled import implied_error
from heldout.unlabelled.disagreement import pointwise_disagreement
from studies.madani_tasks import Task

C = 10.0
Values = NDArray[np.float64]
Rows = NDArray[np.intp]
Classes = NDArray[np.bool_]
Machines = tuple[Values, Values]  # weights of the m training rows, shape (m, F), and intercepts, shape (F,)


def fitted(kernel: Values, y: Classes, parts: Sequence[Rows]) -> Machines:
    """The machines that are trained on each of `parts`, rows of the m whose `kernel`, shape (m, m), and classes y are.

    A part with a single class answers it always.
    """
    weights, intercepts = np.zeros((len(y), len(parts))), np.empty(len(parts))
    learner = SVC(C=C, kernel="precomputed")
    with config_context(assume_finite=True, skip_parameter_validation=True):  # half of the time
        for number, rows in enumerate(parts):
            if (y[rows] == y[rows[0]]).all():
                intercepts[number] = 1 if y[rows[0]] else -1
                continue
            machine = learner.fit(kernel[np.ix_(rows, rows)], y[rows])
            weights[rows[machine.support_], number] = machine.dual_coef_[0]
            intercepts[number] = machine.intercept_[0]
    return weights, intercepts


def answers(kernel: Values, machines: Machines) -> Classes:
    """The classes that F machines answer at n rows, shape (F, n), from their kernel with the training rows, (n, m)."""
    weights, intercepts = machines
    return (kernel @ weights > -intercepts).T


def estimates(
    kernel: Values,
    y: Classes,
    half: NDArray[np.int8],
    others: tuple[Values, Classes],
    unlabeled: slice = slice(None),
    test: slice = slice(None),
) -> dict[str, float]:
    """E_2cv, E_train, disagreement, E_dis and E_maxdt, and the true error of the half models.

    `kernel`, shape (m, m), and classes y of the training rows; the `half` of each in each repeat, shape (R, m); the
    kernel of n other rows with them, shape (n, m), and their classes; which of these are unlabelled and tested.
    """
    parts = [split.train for each in half for split in covalidation.splits(each)]
    machines = fitted(kernel, y, parts)
    wrong = ZERO_ONE.pointwise(y, answers(kernel, machines))
    first = half == 0  # these rows trained the first of a pair
    trained, tested = np.where(first, wrong[::2], wrong[1::2]), np.where(first, wrong[1::2], wrong[::2])
    outside = answers(others[0], machines)
    differ = pointwise_disagreement(outside[::2, unlabeled], outside[1::2, unlabeled], ZERO_ONE)
    implied, trained_error = implied_error.error_bound(float(differ.mean()), ZERO_ONE, 2)[0], float(trained.mean())
    return {
        "E_2cv": float(tested.mean()),
        "E_train": trained_error,
        "disagreement": float(differ.mean()),
        "E_dis": implied,
        "E_maxdt": max(trained_error, implied),
        "half error": float(ZERO_ONE.pointwise(others[1][test], outside[:, test]).mean()),
    }


def true_error(kernel: Values, y: Classes, others: tuple[Values, Classes], test: slice = slice(None)) -> float:
    """The error of the machine that all training rows train, on those of the other rows that are tested."""
    machine = fitted(kernel, y, [np.arange(len(y))])
    return float(ZERO_ONE.pointwise(others[1][test], answers(others[0][test], machine)).mean())


def leave_one_out(kernel: Values, y: Classes) -> float:
    """E_loo, with a refit for each support vector; without another row the machine stays as it is."""
    splits = fold_splits(np.arange(len(y)))
    everything = fitted(kernel, y, [np.arange(len(y))])
    losses = ZERO_ONE.pointwise(y, answers(kernel, everything)[0])
    support = np.flatnonzero(everything[0][:, 0])
    without = answers(kernel[support], fitted(kernel, y, [splits[row].train for row in support]))
    losses[support] = ZERO_ONE.pointwise(y[support], without.diagonal())
    return CrossValidated(losses, ZERO_ONE, fold=np.arange(len(y))).error


def drawn(task: Task, size: int, _first: int, rng: np.random.Generator) -> tuple[Rows, Values]:
    """`size` random rows, and the linear kernel of all rows with them, shape (N, size)."""
    rows = rng.permutation(len(task.y))[:size]
    return rows, task.products(rows)


def picked(task: Task, size: int, first: int, rng: np.random.Generator) -> tuple[Rows, Values]:
    """`size` rows by uncertainty sampling, in their order, and the linear kernel of all rows with them, (N, size).

    The `first` are random, with both classes; each further row is the one nearest to the border of the linear machine.
    """
    rows = rng.permutation(len(task.y))[:first]
    while len(np.unique(task.y[rows])) == 1:
        rows = rng.permutation(len(task.y))[:first]
    kernel = np.empty((len(task.y), size), order="F")
    kernel[:, :first] = task.products(rows)
    for count in range(first, size):
        weights, intercepts = fitted(kernel[rows, :count], task.y[rows], [np.arange(count)])
        distance = np.abs(kernel[:, :count] @ weights[:, 0] + intercepts[0])
        distance[rows] = np.inf
        rows = np.append(rows, distance.argmin())
        kernel[:, count] = task.products(rows[-1:])[:, 0]
    return rows, kernel
