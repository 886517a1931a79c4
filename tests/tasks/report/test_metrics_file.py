"""reports/metrics.json: the winner, both ends of its intervals, its bounds; numbers where a number is meant."""

import json
from dataclasses import replace

import pytest

from heldout.losses import SQUARED
from tasks.report.metrics import write_metrics
from tasks.storage import files


def test_each_number_of_the_winner_is_there_with_its_interval_and_nothing_is_null(summary, checkout):
    made = summary(bound=0.25, bound_hoeffding=None)
    (checkout / "reports").mkdir()
    write_metrics(made)
    metrics = json.loads(files.METRICS.read_text())
    words = {
        "winner": "bayes",
        "verdict": "ship",
        "criterion": made.selection["criterion"],
        "rule": made.selection["rule"],
    }
    assert words == {name: value for name, value in metrics.items() if not isinstance(value, float)}
    assert (0.25, made.selection["baseline"]) == (metrics["bound"], metrics["baseline"])
    assert "bound_hoeffding" not in metrics
    lines = made.estimates_of("bayes").set_index("estimate")
    expected = dict(lines["value"].items())
    for end in ("low", "high"):
        expected |= {f"{name}_{end}": value for name, value in lines[end].dropna().items()}
    assert expected == {name: value for name, value in metrics.items() if name in expected}
    assert not any("RMSE" in name for name in metrics)
    assert ["winner", "verdict", "E_test", "E_test_low", "E_test_high", "E_cv"] == [*metrics][
        :6
    ]  # exp show cuts others


def test_the_squared_loss_is_there_as_people_read_it_and_first(summary, checkout):
    (checkout / "reports").mkdir()
    write_metrics(replace(summary(percent=False), loss=SQUARED))
    metrics = json.loads(files.METRICS.read_text())
    assert ["E_test_RMSE", "E_test_RMSE_low", "E_test_RMSE_high"] == [*metrics][2:5]
    for name in ("E_test", "E_cv", "E_test_low", "E_cv_high"):
        first, _, end = name.rpartition("_")
        rmse = f"{first}_RMSE_{end}" if end in ("low", "high") else f"{name}_RMSE"
        assert metrics[rmse] ** 2 == pytest.approx(metrics[name], rel=1e-9)
