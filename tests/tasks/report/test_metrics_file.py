"""reports/metrics.json: the winner in the few numbers that people compare, as they read them."""

import json
from dataclasses import replace

import pytest

from heldout.losses import SQUARED
from tasks.report.metrics import write_metrics
from tasks.storage import files


def written(summary):
    files.REPORTS.mkdir(exist_ok=True)
    write_metrics(summary)
    return json.loads(files.METRICS.read_text())


def test_the_number_to_plan_with_is_first_in_percent_and_nothing_is_null(summary, checkout):
    made = summary(bound=0.25)
    metrics = written(made)
    lines = made.estimates_of("bayes").set_index("estimate")
    expected = {"E_test": lines["value"]["E_test"], "E_cv": lines["value"]["E_cv"]}
    expected |= {f"E_test_{end}": lines[end]["E_test"] for end in ("low", "high")}
    expected |= {"baseline": made.selection["baseline"], "bound": 0.25}
    assert {name: pytest.approx(100 * value) for name, value in expected.items()} == {
        name: value for name, value in metrics.items() if isinstance(value, float)
    }
    assert [*metrics] == [
        "winner",
        "verdict",
        "E_test",
        "E_test_low",
        "E_test_high",
        "E_cv",
        "baseline",
        "bound",
        "unit",
    ]
    assert (metrics["winner"], metrics["verdict"], metrics["unit"]) == ("bayes", "ship", "error, %")


def test_the_squared_loss_is_there_as_its_root_and_an_absent_bound_is_left_out(summary, checkout):
    made = replace(summary(percent=False), loss=SQUARED)
    metrics = written(made)
    assert metrics["E_cv"] ** 2 == pytest.approx(made.value("bayes", "E_cv"), rel=1e-9)
    assert metrics["unit"] == SQUARED.shown_as
    assert "bound" not in written(replace(made, selection={**made.selection, "bound": None}))
