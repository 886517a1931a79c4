"""Equations that differ by a row and a small diagonal: solved as each alone, and leave-one-out without its fits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from heldout.shortcuts import find
from heldout.shortcuts.one_row_less import solved


@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(1, 3))
def test_solutions_are_those_of_each_equation_alone(seed, p, targets):
    rng = np.random.default_rng(seed)
    rows, n = rng.normal(size=(4 * p, p)), 5
    P = rows.T @ rows + np.eye(p)
    v, change = 0.5 * rows[:n], 0.3 * rng.uniform(-1, 1, (len(rows[:n]), p))
    right = rng.normal(size=(len(v), p, targets))
    found = solved(np.linalg.inv(P), v, right, change)
    alone = [P - np.outer(one, one) - np.diag(diagonal) for one, diagonal in zip(v, change, strict=True)]
    for place, solution, reach in zip(np.flatnonzero(found.near), found.solutions, found.reach, strict=True):
        expected = np.linalg.solve(alone[place], right[place])
        assert solution == pytest.approx(expected, rel=1e-9, abs=1e-12 * np.abs(expected).max())
        assert np.linalg.norm(np.linalg.inv(alone[place]), 2) <= reach * (1 + 1e-9)


def test_an_equation_that_would_not_converge_is_left_out():
    v = np.array([[0.1, 0.0], [0.1, 0.0], [0.99999999, 0.0]])
    change = np.array([[0.01, 0.0], [0.5, 0.0], [0.0, 0.0]])
    assert [True, False, False] == solved(np.eye(2), v, np.ones((3, 2, 1)), change).near.tolist()


@pytest.mark.parametrize("learner", [Ridge(1.0), Ridge(1e4), LinearRegression(), RidgeClassifier(5.0)])
@pytest.mark.parametrize("weighted", [False, True])
def test_leave_one_out_equals_its_fits_also_at_rows_that_decide_the_scale(learner, weighted):
    """Student's t with 2 degrees of freedom, and a row that is the only one far from the others."""
    rng = np.random.default_rng(7)
    X = 5 * rng.standard_t(2, size=(60, 4))
    X[3] = 500.0
    y = X @ [1.0, -1.0, 0.5, 0.0] + rng.normal(size=60)
    y = (y > 0).astype(int) if isinstance(learner, RidgeClassifier) else y
    weights = rng.uniform(0.2, 2, 60) if weighted else None
    pipeline = make_pipeline(StandardScaler(), learner)
    found = find(pipeline, X, y, weights).folds(np.arange(60))
    refits = []
    for row in range(60):
        rest = np.arange(60) != row
        given_ = {} if weights is None else {f"{pipeline.steps[-1][0]}__sample_weight": weights[rest]}
        refits.append(pipeline.fit(X[rest], y[rest], **given_).predict(X[[row]])[0])
    assert found == pytest.approx(np.array(refits), rel=1e-9, abs=1e-9 * np.abs(refits).max())
