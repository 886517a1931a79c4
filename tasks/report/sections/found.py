"""What `init` found in the table, what it did about it, and what somebody has decided."""

from tasks.report.section import Cell, Section, Table
from tasks.report.summary import Summary
from tasks.storage import findings
from tasks.storage.findings import RecordedFinding

_SEVERITIES = {"note": "note", "care": "ship with care", "stop": "do not ship yet"}


def section(summary: Summary) -> Section | None:
    """A line for each finding; None without any."""
    found = summary.rows.found
    if not found.findings and not found.remark:
        return None
    caption = f"From {findings.PATH}. A finding that nobody has decided about holds the verdict back."
    head = ["about", "severity", "what was found", "numbers", "what init did", "to decide, or decided"]
    rows = [_line(finding) for finding in sorted(found.findings, key=lambda one: not one.open)]
    tables = [Table("Findings, the open ones first", head, rows, words=frozenset({1, 2, 3, 4, 5}))] if rows else []
    remark = f" {found.remark}." if found.remark else ""
    return Section("found", "What init found in the table", caption + remark, tables=tables)


def _line(finding: RecordedFinding) -> list[str | Cell]:
    numbers = ", ".join(f"{name} {number:.4g}" for name, number in finding.evidence.items())
    asked = f"decided: {finding.decided}" if finding.decided else finding.decide
    return [finding.topic, _SEVERITIES[finding.severity], finding.text, numbers, finding.done, asked]
