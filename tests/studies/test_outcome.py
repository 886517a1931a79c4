"""Outcomes of data sets: what a right interval would give, and the findings and the page that are made from them."""

import numpy as np
import pandas as pd
import pytest

from studies.datasets import findings, outcomes
from studies.datasets_page import page
from studies.run_set import Run


def run(name: str = "votes", test_error: float = 0.1, test_rows: int = 100, **changes) -> Run:
    """A run whose E_cv is .1 ± .02, and whose E_val, of 100 rows, is .12 ± .06."""
    values = {
        "of_classes": True,
        "messages": ["target    party: 2 classes: a, b", "", ""],
        "selected": "forest",
        "estimates": {"E_cv": [0.1, 0.08, 0.12, 500.0], "E_val": [0.12, 0.06, 0.18, 100.0]},
        "rows": 600,
        "rows_estimated": 500,
        "rows_delivered": 500,
        "baseline": 0.4,
        "beats_baseline": True,
        "peer_error": 0.1,
        "seconds": 60.0,
        "budget": 300.0,
    }
    return Run(name=name, test_error=test_error, test_rows=test_rows, **{**values, **changes})


EVERY = [
    run("votes"),  # inside both
    run("adult", test_error=0.15),  # inside E_val alone
    run("letter", test_error=0.3),  # inside none
    run("sp500", test_error=0.17, beats_baseline=None),  # inside E_val alone
]


def found(every: list[Run]) -> dict:
    """The findings by their names without the study's."""
    results = pd.DataFrame([vars(each) for each in every])
    assert outcomes(results) == every
    return {finding.finding.removeprefix("datasets-"): finding for finding in findings(results)}


def test_each_estimate_is_counted_by_itself():
    in_words = found(EVERY)
    for judge, count in (("E_cv", 1), ("E_val", 3)):
        finding = in_words[f"test-error-inside-{judge.lower().replace('_', '-')}"]
        assert count / 4 == finding.ours
        expected = sum(each.chance(judge) for each in EVERY)
        assert f"{count} of 4 sets; right intervals would give {expected:.1f}" in finding.because
    line = next(line for line in page(EVERY).splitlines() if line.startswith("| 4 |"))
    cells = [cell.strip() for cell in line.split("|")]
    assert ["1", "3"] == [cells[2], cells[4]]


def test_far_too_few_test_errors_inside_differ_from_what_right_intervals_give():
    assert found([run(f"{place}") for place in range(20)])["test-error-inside-e-cv"].agrees
    assert not found([run(f"{place}", test_error=0.3) for place in range(20)])["test-error-inside-e-cv"].agrees


def test_a_set_that_is_perhaps_not_beaten_is_named_and_does_not_count():
    finding = found(EVERY)["baseline-beaten"]
    assert 3 / 4 == finding.ours
    assert finding.because.endswith("not for: sp500")
    assert "| 40.0 (perhaps not beaten) |" in page(EVERY)


def test_the_multiple_of_boostings_error_is_the_geometric_mean_with_half_a_row():
    every = [run("votes", test_error=0.0, peer_error=0.005), run("letter", test_error=0.2, peer_error=0.1)]
    finding = found(every)["error-to-boosting"]
    assert finding.ours == pytest.approx((0.5 * 0.205 / 0.105) ** 0.5)
    of_numbers = run("diabetes", test_error=3000.0, peer_error=2000.0, of_classes=False)
    assert 1.5 == of_numbers.to_peer
    worse = [run(f"{place}", test_error=0.2 + place / 1000) for place in range(5)]
    assert not found(worse)["error-to-boosting"].agrees


@pytest.mark.parametrize("judge", ["E_cv", "E_val"])
def test_a_large_test_set_is_inside_as_often_as_the_interval_is_right(judge):
    assert 0.95 == pytest.approx(run(test_rows=10**9).chance(judge), abs=1e-4)


def test_a_test_set_as_large_as_the_hold_out_is_inside_of_e_val_less_often():
    assert 0.834 == pytest.approx(run(test_rows=100).chance("E_val"), abs=0.001)  # 2 Phi(1.96 / sqrt(2)) - 1


def test_the_probability_is_the_share_of_simulated_runs():
    rng, runs, z = np.random.default_rng(0), 20_000, 1.959964
    spread = {"E_cv": 0.02 / z, "E_val": 0.06 / z}  # the standard errors of `run`
    of_test = spread["E_val"] * np.sqrt(100 / 250)
    tested = 0.1 + of_test * rng.normal(size=runs)
    for judge, own in spread.items():
        values = 0.1 + own * rng.normal(size=runs)
        share = np.mean(np.abs(tested - values) <= z * own)
        # a share of 20 000 runs strays by at most 0.0035
        assert run(test_rows=250).chance(judge) == pytest.approx(share, abs=3.5 * 0.0035), judge
