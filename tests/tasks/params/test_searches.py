"""Searches: the candidate as it is written, then draws by the seed, each a candidate of its own."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn import svm

import heldout
from tasks.params import load
from tasks.params.searches import points
from tasks.runtime.errors import Misplaced
from tests.tasks.mistakes import assert_names, mistakes

SVC = "sklearn.svm.SVC"
LAWS = settings(max_examples=60, deadline=None, derandomize=True, database=None)
SPACE = {"C": "loguniform(0.1, 100)", "degree": "loguniform(2, 5)", "kernel": ["rbf", "poly"]}
SEARCH = (
    f"candidates.2={{name: svm, estimator: {SVC}, params: {{C: 10}}, "
    "search: {draws: 4, values: {C: 'loguniform(0.1, 100)'}}}"
)


@LAWS
@given(st.integers(1, 30), st.integers(0, 2**32))
def test_points_are_different_lie_inside_and_do_not_depend_on_how_many_are_drawn(draws, seed):
    found = list(points("svm", SPACE, draws, seed))
    assert ("svm", {}) == found[0]
    assert draws + 1 == len({name for name, _ in found})
    for _, point in found[1:]:
        assert 0.1 <= point["C"] <= 100
        assert f"{point['C']:.3g}" == f"{point['C']:.15g}"
        assert type(point["degree"]) is int
        assert point["degree"] in (2, 3, 4, 5)
        assert point["kernel"] in ("rbf", "poly")
    assert found == list(points("svm", SPACE, 30, seed))[: draws + 1]


def test_numbers_are_drawn_by_their_ratio_and_values_with_equal_probability():
    drawn = [point for seed in range(400) for _, point in list(points("s", SPACE, 5, seed))[1:]]
    of_c = np.log10([point["C"] for point in drawn])
    # p above .001 under the claim, by fixed seeds
    assert stats.kstest(of_c, stats.uniform(-1, 3).cdf).pvalue > 0.001
    assert stats.binomtest(sum(point["kernel"] == "rbf" for point in drawn), len(drawn)).pvalue > 0.001
    shares = np.diff(np.log([2, 3, 4, 5, 6])) / np.log(3)
    counts = [sum(point["degree"] == degree for point in drawn) for degree in (2, 3, 4, 5)]
    assert stats.chisquare(counts, shares * len(drawn)).pvalue > 0.001


def test_another_seed_or_name_draws_other_points():
    def drawn(name, seed):
        return [point for _, point in points(name, SPACE, 3, seed)][1:]

    assert drawn("a", 0) == drawn("a", 0)
    assert drawn("a", 0) != drawn("a", 1)
    assert drawn("a", 0) != drawn("b", 0)


@pytest.mark.parametrize(
    ("values", "draws", "place", "words"),
    [
        ({"C": "uniform(1, 2)"}, 2, ("search", "values", "C"), ["'uniform(1, 2)'", "loguniform(low, high)"]),
        ({"C": "loguniform(1, 2"}, 2, ("search", "values", "C"), ["loguniform(low, high)"]),
        ({"C": "loguniform(1e, 2)"}, 2, ("search", "values", "C"), ["no numbers"]),
        ({"C": "loguniform(2, 1)"}, 2, ("search", "values", "C"), ["0 < low < high"]),
        ({"C": "loguniform(0, 1)"}, 2, ("search", "values", "C"), ["0 < low < high"]),
        ({"C": "loguniform(1, 1e999)"}, 2, ("search", "values", "C"), ["0 < low < high"]),
        ({"C": [1, 2]}, 3, ("search", "draws"), [3, 2]),
        ({"C": "loguniform(1, 3)"}, 4, ("search", "draws"), [4, 3]),
    ],
)
def test_what_cannot_be_drawn_is_refused(values, draws, place, words):
    with pytest.raises(Misplaced) as caught:
        list(points("s", values, draws, 0))
    assert place == caught.value.place
    assert_names(str(caught.value), *words)


def test_draws_are_candidates_in_their_place_after_the_candidate_itself(shipped):
    plain, found = load(shipped).candidates, load(shipped, [SEARCH]).candidates
    assert [one.name for one in [*plain[:2], *plain[3:]]] == [one.name for one in [*found[:2], *found[7:]]]
    assert "svm" == found[2].name
    assert 10 == found[2].learner().C
    for one in found[3:7]:
        assert one.name == f"svm(C={one.learner().C:g})"
    written = f"candidates.2={{name: a, estimator: {SVC}, params: {{C: {found[3].learner().C}}}}}"
    assert found[3].identity() == load(shipped, [written]).candidates[2].identity()


def test_the_seed_of_the_file_draws(shipped):
    first, second = (load(shipped, [SEARCH, f"seed={seed}"]).candidates for seed in (0, 1))
    assert [one.name for one in first] == [one.name for one in load(shipped, [SEARCH]).candidates]
    assert {one.name for one in first[3:7]} != {one.name for one in second[3:7]}


@pytest.mark.parametrize(
    ("search", "key", "words"),
    [
        ("{draws: 0, values: {C: [1]}}", "search.draws", [0, 1]),
        ("{values: {C: [1]}}", "search.draws", ["missing"]),
        ("{draws: 1, values: {}}", "search.values", ["{}", 1]),
        ("{draws: 1, values: {gama: [1]}}", "search.values.gama", [SVC, "did you mean gamma?"]),
        ("{draws: 1, values: {tol: 'loguniform(1, x)'}}", "search.values.tol", ["loguniform(low, high)"]),
        ("{draws: 2, values: {tol: [1, -1]}}", "search.values.tol", [-1, "SVC", "(0.0, inf)"]),
        ("{draws: 1, values: {cache_size: [1, evil]}}", "search.values.cache_size", ["evil"]),
        (
            "{draws: 1, values: {gamma: 'loguniform(0.1, 1)'}}, family: {parameter: gamma, values: [1, 2]}",
            "search.values.gamma",
            ["family"],
        ),
        ("{draws: 1, values: {tol: [1]}}, grid: {tol: [1]}", "search", ["grid"]),
    ],
)
def test_a_search_that_cannot_be_fitted_is_reported(shipped, search, key, words):
    text = f"candidates.2={{name: svm, estimator: {SVC}, params: {{C: 10}}, search: {search}}}"
    (mistake,) = mistakes(shipped, text)
    assert f"candidates[2].{key}" == mistake.key
    assert_names(mistake, *words)


def test_a_notebook_draws_the_same_candidates(shipped):
    values = {"C": "loguniform(0.1, 100)", "kernel": ["rbf", "poly"]}
    made = heldout.search("svm", svm.SVC(C=10), values, draws=4, seed=0)
    written = "candidates=[{name: svm, estimator: sklearn.svm.SVC, params: {C: 10}, search: {draws: 4, values: "
    written += "{C: 'loguniform(0.1, 100)', kernel: [rbf, poly]}}}]"
    found = load(shipped, [written]).candidates
    assert [*made] == [one.name for one in found]
    assert [(one.C, one.kernel) for one in made.values()] == [(one.learner().C, one.learner().kernel) for one in found]
