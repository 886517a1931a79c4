"""What was found in the files of unlabelled rows."""

from tasks.report.section import Section, Table
from tasks.report.summary import Summary, shown_count


def section(summary: Summary) -> Section | None:
    """The shards with findings; nothing without one."""
    found = [report for report in summary.unlabeled.shards if report.bad or report.notes]
    if not found:
        return None
    rows = [
        [
            str(report.file),
            "unknown" if report.rows is None else shown_count(report.rows),
            "skipped" if report.bad else shown_count(report.noted),
            report.bad or "; ".join(report.notes),
        ]
        for report in found
    ]
    table = Table("Shards with findings", ["shard", "rows", "rows noted", "notes"], rows, words=frozenset({3}))
    return Section("shards", "Unlabelled shards", tables=[table])
