"""`@pytest.mark.draws`: a law that holds on random problems, each drawn from its own `seed`."""

import pytest

QUICK = 5  # of the problems of a law are in the default suite: at least one of each kind of problem
SLOW = 7  # the problems up to here are slow tests
ALL = 60  # and the rest are too long for CI


def pytest_generate_tests(metafunc):
    """The seeds of a law: `@pytest.mark.draws(quick=7, of=60)`."""
    for marker in metafunc.definition.iter_markers("draws"):
        quick, of = marker.kwargs.get("quick", QUICK), marker.kwargs.get("of", ALL)
        slow = [pytest.param(seed, marks=pytest.mark.slow) for seed in range(quick, min(of, SLOW))]
        long = [pytest.param(seed, marks=pytest.mark.long) for seed in range(SLOW, of)]
        metafunc.parametrize("seed", [*range(quick), *slow, *long])
