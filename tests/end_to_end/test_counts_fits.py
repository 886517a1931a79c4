"""A run fits what no run before has fitted, and nothing else: a user's learner counts its own fits."""

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from heldout.schemes.resampling import SUBSAMPLES

COUNTING = Path(__file__).parent / "learners/counting.py"
pytestmark = pytest.mark.long
HOLDOUT, FINAL, FOLDS, BLOCKS, REPEATS, MORE_REPEATS = 1, 1, 3, 4, 3, 5
ALL_BUT_HALVES = HOLDOUT + FINAL + FOLDS + BLOCKS
ALL = ALL_BUT_HALVES + 2 * MORE_REPEATS
PAIRS = FOLDS * (FOLDS - 1) // 2
ALONE, WITH_SUBSAMPLES = "Bayle within folds", "corrected t"  # intervals of E_cv, from the folds alone or from more


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

    def validate(*candidates: dict, repeats: int = MORE_REPEATS, interval: str = ALONE, **more) -> tuple[Counter, int]:
        log.write_text("")
        changes = {"candidates": [*candidates], "covalidation": {"repeats": repeats}, "progressive": {"block": 15}}
        changes |= {"intervals": {"E_cv": interval}, "execution": {"allowed_modules": ["sklearn", "counting"]}, **more}
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
        "an interval that asks for more": fits_of(FIRST, CHANGED, interval=WITH_SUBSAMPLES),
        "selection nested, by another rule": fits_of(
            FIRST,
            CHANGED,
            interval=WITH_SUBSAMPLES,
            selection={"rule": "indistinguishable"},
            further_estimates=["E_nested"],
        ),
        "the folds delivered": fits_of(FIRST, CHANGED, deliver="k_fold"),
        "their vote delivered": fits_of(FIRST, CHANGED, deliver="vote"),
    }


def test_every_fit_is_made_once(story):
    made, _ = story["from nothing"]
    assert fits(ALL_BUT_HALVES + 2 * REPEATS, FIRST, SECOND) == made


def test_more_repeats_fit_the_new_halves_alone(story):
    made, _ = story["more repeats"]
    assert fits(2 * (MORE_REPEATS - REPEATS), FIRST, SECOND) == made


def test_a_candidate_added_or_changed_is_fitted_alone(story):
    made, _ = story["one added and one changed"]
    assert fits(ALL, CHANGED, ADDED) == made


def test_the_same_learners_again_whatever_their_names_are_not_fitted(story):
    made, _ = story["again, one under another name"]
    assert Counter() == made


def test_an_interval_fits_what_it_asks_for_alone(story):
    made, _ = story["an interval that asks for more"]
    assert fits(SUBSAMPLES, FIRST, CHANGED) == made


def test_nested_selection_fits_a_hypothesis_for_each_pair_of_folds_alone(story):
    made, _ = story["selection nested, by another rule"]
    assert fits(PAIRS, FIRST, CHANGED) == made


def test_a_form_of_delivery_fits_the_folds_whose_hypotheses_were_not_kept_and_another_one_nothing(story):
    made, _ = story["the folds delivered"]
    assert fits(FOLDS, FIRST, CHANGED) == made
    made, _ = story["their vote delivered"]
    assert Counter() == made


def test_contamination_grows_by_each_learner_never_compared_before(story):
    assert [2, 2, 4, 4, 4, 4, 4, 4] == [contamination for _, contamination in story.values()]
