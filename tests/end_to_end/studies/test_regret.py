"""Regret by rule of selection, and learning with fewer labels: the quick form says what the whole form says."""

from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[3]
QUICK_SAMPLES = 2
# of the regrets of a rule over the samples of the whole form with as many labelled rows as in the quick form: at most
SPREAD = 0.12

pytestmark = pytest.mark.long


def _whole(study: str) -> pd.DataFrame:
    return pd.read_csv(ROOT / f"docs/studies/{study}.csv", dtype=str, keep_default_na=False).set_index("finding")


def _numbers(table: pd.DataFrame, finding: str) -> tuple[float, float, float]:
    ours, low, high = table.loc[finding, ["ours", "low", "high"]].astype(float)
    return ours, low, high


def test_every_rule_has_a_small_regret(quick):
    whole = _whole("selection_regret")
    for finding in whole.index[whole["low"] != ""]:
        regret, known = float(quick.loc[finding, "ours"]), float(whole.loc[finding, "ours"])
        assert regret >= 0
        # four standard errors of a mean of two samples
        assert regret - known < 4 * SPREAD / QUICK_SAMPLES**0.5


@pytest.mark.parametrize("of", ["iid", "active", "terms"])
def test_wins_losses_and_ties_are_of_all_samples(quick, of):
    named = quick.index[quick.index.str.startswith(f"regret-{of}-")]
    for finding in named.drop([f"regret-{of}-minimum", f"regret-{of}-recommended"]):
        wins = quick.loc[finding, "verdict"].split("wins-losses-ties ")[1]
        assert sum(map(int, wins.split("-"))) == QUICK_SAMPLES


@pytest.mark.parametrize(
    "finding",
    [
        "labels-area-uncertainty-against-random",
        "labels-area-label-next-against-random",
        "labels-area-label-next-against-uncertainty",
        "labels-cv-bias-random",
        "labels-cv-bias-uncertainty",
        "labels-cv-bias-label-next",
    ],
)
def test_differences_and_biases_are_those_of_the_whole_form(quick, finding):
    ours, low, high = _numbers(quick, finding)
    known, *_ = _numbers(_whole("fewer_labels"), finding)
    assert abs(ours - known) < high - low  # twice the reach of an interval over five repeats: 5.6 standard errors


def test_uncertainty_sampling_needs_fewer_labels_and_misleads_cross_validation(quick):
    assert _numbers(quick, "labels-area-uncertainty-against-random")[2] < 0
    assert _numbers(quick, "labels-needed-uncertainty")[2] < 80
    assert _numbers(quick, "labels-cv-bias-uncertainty")[1] > 0


def test_label_next_lies_between_random_rows_and_uncertainty_sampling(quick):
    assert float(quick.loc["labels-area-label-next-against-random", "ours"]) < 0
    assert float(quick.loc["labels-area-label-next-against-uncertainty", "ours"]) > 0
    off = abs(float(quick.loc["labels-cv-bias-label-next", "ours"]))
    assert off < float(quick.loc["labels-cv-bias-uncertainty", "ours"]) / 2
