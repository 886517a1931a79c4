"""The study of marks: its counts are of the runs it draws, and its findings are shares of them."""

import pandas as pd
import pytest

from heldout.intervals import pooled_shape
from studies import credible


@pytest.mark.parametrize(
    "unit", [("squared", "t3", "fixed", 50, 100), ("squared", "Pareto 3", "least squares", 50, 50)]
)
def test_a_cell_counts_its_runs_and_those_without_a_mark(unit, monkeypatch):
    monkeypatch.setattr(pooled_shape, "_ratios", pooled_shape._ratios)  # which the study replaces for its process
    for record in credible.measure(unit, None):
        assert 3 == record["samples"]
        assert 0 <= record["shown_cover"] <= min(record["shown"], record["cover"]) <= 3


def cell(kind, distribution, n, cover, shown, shown_cover) -> dict:
    same = {"learner": "fixed", "estimate": "E_cv", "samples": 100}
    counts = {"n": n, "cover": cover, "shown": shown, "shown_cover": shown_cover}
    return {"kind": kind, "distribution": distribution, **same, **counts}


def test_findings_are_shares_of_runs_by_hand():
    results = pd.DataFrame(
        [
            cell("squared", "normal", 50, 96, 95, 92),
            cell("squared", "uniform", 50, 95, 100, 95),
            cell("squared", "lognormal", 50, 70, 20, 10),
            cell("squared", "Pareto 2.5", 100, 60, 60, 40),
        ]
    )
    found = {finding.finding: finding for finding in credible.findings(results)}
    unmarked, new = found["credible-unmarked-E_cv"], found["credible-unmarked-E_cv-new"]
    assert (92 + 95 + 10) / (95 + 100 + 20) == unmarked.ours
    assert (40 / 60, False) == (new.ours, new.agrees)
    assert "1 of 3 cells fall short" in unmarked.because
    assert (3 + 5 + 10) / 300 == found["credible-wrong-E_cv"].ours
    assert (20 / 100, False) == (found["credible-wrong-E_cv-new"].ours, found["credible-wrong-E_cv-new"].agrees)
    assert 0.5 == found["credible-short-E_cv"].ours  # lognormal is marked in 80 of 100, Pareto in 40
    assert 0.05 == pytest.approx(found["credible-light-E_cv"].ours)
