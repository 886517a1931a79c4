"""The decision strip of a run (`heldout.display.strip`)."""

from heldout import __version__
from heldout.display.strip import Strip, strip
from heldout.records import Estimate
from tasks.report.summary import Summary, as_records, shown_count


def decision_strip(summary: Summary) -> Strip:
    """The strip."""
    plan = summary.planned
    return strip(
        summary.selected,
        [Estimate(**line) for line in as_records(summary.estimates)],
        summary.loss,
        planned="" if plan is None else plan.record.estimate,
        against="" if plan is None else plan.against,
        won=summary.won_by,
        bound=summary.selection["bound"],
        level=summary.settings.selection.level,
        plain=summary.rows.kind is None and not summary.weighted,
    )


def origin(summary: Summary, written: str = "") -> str:
    """Where the numbers are from, the same on every day: the source, its rows with their hash, who won by what.

    `written` says when and by which code, on a page that DVC does not track.
    """
    settings, selection, hashed = summary.settings, summary.selection, summary.rows.data_hash[:12]
    rows = f"{shown_count(selection['rows']['labeled'])} labelled rows"
    if columns := summary.rows.columns:
        rows += f" of {shown_count(columns)} column{'s' * (columns != 1)}"
    rows += f" ({hashed})" if hashed else ""
    rule = f"{selection['rule'].replace('_', ' ')} of {selection['criterion']}"
    said = f"{settings.data.source}, {rows}; {rule}, seed {settings.seed}; heldout {__version__}"
    return f"{said}; {written}" if written else said
