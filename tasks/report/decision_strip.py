"""The decision strip of a run (`heldout.shown.strip`)."""

from heldout import __version__
from heldout.records import Estimate
from heldout.shown.strip import Strip, strip
from tasks.report.summary import Summary, as_records


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


def origin(summary: Summary) -> str:
    """Where the numbers are from, the same on every day: the source, the hash of its rows, the version."""
    hashed = summary.rows.data_hash[:12]
    return f"{summary.settings.data.source}{f', rows {hashed}' if hashed else ''}; heldout {__version__}"
