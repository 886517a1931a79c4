"""The default interval of E_prog for classes, where the chance of an error changes along the steps."""

import numpy as np
import pytest

from heldout.estimates.methods import DEFAULTS
from heldout.losses import ZERO_ONE
from heldout.losses.tested_losses import Tested

LEVEL, STREAMS = 0.95, 4000
# the chance of an error at a step, from its share of the stream, whether the step before erred, and the errors so far
CHANCES = {
    "the same": lambda base, share, erred, errors: base,
    "falling": lambda base, share, erred, errors: 3 * base / (1 + 4 * share),
    "errors follow one another": lambda base, share, erred, errors: np.where(erred, 0.8, base),
    "each error teaches": lambda base, share, erred, errors: 3 * base / (1 + errors),
    "each error harms": lambda base, share, erred, errors: np.minimum(base * (0.3 + 0.7 * errors), 0.9),
}


@pytest.mark.parametrize("m", [50, 150])
@pytest.mark.parametrize("base", [0.005, 0.02, 0.1])
@pytest.mark.parametrize("chance", CHANCES.values(), ids=list(CHANCES))
def test_it_holds_the_mean_chance_of_an_error_at_least_as_often_as_its_level(chance, base, m):
    """The target of the progressive hypothesis is the mean of its steps' chances, in each stream another one."""
    rng = np.random.default_rng([m, int(1000 * base)])
    erred, errors, total = (np.zeros(STREAMS) for _ in range(3))
    for step in range(m):
        of_step = chance(base, step / m, erred, errors) * np.ones(STREAMS)
        erred = rng.random(STREAMS) < of_step
        errors, total = errors + erred, total + of_step
    method, ends = DEFAULTS["E_prog"].zero_one, {}
    for count in np.unique(errors):
        losses = (np.arange(m) < count).astype(float)
        ends[count] = method.bounds(Tested(losses, ZERO_ONE), LEVEL)
    low, high = np.array([ends[count] for count in errors]).T
    held = np.mean((low <= total / m) & (total / m <= high))
    assert held >= LEVEL - 2 * np.sqrt(LEVEL * (1 - LEVEL) / STREAMS)
