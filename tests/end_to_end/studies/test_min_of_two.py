"""The smaller of two estimates is too low by what the lecture says."""

import pytest

DRAWS = 4000


@pytest.mark.long
@pytest.mark.parametrize(("finding", "exact", "spread"), [("below-half", 3 / 4, 0.433), ("mean", 1 / 3, 0.236)])
def test_the_smaller_of_two_uniform_estimates(quick, finding, exact, spread):
    ours = float(quick.loc[f"min-of-two-{finding}", "ours"])
    assert abs(ours - exact) < 4 * spread / DRAWS**0.5  # four standard errors: of a share, and of a Beta(1, 2) mean
