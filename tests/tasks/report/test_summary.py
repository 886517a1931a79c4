"""How the numbers of a summary are written, and which steps of a curve are shown."""

import numpy as np

from tasks.report.summary import shown_steps


def test_a_cell_is_a_value_and_its_interval_and_empty_where_there_is_none(summary):
    assert ("10.0", "5.0–15.0") == summary().cell("bayes", "E_cv")
    assert ("6.2", "") == summary().cell("bayes", "E_in")
    assert ("0.3162", "0.2236–0.3873") == summary(percent=False).cell("bayes", "E_cv")
    assert ("", "") == summary().cell("bayes", "E_maxdt")
    assert ("", "") == summary().cell("another", "E_cv")


def test_curves_are_shown_at_all_steps_or_at_a_thousand_with_the_first_and_the_last():
    for steps in (1, 2, 150, 999, 1000):
        assert list(range(steps)) == shown_steps(steps).tolist()
    for steps in (1001, 4321, 500_000):
        places = shown_steps(steps)
        assert (0, steps - 1, 1000) == (places[0], places[-1], len(places))
        assert np.ptp(np.diff(places)) <= 1
