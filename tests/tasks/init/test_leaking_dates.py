"""A target that is the time between two dates is found by the later date; dates that say nothing of it are not."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.checks.leaking_dates import of_dates
from tasks.init import profile

few = settings(max_examples=10, deadline=None)


def stays(rng, rows=600, gaps=0.0):
    """Days of admission and discharge, a third date that follows no other, and how many days each stays."""
    days = 1 + rng.poisson(np.exp(1.2 + 0.5 * rng.normal(size=rows)))
    admitted = pd.Timestamp("2025-02-01") + pd.to_timedelta(rng.integers(0, 365, rows), unit="D")
    discharged = (admitted + pd.to_timedelta(days, unit="D")).to_series(index=range(rows))
    born = pd.Timestamp("1950-01-01") + pd.to_timedelta(rng.integers(0, 20_000, rows), unit="D")
    frame = pd.DataFrame({"born": born, "admitted": admitted, "ward": rng.choice(list("abc"), rows)})
    return frame.assign(discharged=discharged.where(rng.random(rows) >= gaps)), pd.Series(days)


@few
@given(st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
def test_the_later_of_two_dates_gives_their_difference_away(seed, classes, turned):
    frame, days = stays(np.random.default_rng(seed))
    frame = frame[frame.columns[::-1]] if turned else frame
    target = pd.Series(np.where(days > 5, "long", "short")) if classes else days.astype(float)
    (found,) = of_dates(frame, target, classes=classes)
    assert ("discharged",) == found.columns
    assert found.sure
    assert found.why.startswith("discharged - admitted gives the target: it alone predicts the target")


@few
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_dates_that_say_much_of_the_target_or_nothing_stay(seed, classes):
    rng = np.random.default_rng(seed)
    frame, days = stays(rng)
    noisy = days + rng.normal(scale=2, size=len(days))
    for numbers in (noisy, pd.Series(rng.normal(size=len(days)))):
        target = numbers > numbers.median() if classes else numbers
        assert [] == of_dates(frame, target, classes=classes)
    assert [] == of_dates(frame[["admitted", "ward"]], days.astype(float), classes=False)


@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_init_leaves_the_later_date_out_and_says_which_difference(gaps):
    frame, days = stays(np.random.default_rng(1), 1800, gaps)
    frame["albumin"] = 4 - 0.1 * days + np.random.default_rng(2).normal(size=1800)
    found = profile.look(frame.assign(stay=np.where(days > 5, "long", "short")), "stay")
    [leak] = [one for one in found.findings if one.topic == "leak"]
    assert (("discharged",), "left out, in data.drop") == (leak.columns, leak.done)
    assert "discharged - admitted" in leak.text
    assert {"born", "admitted", "ward", "albumin"} == set(found.kinds)
    assert [] == [one for one in found.findings if one.topic == "time"]
