"""Which lines are pinned after a history, and what a pinned line needs."""

import math

import pytest

from heldout.monitoring.promotion import needed
from tasks.outcome.chain import Entry
from tasks.outcome.contest import Promotion
from tasks.outcome.operations import Of, champions
from tasks.outcome.pins import against_pin, pin_of, pins, prevented_before

OF = Of("digits", "source")


def entries(*told: tuple[str, dict]) -> list[Entry]:
    return [
        Entry(number, "", "2026-01-02T03:04:05", "ann", "1", kind, said) for number, (kind, said) in enumerate(told, 1)
    ]


def promoted(candidate: str, version: int, learner: str = "", of: Of = OF) -> tuple[str, dict]:
    said = {
        "candidate": candidate,
        "learner": learner or f"of {candidate}",
        "version": str(version),
        "alias": f"{of.name}@champion",
    }
    return "champion", of.said(**said)


def rolled_back(candidate: str, version: int, to: int = 1, learner: str = "", of: Of = OF) -> tuple[str, dict]:
    said = {
        "candidate": candidate,
        "learner": learner or f"of {candidate}",
        "instead_of": str(version),
        "version": str(to),
    }
    return "rollback", of.said(alias=f"{of.name}@champion", **said)


def released(*candidates: str) -> tuple[str, dict]:
    return "release", OF.said(candidates=[*candidates])


def held(*told) -> dict[str, int]:
    return {pin.candidate: pin.rollbacks for pin in pins(entries(*told), OF)}


def test_a_line_is_pinned_until_it_is_released_or_wins_again():
    first, win, back = promoted("stump", 1), promoted("tree", 2), rolled_back("tree", 2)
    assert {} == held(first, win)
    assert {"tree": 1} == held(first, win, back)
    assert {} == held(first, win, back, released("tree"))
    assert {} == held(first, win, back, promoted("tree", 3))
    assert {"tree": 1} == held(first, win, back, promoted("forest", 3), released("forest"))
    assert {"tree": 1, "forest": 1} == held(first, win, back, promoted("forest", 3), rolled_back("forest", 3))


def test_each_rollback_since_the_last_release_doubles_what_the_line_needs():
    story = [promoted("stump", 1), promoted("tree", 2), rolled_back("tree", 2), promoted("tree", 3)]
    assert {"tree": 2} == held(*story, rolled_back("tree", 3))
    # a command that was killed before it moved the alias is repeated
    assert {"tree": 2} == held(*story, rolled_back("tree", 3), rolled_back("tree", 3))
    assert {"tree": 1} == held(*story, released("tree"), rolled_back("tree", 3))
    (pin,) = pins(entries(*story, rolled_back("tree", 3)), OF)
    assert math.exp(needed(pin.level(0.95))) == pytest.approx(4 * 20)
    assert "a capital of 80" in pin.explained(0.95)
    assert sum(0.05 * 0.5**count for count in range(60)) == pytest.approx(2 * 0.05)  # the promise


def test_a_line_is_a_name_or_a_learner():
    held_ = pins(entries(rolled_back("tree", 2, learner="abc")), OF)
    assert pin_of(held_, "tree", "another") is not None
    assert pin_of(held_, "renamed", "abc") is not None
    assert pin_of(held_, "forest", "another") is None


def test_another_source_or_name_is_not_pinned():
    for other in (Of("digits", "another"), Of("letters", "source")):
        assert {} == held(rolled_back("tree", 2, of=other))
        assert {"tree": 1} == held(rolled_back("tree", 2), promoted("tree", 3, of=other))


def test_the_champion_is_who_the_last_entry_says():
    assert {"digits@champion": "1"} == champions(entries(promoted("a", 1), promoted("b", 2), rolled_back("b", 2)))


def test_a_pinned_winner_is_told_whether_the_pin_is_what_holds_it_back():
    (pin,) = pins(entries(rolled_back("tree", 2)), OF)
    yes, no = Promotion("yes", "shown to err less"), Promotion("no", "not distinguishable")
    prevented = against_pin(pin, 0.95, yes, no)
    assert ("no", True, pin.entry) == (prevented.promoted, prevented.prevented, prevented.pin)
    assert prevented.reason.startswith("a pin prevents the promotion: tree is pinned since ann rolled version 2 back")
    assert "rollback --release tree" in prevented.reason
    weak = against_pin(pin, 0.95, no, no)
    assert ("no", False) == (weak.promoted, weak.prevented)
    won = against_pin(pin, 0.95, yes, yes)
    assert ("yes", False) == (won.promoted, won.prevented)
    assert "outweighs the pin of entry 1" in won.reason


def test_a_prevented_promotion_is_told_once_for_each_rollback():
    (pin,) = pins(entries(rolled_back("tree", 2)), OF)
    told = entries(("contest", OF.said(pin=1, prevented=True)))
    assert prevented_before(pin, told)
    assert not prevented_before(pin, entries(("contest", OF.said(pin=1, prevented=False)), ("contest", OF.said())))
    assert not prevented_before(pin, entries(("contest", OF.said(pin=9, prevented=True))))
