"""The study of picked rows, in a quick form: the columns are what they say."""

import numpy as np
import pytest

from studies.label_next import CASES, sample


@pytest.mark.slow
def test_weighed_errors_lie_about_their_target_and_those_of_rows_as_they_are_above_it():
    found = [sample(CASES[0], seed) for seed in range(12)]
    weighed, as_drawn = (np.mean([getattr(one, name) for one in found]) for name in ("fixed", "fixed_as_drawn"))
    assert abs(weighed) < 3 * np.std([one.fixed for one in found]) / 12**0.5
    assert as_drawn > 0.05
