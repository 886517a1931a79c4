"""The chain of the ledger of operations: what is appended holds, and any change of one entry is found."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.outcome import chain
from tasks.outcome.chain import Entry, Head
from tasks.runtime.errors import UserError

SAID = st.dictionaries(
    st.text(max_size=8),
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**53), 2**53)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(max_size=9),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=6,
    ),
    max_size=4,
)


def chained(*said) -> list[Entry]:
    """A chain of entries that say these."""
    made: list[Entry] = []
    for number, one in enumerate(said):
        draft = Entry(0, "", f"2026-01-01T00:00:{number:02d}.000+00:00", "ann", "1", "watched", one, f"{number}")
        made.append(chain.following(made[-1] if made else None, draft))
    return made


def stored(entries) -> dict[str, str]:
    return {chain.name_of(place): entry.text() for place, entry in enumerate(entries, 1)}


@settings(max_examples=20)
@given(st.lists(SAID, min_size=1, max_size=5))
def test_what_was_appended_is_read_as_it_was_and_holds(said):
    entries = chained(*said)
    assert [] == [*chain.faults(stored(entries))]
    assert entries == [*chain.entries_of(stored(entries))]
    assert said == [entry.said for entry in entries]
    assert [*range(1, len(said) + 1)] == [entry.number for entry in entries]


@given(st.lists(SAID, min_size=2, max_size=5), st.data())
def test_any_one_letter_of_what_is_stored_that_changes_is_found(said, data):
    texts = stored(chained(*said))
    name = data.draw(st.sampled_from(sorted(texts)))
    place = data.draw(st.integers(0, len(texts[name]) - 1))
    letter = data.draw(st.characters(codec="utf-8").filter(lambda one: one != texts[name][place]))
    texts[name] = texts[name][:place] + letter + texts[name][place + 1 :]
    assert [*chain.faults(texts)]


@given(st.permutations(range(4)))
def test_any_other_order_is_found(order):
    entries = chained(*({"n": number} for number in range(4)))
    moved = [entries[place] for place in order]
    assert bool([*chain.faults(stored(moved))]) == (order != [0, 1, 2, 3])


def test_an_entry_made_again_is_found_by_the_one_after_it_and_the_last_by_a_head():
    entries = chained({"n": 1}, {"n": 2}, {"n": 3})
    for place in range(3):
        changed = replace(entries[place], who="eve")
        again = [*entries[:place], replace(changed, hash=changed.made_hash()), *entries[place + 1 :]]
        faults = [*chain.faults(stored(again))]
        assert (place < 2) == bool(faults)
        assert chain.does_not_hold(entries[place].head, again)
        assert "" == chain.does_not_hold(Head.parsed(str(entries[place].head)), entries)
    assert "is not there" in chain.does_not_hold(entries[2].head, entries[:2])


def test_a_missing_entry_and_a_stranger_among_them_are_found():
    texts = stored(chained({}, {}, {}))
    for name in [*texts]:
        left = {other: text for other, text in texts.items() if other != name}
        # the last one is found by the head that its run names: test_verify.py
        assert bool([*chain.faults(left)]) == (name != max(texts))
    assert ["'x' is no name of an entry"] == [*chain.faults({**texts, "x": "y"})]


def test_what_cannot_be_stored_is_refused():
    with pytest.raises(ValueError, match="has .* letters; at most 6000"):
        chained({"long": "x" * 6000})
    with pytest.raises(ValueError, match="not JSON compliant"):
        chained({"number": float("nan")})
    for text in ("", "12", "12 xyz", "x 0123456789abcdef", "3 0123"):
        with pytest.raises(UserError, match="is no head of a ledger"):
            Head.parsed(text)
    for text in ("{}", "[]", json.dumps({"number": 1})):
        with pytest.raises(ValueError):  # noqa: PT011  # of json, or ours
            Entry.parsed(text)
