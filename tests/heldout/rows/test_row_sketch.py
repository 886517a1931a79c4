"""Whether two sets of rows overlap, from small sketches of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.rows.row_sketch import SHARE, SIZE, Sketch

LAWS = settings(max_examples=40, deadline=None, derandomize=True, database=None)


def rows(count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2**64, count, dtype=np.uint64)


@LAWS
@given(st.integers(0, 1000), st.integers(0, 2**32))
def test_a_sketch_is_read_as_it_was_written_whatever_the_order_and_the_copies(count, seed):
    identity = rows(count, seed)
    sketch = Sketch.of(identity)
    assert sketch == Sketch.parsed(str(sketch)) == Sketch.of(np.tile(identity[::-1], 2))
    assert min(count, SIZE) == len(sketch.identities)
    assert len(str(sketch)) < 5000  # the shortest limit that a tag of MLflow has had


@LAWS
@given(st.integers(2, 5000), st.floats(0.2, 1), st.integers(0, 2**32))
def test_a_table_overlaps_with_itself_with_what_it_grew_to_and_with_a_part(count, share, seed):
    whole = rows(count, seed)
    one, other = Sketch.of(whole), Sketch.of(whole[: max(1, round(share * count))])
    assert one.overlaps(other)
    assert other.overlaps(one)


@LAWS
@given(st.integers(0, 5000), st.integers(0, 5000))
def test_tables_without_a_common_row_do_not_overlap(one, other):
    whole = rows(one + other)
    assert not Sketch.of(whole[:one]).overlaps(Sketch.of(whole[one:]))


@pytest.mark.parametrize(("share", "found"), [(SHARE / 10, 0), (2 * SHARE, 40)])
def test_a_few_rows_in_common_are_chance_and_twice_the_share_is_not(share, found):
    n, shared = 10_000, round(share * 10_000)
    pairs = [rows(2 * n, seed) for seed in range(40)]
    seen = sum(Sketch.of(both[:n]).overlaps(Sketch.of(both[n - shared : 2 * n - shared])) for both in pairs)
    assert found == seen


def test_few_rows_of_a_large_table_are_missed_as_often_as_is_said():
    n, few = 8000, 20
    missed = [not Sketch.of(whole).overlaps(Sketch.of(whole[:few])) for whole in (rows(n, seed) for seed in range(150))]
    assert np.mean(missed) == pytest.approx(np.exp(-SIZE * few / n), abs=0.12)
