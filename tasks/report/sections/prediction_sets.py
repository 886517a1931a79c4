"""The prediction sets of what is delivered: their rule, and what they hold."""

from heldout.display.about_winner import prediction_sets
from heldout.printable import plain
from tasks.report.section import Cell, Section, Table
from tasks.report.summary import Summary


def section(summary: Summary) -> Section:
    """The line of prediction_sets.csv, or why there are no sets."""
    sets = summary.prediction_sets
    if sets.threshold is None:
        return Section("prediction-sets", "Prediction sets", f"None: {sets.reason}.")
    measured = sets.coverage is not None and sets.low is not None and sets.high is not None
    caption = (
        "A set of classes, or an interval, for each new row, by the threshold in reports/tables/prediction_sets.csv: "
        f"{prediction_sets(sets)}. The level holds on average over rows, not for each row or each class, and for the "
        "winner trained without the held-out rows. What is delivered takes the same threshold"
        + (", and its coverage was measured." if measured else ".")
    )
    size, what = (sets.mean_size, "mean size") if sets.mean_width is None else (sets.mean_width, "mean width")
    ends = f"{100 * sets.low:.1f} to {100 * sets.high:.1f}" if measured else ""  # type: ignore[operator]
    cells: list[str | Cell] = [sets.method, plain(sets.threshold), str(sets.calibrated)]
    cells += [Cell(_percent(sets.coverage), ends)]
    cells += [str(sets.tested), "–" if size is None else plain(size, 3)]
    cells += ["–" if share is None else f"{100 * share:.3g} %" for share in (sets.single, sets.empty)]
    head = ["method", "threshold", "calibrated by", "coverage", "tested on", what]
    table = Table(f"The sets at {summary.level}, and their coverage", [*head, "single class", "empty"], [cells])
    return Section("prediction-sets", "Prediction sets", caption, tables=[table])


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"
