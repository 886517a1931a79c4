"""The t interval of a table of repeats by rows, by hand; tests/heldout/intervals/test_two_way.py has its laws."""

import numpy as np
import pytest

from heldout.losses import ZERO_ONE
from heldout.losses.tested_losses import RepeatedByRow
from studies.intervals import two_way_t


def test_the_two_way_t_by_hand():
    # by rows 1/4 / 4 = 1/16; by repeats ((1/4)^2 + (1/4)^2) / 2 = 1/16; V = 1/8
    seen = RepeatedByRow(np.array([0.25, 0.75]), 0.25, 4, ZERO_ONE)
    # t with 3 degrees at 3/4 is 0.7648923; times sqrt(1/8) is 0.2704303
    assert (0.2295697, 0.7704303) == pytest.approx(two_way_t.bounds(seen, 0.5), abs=5e-8)
