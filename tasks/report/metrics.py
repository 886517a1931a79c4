"""reports/metrics.json: the winner in numbers, as `dvc metrics show` and `dvc metrics diff` have them."""

from collections.abc import Iterator, Mapping

from heldout.estimates import PLANNED_BY
from heldout.fits import baseline
from tasks.report.run_items import metric
from tasks.report.summary import Summary
from tasks.storage import files

_CHOICE = ("criterion", "rule")
_PLANNED = [f"{one.name}{end}" for one in PLANNED_BY for end in ("", "_low", "_high")]
_BOUNDS = ("bound", "bound_joint", "bound_hoeffding")


def write_metrics(summary: Summary) -> None:
    """Each estimate of the winner with both ends of its interval, its bounds, and E_cv of the baseline.

    The numbers to plan with come first: `dvc exp show` has a column for each in this order, and cuts what is wider. Of
    the squared loss they are also there as RMSE, as people read them.
    """
    numbers = dict(_numbers(summary))
    planned = {name: numbers[name] for name in _PLANNED if name in numbers}
    first = {**_as_rmse(summary, planned), **planned}
    words = {"winner": summary.selected, "verdict": summary.decision.verdict}
    last = {name: summary.selection[name] for name in _CHOICE}
    files.write_json(files.METRICS, {**words, **first, **numbers, **last})


def _as_rmse(summary: Summary, planned: Mapping[str, float]) -> dict[str, float]:
    """E_test_RMSE, E_test_RMSE_low, …; empty for another loss."""
    if summary.loss.power != 2:
        return {}
    names = ((name, *name.rpartition("_")) for name in planned)
    called = {
        name: f"{first}_RMSE_{end}" if end in ("low", "high") else f"{name}_RMSE" for name, first, _, end in names
    }
    return {called[name]: float(summary.shown(value)) for name, value in planned.items()}


def _numbers(summary: Summary) -> Iterator[tuple[str, float]]:
    """What has a number; an interval that is not claimed and a bound that does not hold have none."""
    for record in summary.records_of(summary.selected):
        for item in metric(record.estimate, record):
            yield from item.numbers()
    for name in _BOUNDS:
        if summary.selection[name] is not None:
            yield name, summary.selection[name]
    yield baseline.NAME, summary.selection[baseline.NAME]
