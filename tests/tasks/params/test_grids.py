"""Grids: each point is a candidate of its own, in the order written."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.params import load
from tasks.params.grids import points
from tasks.runtime.errors import Misplaced
from tests.tasks.mistakes import assert_names, mistakes

SVC = "sklearn.svm.SVC"
LAWS = settings(max_examples=60, deadline=None, derandomize=True, database=None)
values = st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.floats(0.01, 9), st.sampled_from(["rbf", "a b"]))
grids = st.dictionaries(
    st.sampled_from(["C", "gamma", "kernel", "degree"]),
    st.lists(values, min_size=1, max_size=3, unique_by=lambda value: (type(value), value)),
    min_size=1,
)


@LAWS
@given(grids)
def test_the_points_are_the_product_in_the_order_written_under_names_of_their_own(grid):
    found = list(points("svm", grid))
    expected = [dict(zip(grid, chosen, strict=True)) for chosen in itertools.product(*grid.values())]
    assert repr(expected) == repr([point for _, point in found])
    assert len(found) == len({name for name, _ in found})


def test_points_are_named_after_their_values():
    assert ["svm(C=1, gamma=0.1)", "svm(C=1, gamma=1)", "svm(C=10, gamma=0.1)", "svm(C=10, gamma=1)"] == [
        name for name, _ in points("svm", {"C": [1, 10], "gamma": [0.1, 1]})
    ]
    inner = {"estimator": SVC, "params": {"C": 1.5, "kernel": "linear"}}
    named = {None: "null", True: "true", "l1/l2": "l1-l2"}
    for value, text in [*named.items(), (inner, "SVC(C=1.5, kernel=linear)"), ([50, 20], "(50, 20)")]:
        assert [f"a(x={text})"] == [name for name, _ in points("a", {"x": [value]})]


@pytest.mark.parametrize(
    ("grid", "place", "words"),
    [
        ({"C": [1, 2, 1]}, ("grid", "C"), [1, "twice"]),
        ({"C": ["a/b", "a:b"]}, ("grid",), [2, "'s(C=a-b)'"]),
        ({"C": list(range(40)), "gamma": list(range(40))}, ("grid",), [1600, 1000]),
    ],
)
def test_a_grid_without_a_name_for_each_point_is_refused(grid, place, words):
    with pytest.raises(Misplaced) as caught:
        list(points("s", grid))
    assert place == caught.value.place
    assert_names(str(caught.value), *words)


def test_one_is_not_true():
    assert 2 == len(list(points("a", {"x": [1, True]})))


GRID = f"candidates.2={{name: svm, estimator: {SVC}, params: {{kernel: linear}}, grid: {{C: [1, 10], tol: [0.1, 1]}}}}"


def test_each_point_of_a_grid_is_a_candidate_in_its_place(shipped):
    plain, found = load(shipped).candidates, load(shipped, [GRID]).candidates
    names = ["svm(C=1, tol=0.1)", "svm(C=1, tol=1)", "svm(C=10, tol=0.1)", "svm(C=10, tol=1)"]
    assert [one.name for one in [*plain[:2], *plain[3:]]] == [one.name for one in [*found[:2], *found[6:]]]
    assert names == [one.name for one in found[2:6]]
    learners = [one.learner() for one in found[2:6]]
    assert [(1, 0.1), (1, 1), (10, 0.1), (10, 1)] == [(one.C, one.tol) for one in learners]
    assert {"linear"} == {one.kernel for one in learners}


def test_a_point_is_the_same_learner_as_one_written_out(shipped):
    point = load(shipped, [GRID]).candidates[2]
    text = f"candidates.2={{name: a, estimator: {SVC}, params: {{kernel: linear, C: 1, tol: 0.1}}}}"
    assert point.identity() == load(shipped, [text]).candidates[2].identity()


def test_a_grid_reaches_into_a_pipeline_and_may_stand_beside_a_family(shipped):
    deep = "{name: a, estimator: sklearn.calibration.CalibratedClassifierCV, params: {estimator: {estimator: "
    deep += "sklearn.svm.LinearSVC}}, grid: {estimator__C: [1, 2]}}"
    path = f"{{name: b, estimator: {SVC}, grid: {{kernel: [linear, rbf]}}, family: {{parameter: C, values: [1, 2]}}}}"
    found = [one.learner() for one in load(shipped, [f"candidates=[{deep}, {path}]"]).candidates]
    assert [1, 2] == [learner.estimator.C for learner in found[:2]]
    assert [("linear", [1, 2]), ("rbf", [1, 2])] == [(one.learner.kernel, one.values) for one in found[2:]]


@pytest.mark.parametrize(
    ("grid", "key", "words"),
    [
        ("{}", "grid", ["{}", "dictionary", 1]),
        ("{C: []}", "grid.C", ["[]", "list", 1]),
        ("{C: 1}", "grid.C", [1, "list"]),
        ("[1]", "grid", ["[1]", "dictionary"]),
        ("{gama: [1]}", "grid.gama", [SVC, "did you mean gamma?"]),
        ("{kernel: [rbf]}", "grid.kernel", ["params"]),
        ("{C: [1, 1]}", "grid.C", [1, "twice"]),
        ("{tol: [1, -1]}", "grid.tol", [-1, "SVC", "float", "(0.0, inf)"]),
    ],
)
def test_a_grid_that_cannot_be_fitted_is_reported(shipped, tmp_path, grid, key, words):
    path = tmp_path / "params.yaml"
    linear = "      kernel: linear\n"
    path.write_text(shipped.read_text().replace(f"{linear}      C: 10\n", f"{linear}    grid: {grid}\n"))
    (mistake,) = mistakes(path)
    assert f"candidates[2].{key}" == mistake.key
    assert_names(mistake, *words)


def test_a_point_called_as_another_candidate_is_reported(shipped):
    (mistake,) = mistakes(shipped, GRID, "candidates.0.name=svm(C=1, tol=1)")
    assert "candidates[2].name" == mistake.key
    assert_names(mistake, "'svm(C=1, tol=1)'", 2)


def test_each_point_counts_in_the_number_of_candidates(shipped):
    assert len(load(shipped).candidates) + 3 == len(load(shipped, [GRID]).candidates)
