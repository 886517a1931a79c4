"""What `init` found in the table, what it did about it, and what somebody has decided."""

from collections.abc import Sequence

from heldout.findings import checks
from heldout.printable import plain
from tasks.report.section import Cell, Section, Table
from tasks.report.summary import Summary
from tasks.storage import findings, quarantine
from tasks.storage.findings import RecordedFinding

_IN_VIEW = 4
_SEVERITIES = {"note": "note", "care": "ship with care", "stop": "do not ship yet"}


def section(summary: Summary) -> Section | None:
    """A line for each finding; None without any."""
    found = summary.rows.found
    if not found.findings and not found.remark:
        return None
    pending = [finding for finding in found.findings if finding.open]
    in_view = pending[:_IN_VIEW]
    others = [*pending[_IN_VIEW:], *(finding for finding in found.findings if not finding.open)]
    of_batches = any(finding.topic == "batch" for finding in found.findings)
    where = f"{findings.PATH} and {quarantine.PATH}" if of_batches else findings.PATH
    of_run = any(finding.done == findings.BY_THE_RUN for finding in found.findings)
    caption = f"From {where}{', and by this run' if of_run else ''}. A finding that nobody has decided about holds the "
    caption += f"verdict back; {checks.PAGE} explains the codes."
    remark = f" {found.remark}." if found.remark else ""
    return Section(
        "found",
        "What was found in the table",
        caption + remark,
        tables=[_table("Nobody has decided about these", in_view)] if in_view else [],
        numbers=[_table("Further findings" if in_view else "Findings", others)] if others else [],
        opened=bool(in_view),
        wide=True,
    )


def _table(caption: str, of: Sequence[RecordedFinding]) -> Table:
    head = ["about", "severity", "what was found", "numbers", "what init did", "to decide, or decided"]
    return Table(caption, head, [_line(finding) for finding in of], words=frozenset({1, 2, 3, 4, 5}))


def _line(finding: RecordedFinding) -> list[str | Cell]:
    numbers = ", ".join(f"{name} {plain(number)}" for name, number in finding.evidence.items())
    asked = f"decided: {finding.decided}" if finding.decided else finding.decide
    return [
        f"{finding.topic} {finding.code}".rstrip(),
        _SEVERITIES[finding.severity],
        finding.text,
        numbers,
        finding.done,
        asked,
    ]
