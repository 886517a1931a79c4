"""The page about public sets counts each estimate by itself, and expects of each what a right interval would give."""

import numpy as np
import pytest

from studies.datasets_page import chance, page
from studies.run_set import Outcome


def outcome(name: str = "votes", seed: int = 0, test_error: float = 0.1, test_rows: int = 100, **changes) -> Outcome:
    """A run whose E_cv is .1 ± .02, and whose E_val, of 100 rows, is .12 ± .06."""
    values = {
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
    return Outcome(name, seed=seed, test_error=test_error, test_rows=test_rows, **{**values, **changes})


def counted(every: list[Outcome]) -> list[list[str]]:
    """The cells of the table of counts, without its head."""
    text = page(every)
    table = text[text.index("| seed |") :].split("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


def test_each_estimate_is_counted_by_itself_for_each_seed_and_for_all():
    every = [
        outcome("votes"),  # inside both
        outcome("adult", test_error=0.15),  # inside E_val alone
        outcome("letter", test_error=0.3),  # inside none
        outcome("votes", seed=1, test_error=0.17),  # inside E_val alone
    ]
    seed_0, seed_1, both = counted(every)
    assert ["0", "3", "1"] == seed_0[:3]
    assert "2" == seed_0[4]
    assert ["1", "1", "0"] == seed_1[:3]
    assert "1" == seed_1[4]
    assert ["all", "4", "1"] == both[:3]
    assert "3" == both[4]


def test_the_expected_number_is_the_sum_of_the_probabilities_of_each_estimate():
    every = [outcome("votes", test_rows=100), outcome("adult", test_rows=900)]
    [line] = counted(every)  # one seed needs no sum
    for place, judge in ((3, "E_cv"), (5, "E_val")):
        assert f"{sum(chance(each, judge) for each in every):.1f}" == line[place]


@pytest.mark.parametrize("judge", ["E_cv", "E_val"])
def test_a_large_test_part_is_inside_as_often_as_the_interval_is_right(judge):
    assert 0.95 == pytest.approx(chance(outcome(test_rows=10**9), judge), abs=1e-4)


def test_a_test_part_as_large_as_the_hold_out_is_inside_of_e_val_less_often():
    assert 0.834 == pytest.approx(chance(outcome(test_rows=100), "E_val"), abs=0.001)  # 2 Phi(1.96 / sqrt(2)) - 1


def test_the_probability_is_the_share_of_simulated_runs():
    rng, runs, z = np.random.default_rng(0), 20_000, 1.959964
    spread = {"E_cv": 0.02 / z, "E_val": 0.06 / z}  # the standard errors of `outcome`
    of_test = spread["E_val"] * np.sqrt(100 / 250)
    tested = 0.1 + of_test * rng.normal(size=runs)
    for judge, own in spread.items():
        values = 0.1 + own * rng.normal(size=runs)
        share = np.mean(np.abs(tested - values) <= z * own)
        # a share of 20 000 runs strays by at most 0.0035
        assert chance(outcome(test_rows=250), judge) == pytest.approx(share, abs=3.5 * 0.0035), judge
