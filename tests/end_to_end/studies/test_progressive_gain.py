"""What progressive validation gains over a hold-out, on the two sets and five samples a size of the quick form."""

import pytest

T = 2.78  # of Student's t with four degrees of freedom, at level 0.95: five samples


def _gain(quick, finding):
    """Our number, and its standard error."""
    ours, low, high = (float(quick.loc[f"progressive-gain-{finding}", column]) for column in ("ours", "low", "high"))
    return ours, (high - low) / 2 / T


@pytest.mark.long
def test_the_gain_is_clear_and_shrinks_with_n(quick):
    (small, error_of_small), (large, error_of_large) = _gain(quick, "small-n"), _gain(quick, "large-n")
    assert small > T * error_of_small
    assert large > T * error_of_large
    assert 0.01 < large < small < 0.08  # four standard errors, of 0.0075, about 0.041


@pytest.mark.long
def test_a_learner_that_learns_nothing_gains_nothing(quick):
    ours, error = _gain(quick, "stable-learner")
    assert abs(ours) < 4 * error < 0.05


@pytest.mark.long
@pytest.mark.parametrize(("block", "straight"), [(5, 35 / 39), (20, 20 / 39)])
def test_blocks_keep_what_straight_learning_curves_would(quick, block, straight):
    ours, error = _gain(quick, f"kept-with-blocks-of-{block}")
    assert abs(ours - straight) < 4 * error < 0.15


@pytest.mark.long
def test_it_gains_hardly_less_than_half_m_more_rows(quick):
    ours, error = _gain(quick, "to-half-m-more-rows")
    assert 1 - 4 * error < ours < 1 + 2 * error


@pytest.mark.long
def test_it_is_as_accurate_as_the_holdout(quick):
    ours, error = _gain(quick, "discrepancy-to-holdout")
    assert abs(ours - 1) < 4 * error


@pytest.mark.long
@pytest.mark.parametrize("n", ["small", "large"])
def test_more_pairs_of_set_and_learner_gain_than_lose(quick, n):
    helped, lost = (
        int(text.split()[0]) for text in _counts(quick.loc[f"progressive-gain-pairs-helped-{n}-n", "verdict"])
    )
    assert lost <= 1 < helped  # at this level, one of forty falls below 0 by chance: of ten pairs hardly two
    assert helped + lost <= 10


def _counts(verdict):
    above, below = verdict.split("is above 0 for ")[1].split(" pairs, below 0 for ")
    return above, below
