"""reports/metrics.json: the winner in numbers, as `dvc metrics show` and `dvc metrics diff` have them."""

from collections.abc import Iterator

import pandas as pd

from heldout.estimates import PLANNED_BY
from heldout.fits import baseline
from tasks.report.summary import Summary
from tasks.storage import files

_CHOICE = ("criterion", "rule")
_PLANNED = [f"{one.name}{end}" for one in PLANNED_BY for end in ("", "_low", "_high")]
_BOUNDS = ("bound", "bound_joint", "bound_hoeffding")


def write_metrics(summary: Summary) -> None:
    """Each estimate of the winner with both ends of its interval, its bounds, and E_cv of the baseline.

    The numbers to plan with come first: `dvc exp show` has a column for each in this order, and cuts what is wider.
    """
    numbers = dict(_numbers(summary))
    first = {name: numbers[name] for name in _PLANNED if name in numbers}
    words = {"winner": summary.selected, "verdict": summary.decision.verdict}
    last = {name: summary.selection[name] for name in _CHOICE}
    files.write_json(files.METRICS, {**words, **first, **numbers, **last})


def _numbers(summary: Summary) -> Iterator[tuple[str, float]]:
    """What has a number; an interval that is not claimed and a bound that does not hold have none."""
    for line in summary.estimates_of(summary.selected).to_dict("records"):
        for name, end in (("value", ""), ("low", "_low"), ("high", "_high")):
            if not pd.isna(line[name]):
                yield f"{line['estimate']}{end}", float(line[name])
    for name in _BOUNDS:
        if summary.selection[name] is not None:
            yield name, summary.selection[name]
    yield baseline.NAME, summary.selection[baseline.NAME]
