"""Words of cells: equal for equal values in any type, different for different numbers of any size."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from heldout.rows.hashing import bits

NUMBERS = st.integers(-(2**80), 2**80) | st.integers(2**53 - 9, 2**53 + 9) | st.integers(-(2**63), 2**64 - 1)


@given(st.lists(NUMBERS, unique=True, min_size=1))
def test_whole_numbers_of_any_size_have_words_of_their_own_in_any_type(values):
    objects = bits(np.array(values, dtype=object))
    assert len({*objects.tolist()}) == len(values)
    for dtype in (np.int64, np.uint64):
        fits = [value for value in values if np.iinfo(dtype).min <= value <= np.iinfo(dtype).max]
        assert bits(np.array(fits, dtype)).tolist() == bits(np.array(fits, dtype=object)).tolist()


@given(st.lists(st.floats(-1e300, 1e300).map(lambda value: float(int(value))), min_size=1))
def test_a_whole_number_that_a_float_equals_has_the_word_of_the_float(values):
    whole = np.array([int(value) for value in values], dtype=object)
    assert bits(np.array(values)).tolist() == bits(whole).tolist()
