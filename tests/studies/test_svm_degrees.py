"""Wins, losses and ties of criteria, by hand."""

import pandas as pd
import pytest

from studies.svm_degrees import record_of, selected


@pytest.mark.parametrize(("tie", "record"), [(0.0, "2-1-1"), (0.1, "1-1-2")])
def test_a_record_counts_lower_errors(tie, record):
    first, second = pd.Series([0.1, 0.2, 0.2, 0.4]), pd.Series([0.2, 0.21, 0.2, 0.1])
    assert record_of(first, second, tie) == record


def test_the_least_estimate_selects_and_a_tie_goes_to_the_lower_degree():
    degrees = pd.DataFrame(
        {
            "degree": [0.2, 0.4, 0.6],
            "true error": [0.3, 0.1, 0.2],
            "E_maxdt": [0.5, 0.2, 0.3],
            "E_2cv": [0.4, 0.4, 0.5],
            "E_loo": [0.3, 0.2, 0.1],
        }
    ).assign(task="a", size=25, run=0, trial=0)
    (errors,) = selected(degrees).to_dict("records")
    assert errors == {"least": 0.1, "E_maxdt": 0.1, "E_2cv": 0.3, "E_loo": 0.2}
