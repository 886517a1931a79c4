"""How often the interval of overlapping windows covers: a naive forecast of series that remember."""

import numpy as np
import pytest

import heldout

SAMPLES = 300


@pytest.mark.slow
@pytest.mark.parametrize(("times", "horizon", "series"), [(81, 1, 1), (241, 3, 3)])
def test_the_interval_of_windows_is_not_far_below_its_level(times, horizon, series):
    """y_t = .8 y_(t-1) + e_t, the shocks of series at a time correlated by .5; 20 blocks. At 95 %, .92 less 3 standard
    errors of 300 samples is .873.
    """
    rng, held = np.random.default_rng(9), 0
    ahead = np.arange(1, horizon + 1)
    truth = np.mean(2 * (1 - 0.8**ahead) / (1 - 0.64))
    for _ in range(SAMPLES):
        shocks = np.sqrt(0.5) * (rng.normal(size=(times + 60, 1)) + rng.normal(size=(times + 60, series)))
        y = np.zeros_like(shocks)
        for t in range(1, len(y)):
            y[t] = 0.8 * y[t - 1] + shocks[t]
        y = y[60:]
        cutoff, step, of = (grid.ravel() for grid in np.meshgrid(np.arange(times - horizon), ahead, np.arange(series)))
        table = {
            "unique_id": of,
            "ds": cutoff + step,
            "cutoff": cutoff,
            "y": y[cutoff + step, of],
            "Naive": y[cutoff, of],
        }
        (one,) = heldout.from_predictions(table).estimates
        held += one.low <= truth <= one.high
    assert held / SAMPLES >= 0.873
