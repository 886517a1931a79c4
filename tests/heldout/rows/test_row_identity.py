"""The identity of a row, and the test set: its content and its number among equal rows decide, with the key."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import binom

from heldout.rows.hashing import bits
from heldout.rows.row_identity import GAP, contents, drawn, identities, numbers, of_groups

LAWS = settings(max_examples=40, deadline=None, derandomize=True, database=None)
tables = st.integers(1, 8).flatmap(
    lambda n: arrays(np.float64, (n, 3), elements=st.sampled_from([0.0, -0.0, 1.0, 2.5, 1e300, np.nan]))
)
N = 20_000
RARE = 1e-4  # with a fixed seed: one in ten thousand good hashes would fall outside


def of_table(X: np.ndarray, names: str = "abc") -> np.ndarray:
    return contents({name: bits(X[:, place]) for place, name in enumerate(names)})


@LAWS
@given(tables, st.randoms(use_true_random=False))
def test_rows_are_alike_if_and_only_if_their_cells_are_in_any_order_and_company(X, random):
    identity = of_table(X)
    rows = [random.randrange(len(X)) for _ in range(9)]
    assert identity[rows].tolist() == of_table(X[rows]).tolist()
    assert identity.tolist() == of_table(X[:, [2, 0, 1]], "cab").tolist()
    contents = [str((row + 0.0).tolist()) for row in X]
    assert len(set(contents)) == len(set(identity.tolist()))


def test_a_name_counts_and_a_column_without_values_does_not():
    X = np.arange(6.0).reshape(2, 3)
    assert set(of_table(X)).isdisjoint(of_table(X, "abd"))
    words = {name: bits(X[:, place]) for place, name in enumerate("abc")}
    assert of_table(X).tolist() == contents({**words, "new": np.array([GAP, GAP])}).tolist()


@LAWS
@given(st.integers(0, 2**40), st.floats(0, 1), st.floats(0, 1))
def test_a_larger_fraction_keeps_the_rows_of_a_smaller_one_and_no_row_decides_about_another(key, one, other):
    identity = of_table(np.random.default_rng(0).normal(size=(40, 3)))
    small, large = (drawn(identity, key, fraction) for fraction in sorted((one, other)))
    assert not (small & ~large).any()
    assert small[3:9].tolist() == drawn(identity[3:9], key, min(one, other)).tolist()
    assert not drawn(identity, key, 0).any()
    assert drawn(identity, key, 1).all()


@pytest.mark.parametrize("fraction", [0.01, 0.2, 0.5])
def test_the_share_is_the_fraction_under_each_key_and_keys_are_independent(fraction):
    identity = of_table(np.arange(3 * N, dtype=float).reshape(N, 3))
    parts = [drawn(identity, key, fraction) for key in range(3)]
    for mask, share in ((parts[0], fraction), (parts[1], fraction), (parts[0] & parts[2], fraction**2)):
        assert RARE < binom.cdf(mask.sum(), N, share) < 1 - RARE


def test_a_group_is_in_the_part_with_the_fraction_however_many_rows_it_has():
    group = np.repeat(np.arange(4000), np.random.default_rng(1).integers(1, 9, 4000))
    identity = of_groups(of_table(np.arange(3.0 * len(group)).reshape(-1, 3)), group)
    part = drawn(identity, 0, 0.2)
    groups = np.unique(group[part])
    assert not set(groups) & set(group[~part])
    assert RARE < binom.cdf(len(groups), 4000, 0.2) < 1 - RARE


few = st.lists(st.integers(0, 5), min_size=1, max_size=60).map(lambda values: contents({"a": bits(np.array(values))}))


@LAWS
@given(few, few, st.randoms(use_true_random=False))
def test_no_order_changes_the_identities_of_a_table_and_further_rows_add_theirs(content, more, random):
    before = identities(content, numbers(content))
    assert len(content) == len(set(before.tolist()))
    shuffled = content[random.sample(range(len(content)), len(content))]
    assert sorted(before) == sorted(identities(shuffled, numbers(shuffled)))
    grown = np.concatenate([content, more])
    assert before.tolist() == identities(grown, numbers(grown))[: len(content)].tolist()
    first = np.unique(content, return_index=True)[1]
    assert content[first].tolist() == before[first].tolist()  # number 0


@pytest.mark.parametrize("copies", [2, 1000])
def test_equal_rows_are_drawn_independently(copies):
    content = np.tile(of_table(np.arange(3.0 * (N // copies)).reshape(-1, 3)), copies)
    part = drawn(identities(content, numbers(content)), 0, 0.2).reshape(copies, -1)
    assert RARE < binom.cdf(part.sum(), N, 0.2) < 1 - RARE
    assert RARE < binom.cdf((part[0] & part[1]).sum(), N // copies, 0.04) < 1 - RARE
    # of each content about a fifth is drawn: the counts are as spread as those of a draw
    assert part.sum(axis=0).var() == pytest.approx(copies * 0.16, rel=0.15 if copies == 2 else 0.75)


def test_a_million_rows_are_numbered_within_seconds():
    content = np.random.default_rng(0).integers(0, 300_000, 1_000_000).astype(np.uint64)
    begin = time.perf_counter()
    number = numbers(content)
    assert time.perf_counter() - begin < 5  # 0.2 s on an idle machine
    assert number.max() + 1 == np.unique(content, return_counts=True)[1].max()
    assert 0 == len(numbers(content[:0]))


def test_the_test_rows_of_earlier_versions_stay_test_rows():
    """If this fails, every user's test set would be drawn again, with rows that were trained on."""
    identity = of_table(np.arange(90.0).reshape(30, 3))
    assert [4, 5, 6, 11, 17, 20] == np.flatnonzero(drawn(identity, 7, 0.2)).tolist()
