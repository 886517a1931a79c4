"""Machines from parts of a kernel are those of scikit-learn, and estimates from them those of heldout's own fits."""

import numpy as np
import pytest
from sklearn.svm import SVC

from heldout.learners.fitting import fit_and_test
from heldout.losses import ZERO_ONE
from heldout.schemes import covalidation
from heldout.splits.partition import make_halves
from heldout.unlabelled import implied_error
from studies import kernel_machines, madani_tasks

SIZE = 40


@pytest.fixture(scope="module")
def rows():
    task = madani_tasks.load("cancer", None)
    train, kernel = kernel_machines.drawn(task, SIZE, 10, np.random.default_rng(0))
    rest = np.setdiff1d(np.arange(len(task.y)), train)
    return task.X[train], task.y[train], kernel[train], (kernel[rest], task.y[rest]), task.X[rest]


def test_the_true_error_is_that_of_a_linear_machine(rows):
    X, y, kernel, others, X_rest = rows
    expected = SVC(kernel="linear", C=kernel_machines.C).fit(X, y).predict(X_rest) != others[1]
    assert kernel_machines.true_error(kernel, y, others) == pytest.approx(expected.mean())


def test_leave_one_out_needs_no_refit_without_rows_that_are_no_support_vectors(rows):
    X, y, kernel, *_ = rows
    keep = [np.delete(np.arange(SIZE), row) for row in range(SIZE)]
    learner = SVC(kernel="linear", C=kernel_machines.C)
    wrong = [learner.fit(X[train], y[train]).predict(X[[row]])[0] != y[row] for row, train in enumerate(keep)]
    assert kernel_machines.leave_one_out(kernel, y) == pytest.approx(np.mean(wrong))


def test_the_halves_have_the_errors_and_disagreement_of_fits_of_heldout(rows):
    X, y, kernel, others, X_rest = rows
    half = make_halves(y, repeats=4, stratify=False, seed=0)
    splits = [split for each in half for split in covalidation.splits(each)]
    fits = [fit_and_test(SVC(kernel="linear", C=kernel_machines.C), X, y, split, ZERO_ONE, 0) for split in splits]
    predicted = np.array([fit.hypothesis.predict(X_rest) for fit in fits])
    found = kernel_machines.estimates(kernel, y, half, others)
    differ = float((predicted[::2] != predicted[1::2]).mean())
    assert found["E_2cv"] == pytest.approx(np.mean([fit.losses.mean() for fit in fits]))
    assert found["half error"] == pytest.approx((predicted != others[1]).mean())
    assert found["disagreement"] == pytest.approx(differ)
    assert found["E_dis"] == pytest.approx(implied_error.error_bound(differ, ZERO_ONE, 2)[0])
    assert found["E_maxdt"] == max(found["E_dis"], found["E_train"])


def test_a_part_with_one_class_answers_it():
    kernel, y = np.eye(4), np.array([True, True, False, False])
    machines = kernel_machines.fitted(kernel, y, [np.array([0, 1]), np.array([2, 3])])
    assert kernel_machines.answers(kernel, machines).tolist() == [[True] * 4, [False] * 4]


def test_picked_rows_are_distinct_and_those_nearest_to_the_border():
    task = madani_tasks.load("digit 1", None)
    rows, kernel = kernel_machines.picked(task, 14, 10, np.random.default_rng(1))
    assert len(set(rows.tolist())) == 14
    assert len(set(task.y[rows[:10]].tolist())) == 2
    np.testing.assert_allclose(kernel, task.X @ task.X[rows].T)
    machine = SVC(kernel="linear", C=kernel_machines.C).fit(task.X[rows[:13]], task.y[rows[:13]])
    distance = np.abs(machine.decision_function(task.X))
    distance[rows[:13]] = np.inf
    assert distance.argmin() == rows[13]
