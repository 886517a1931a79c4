"""A child of the seed depends on the seed, its purpose and its unit, and on nothing else."""

from itertools import product
from typing import get_args

import numpy as np
import pytest

from heldout import seeds
from heldout.schemes import SCHEMES, fit_state
from heldout.seeds import Purpose

PURPOSES = get_args(Purpose)
SCHEMES = tuple(SCHEMES)
UNITS = [(), (0,), (1,), (2,), (0, 0), (0, 1), (1, 0)]


def test_children_are_distinct_across_seed_purpose_and_unit():
    keys = list(product([0, 1, 2**32], PURPOSES, UNITS))
    states = {tuple(seeds.child(seed, purpose, *unit).generate_state(4)) for seed, purpose, unit in keys}
    assert len(keys) == len(states)


def test_the_integers_for_scikit_learn_are_distinct_and_fit_in_32_bits():
    keys = list(product([0, 1], PURPOSES, UNITS))
    # 224 of 2^32 values: a chance collision has probability 224^2 / 2^33 = 6e-6, and the seeds are fixed
    states = [seeds.random_state(seed, purpose, *unit) for seed, purpose, unit in keys]
    assert len(keys) == len(set(states))
    assert all(0 <= state < 2**32 for state in states)


@pytest.mark.parametrize("purpose", PURPOSES)
def test_the_same_key_gives_the_same_child(purpose: Purpose):
    first, second = (np.random.default_rng(seeds.child(7, purpose, 3)) for _ in range(2))
    assert first.bytes(64) == second.bytes(64)
    assert seeds.random_state(7, purpose, 3) == seeds.random_state(7, purpose, 3)


def test_a_child_is_the_one_that_spawning_gives():
    # SeedSequence.spawn numbers its children 0, 1, ...: purpose p is child p, its unit u that one's child u
    place = PURPOSES.index("halves")
    spawned = np.random.SeedSequence(11).spawn(place + 1)[place].spawn(3)[2]
    assert spawned.generate_state(4).tolist() == seeds.child(11, "halves", 2).generate_state(4).tolist()


def test_the_places_of_the_purposes_never_change():
    first = ("test", "labeled", "shards", "validation", "folds", "tested", "order", "halves", "fit")
    later = ("subsamples", "repeated_folds", "half_subsamples", "bootstrap", "bets", "members", "path")
    assert first + later == PURPOSES[: len(first + later)]
    for place, purpose in enumerate(first + later):
        assert (place, 5) == seeds.child(0, purpose, 5).spawn_key


def test_the_places_of_the_schemes_never_change():
    first = ("holdout", "final", "cross_validation", "progressive", "covalidation")
    later = ("subsamples", "repeated_folds", "half_subsamples", "fold_pairs", "copies_together", "copies_apart")
    assert {*first, *later} - {*SCHEMES} == {"half_subsamples"}  # of `studies.intervals`
    for place, scheme in enumerate(first + later):
        assert seeds.random_state(3, "fit", place, 7) == fit_state(3, scheme, 7)


def test_the_states_of_fits_are_distinct_across_seed_scheme_and_number():
    keys = list(product([0, 1], SCHEMES, range(20)))
    # 360 of 2^32 values: a chance collision has probability 360^2 / 2^33 = 2e-5, and the seeds are fixed
    assert len(keys) == len({fit_state(*key) for key in keys})
