"""A run fits what no run before has fitted, and nothing else: a user's learner counts its own fits."""

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

COUNTING = Path(__file__).parent / "learners/counting.py"
pytestmark = pytest.mark.slow
HOLDOUT, FINAL, FOLDS, BLOCKS, REPEATS, MORE_REPEATS = 1, 1, 3, 2, 3, 5
ALL = HOLDOUT + FINAL + FOLDS + BLOCKS + 2 * MORE_REPEATS


def candidate(name: str, smoothing: float) -> dict:
    return {"name": name, "estimator": "counting.Counting", "params": {"var_smoothing": smoothing}}


def fits(number: int, *candidates: dict) -> Counter:
    """The same number of fits for each of `candidates`."""
    return Counter({candidate["params"]["var_smoothing"]: number for candidate in candidates})


FIRST, SECOND, CHANGED = candidate("first", 1e-9), candidate("second", 1e-6), candidate("second", 1e-2)
ADDED, RENAMED = candidate("added", 1e-3), candidate("another name", 1e-3)


@pytest.fixture(scope="module")
def fits_of(clone, server, write_params, tmp_path_factory):
    """A function that validates candidates and returns the fits made by `var_smoothing`, and the contamination."""
    checkout, folder = clone(server), tmp_path_factory.mktemp("user")
    shutil.copy(COUNTING, folder)
    log = folder / "fits.txt"

    def validate(*candidates: dict, repeats: int = MORE_REPEATS) -> tuple[Counter, int]:
        log.write_text("")
        changes = {"candidates": [*candidates], "covalidation": {"repeats": repeats}, "progressive": {"block": 15}}
        checkout.flow("validate", "--params", write_params(folder / "params.yaml", **changes))
        selection = json.loads((checkout.path / "reports/selection.json").read_text())
        return Counter(map(float, log.read_text().split())), selection["contamination"]

    return validate


@pytest.fixture(scope="module")
def story(fits_of) -> dict[str, tuple[Counter, int]]:
    """One change after the other, in one checkout."""
    return {
        "from nothing": fits_of(FIRST, SECOND, repeats=REPEATS),
        "more repeats": fits_of(FIRST, SECOND),
        "one added and one changed": fits_of(FIRST, CHANGED, ADDED),
        "again, one under another name": fits_of(FIRST, CHANGED, RENAMED),
    }


def test_every_fit_is_made_once(story):
    made, _ = story["from nothing"]
    assert fits(HOLDOUT + FINAL + FOLDS + BLOCKS + 2 * REPEATS, FIRST, SECOND) == made


def test_more_repeats_fit_the_new_halves_alone(story):
    made, _ = story["more repeats"]
    assert fits(2 * (MORE_REPEATS - REPEATS), FIRST, SECOND) == made


def test_a_candidate_added_or_changed_is_fitted_alone(story):
    made, _ = story["one added and one changed"]
    assert fits(ALL, CHANGED, ADDED) == made


def test_the_same_learners_again_whatever_their_names_are_not_fitted(story):
    made, _ = story["again, one under another name"]
    assert Counter() == made


def test_contamination_grows_by_each_learner_never_compared_before(story):
    assert [contamination for _, contamination in story.values()] == [2, 2, 4, 4]
