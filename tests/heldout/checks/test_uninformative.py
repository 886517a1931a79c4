"""Columns that name the row or say nothing are found; those that merely differ everywhere are not."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.checks.uninformative import why_useless

ROWS = 60
RNG = np.random.default_rng(3)
SHUFFLED = RNG.permutation(ROWS)
USELESS = {
    "empty": (pd.Series([None] * ROWS, dtype="float64"), "every value is missing"),
    "one number": (pd.Series([7] * ROWS), "constant: every value is 7"),
    "one string": (pd.Series(["a"] * ROWS), "constant: every value is 'a'"),
    "row numbers": (pd.Series(range(ROWS)), "in the order of the file"),
    "falling": (pd.Series(range(900, 900 - 3 * ROWS, -3)), "in the order of the file"),
    "floats of a gap": (pd.Series([None, *range(1, ROWS)]), "in the order of the file"),
    "shuffled row numbers": (pd.Series(SHUFFLED + 5000), "without a gap"),
    "customer_id": (pd.Series(SHUFFLED * 17 + 4), "called customer_id"),
    "hashes": (pd.Series([f"{value:032x}" for value in SHUFFLED * 7919]), "one-word strings"),
    "codes as categories": (pd.Series([f"C-{value}" for value in SHUFFLED], dtype="category"), "one-word strings"),
    "numbered": (pd.Series([f"invoice no {value}" for value in SHUFFLED]), "differ in their digits alone"),
}
WORDS = ["red", "green", "fast", "slow", "house", "tree", "river", "cloud", "stone", "wheel"]
USEFUL = {
    "fractions": pd.Series(np.sort(RNG.normal(size=ROWS))),
    "amounts": pd.Series(RNG.permutation(np.arange(ROWS) ** 2 + 11)),
    "a gap and one value": pd.Series([1.0, None] * (ROWS // 2)),
    "sorted with ties": pd.Series(np.arange(ROWS) // 2),
    "free text": pd.Series([" ".join(RNG.choice(WORDS, 9)) for _ in range(ROWS)]),
    "dates": pd.Series(pd.date_range("2026-01-01", periods=ROWS)),
    "truths": pd.Series([True, False] * (ROWS // 2)),
    "categories": pd.Series(["x", "y", "z"] * (ROWS // 3), dtype="category"),
    "few numbers": pd.Series(range(10)),
}


@pytest.mark.parametrize("name", USELESS)
def test_a_column_that_says_nothing_is_found_with_its_reason(name):
    column, expected = USELESS[name]
    found = why_useless(column.rename(name))
    assert found is not None
    assert expected in found


@pytest.mark.parametrize("name", USEFUL)
def test_a_column_that_may_say_something_stays(name):
    assert None is why_useless(USEFUL[name].rename(name))


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=20, max_size=80, unique=True), st.randoms())
def test_fractions_are_never_identifiers(values, random):
    values = [value + 0.5 if value % 1 == 0 and abs(value) < 1e15 else value for value in values]
    if all(value % 1 == 0 for value in values):
        values[0] = 0.5
    random.shuffle(values)
    assert None is why_useless(pd.Series(values, name="x"))


@given(st.integers(20, 200), st.integers(-(10**9), 10**9), st.integers(1, 1000), st.booleans())
def test_whole_numbers_that_rise_or_fall_down_the_file_are_identifiers(rows, first, step, falling):
    values = pd.Series(np.arange(rows) * step + first, name="x")
    assert "identifier" in (why_useless(values[::-1] if falling else values) or "")
