"""Rows that are known by a key: a few corrections and a column that ages move nothing, another unit does."""

import re

import numpy as np
import pytest

from heldout.monitoring.corrected_rows import Profile, changed


def columns(**changed) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    bill, tenure = rng.normal(60, 18, 500), rng.gamma(2, 14, 500)
    plan = rng.choice(["basic", "plus", None], 500, p=[0.6, 0.35, 0.05]).astype(object)
    return {"bill": bill, "tenure": tenure, "plan": plan, **changed}


RARE = (np.random.default_rng(2).random(500) < 0.1).astype(float)
ONCE = columns(rare=RARE)


@pytest.mark.parametrize(
    "now",
    [
        ONCE,
        columns(bill=ONCE["bill"].round(2)),
        columns(tenure=ONCE["tenure"] + 1),
        columns(bill=np.where(np.arange(500) < 30, 9999, ONCE["bill"])),
        columns(plan=np.where(np.arange(500) < 30, "max", ONCE["plan"]).astype(object)),
        {"bill": ONCE["bill"], "new": ONCE["bill"]},
    ],
    ids=["as they were", "fewer digits", "aged", "thirty corrected", "thirty of a new plan", "other columns"],
)
def test_corrections_and_a_column_that_ages_move_nothing(now):
    assert [] == [*Profile.of(ONCE).moved(now)]


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("bill", 100 * ONCE["bill"], "bill is at most .* in 0.* % of the known rows, and was in 90 %"),
        ("bill", -ONCE["bill"], "bill is at most"),
        ("bill", np.where(np.arange(500) < 80, np.nan, ONCE["bill"]), "bill is missing in 16 % .* was in 0 %"),
        ("plan", np.full(500, "basic", object), "plan is plus in 0 % of the known rows, and was in 31"),
        ("plan", np.where(np.arange(500) < 200, "ultra", ONCE["plan"]).astype(object), "plan is ultra in"),
    ],
    ids=["another unit", "another sign", "gaps", "one value", "a new value"],
)
def test_a_column_that_moved_as_a_whole_is_named(name, values, said):
    (moved,) = Profile.of(ONCE).moved(columns(**{name: values}))
    assert name == moved.column
    assert re.search(said, str(moved)), str(moved)


def test_a_column_of_another_kind_is_named_unless_its_known_values_are_still_numbers():
    """One text among new rows makes all values of a column texts."""
    profile, texts = Profile.of(ONCE), {name: ONCE[name].astype(str).astype(object) for name in ("bill", "tenure")}
    assert [] == [*profile.moved(texts)]
    words = {"bill": np.array([f"{value} EUR" for value in ONCE["bill"]], object), "plan": ONCE["bill"]}
    said = ["bill is a number in 0 % of the known rows, and was in 100 %"]
    said += ["plan is a text in 0 % of the known rows, and was in 100 %"]
    assert said == [str(one) for one in profile.moved(words)]


def mixed(name: str) -> dict[str, np.ndarray]:
    return columns(**{name: np.random.default_rng(1).permutation(ONCE[name])})


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (ONCE, []),
        (columns(bill=ONCE["bill"].round(0), tenure=ONCE["tenure"] + 1), []),
        (columns(plan=np.where(np.arange(500) < 90, "plus", ONCE["plan"]).astype(object)), []),
        (columns(bill=np.full(500, np.nan)), []),  # gaps, which the shares say
        (columns(bill=np.full(500, "60", object)), []),  # of another kind
        (mixed("bill"), ["bill has a value far from the one before in 39"]),
        (mixed("plan"), ["plan has another value in 4"]),
        (mixed("rare"), ["rare has another value in 1"]),
        (columns(rare=np.where(np.arange(500) < 20, 1 - RARE, RARE)), []),
    ],
    ids=[
        "as they were",
        "rounded and aged",
        "another plan",
        "gaps",
        "texts",
        "numbers",
        "plans",
        "a label",
        "few labels",
    ],
)
def test_a_column_whose_values_went_to_other_rows_is_named(now, said):
    profile = Profile.of(ONCE)
    found = changed(profile.far(profile.ranks(ONCE), now), now)
    assert len(said) == len(found)
    assert all(str(one).startswith(words) for one, words in zip(found, said, strict=True)), [*map(str, found)]
