"""reports/metrics.json: the winner in the numbers that people compare, for `dvc metrics diff` and `dvc exp show`."""

from heldout.fits import baseline
from heldout.losses.amounts import error_label
from tasks.report.summary import Summary
from tasks.storage import files


def write_metrics(summary: Summary) -> None:
    """The error to plan with and its interval, E_cv, what else chose, the baseline and the bound, as people read them.

    Percent, or the unit of the target. `dvc exp show` has a column for each in this order, and cuts what is wider.
    Every other number is in estimates.csv and selection.json. What has no number is left out.
    """
    selection, plan = summary.selection, summary.planned
    first = {}
    if plan is not None:
        record = plan.record
        first = {
            record.estimate: record.value,
            f"{record.estimate}_low": record.low,
            f"{record.estimate}_high": record.high,
        }
    names = dict.fromkeys(("E_cv", summary.ordered_by))
    found = {
        **{name: summary.value(summary.selected, name) for name in names},
        **first,
        baseline.NAME: selection[baseline.NAME],
        "bound": selection["bound"],
    }
    numbers = {name: float(summary.shown(found[name])) for name in {**first, **found} if found[name] is not None}
    words = {"winner": summary.selected, "verdict": summary.decision.verdict}
    files.write_json(files.METRICS, {**words, **numbers, "unit": error_label(summary.loss)})
