"""The list of findings that `heldout.audit` returns, and how it looks in a terminal and in a notebook."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from heldout.findings import checks
from heldout.findings.finding import Finding, Severity
from heldout.printable import printable
from heldout.rows.frames import frame_of

SEVERITIES: tuple[Severity, ...] = ("stop", "care", "note")  # the worst first
_INDENT = " " * 6
_MOST_NAMES = 12  # in one line


@dataclass(frozen=True)
class Line:
    """A finding as a line of a data frame."""

    code: str
    severity: str
    text: str
    decide: str


@dataclass(frozen=True)
class Audit:
    """What was found in a table: `findings`, the worst first; `print` and a notebook show them.

    `useless` are the columns from which no learner can generalise (empty, constant, an identifier of the row), each
    with the reason: nothing else was looked for in them, but for whether they follow the target.
    """

    findings: tuple[Finding, ...]
    useless: Mapping[str, str]
    rows: int
    columns: int
    library: str = "pandas"

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def to_frame(self) -> Any:
        """A line for each finding, as a data frame of the library of X: code, severity, text, and what to decide."""
        lines = [Line(one.code, one.severity, one.text, one.decide) for one in self.findings]
        return frame_of(Line, ["code", "severity", "text", "decide"], lines, self.library)

    def __repr__(self) -> str:
        return f"<Audit: {self._headline()}>"

    def __str__(self) -> str:
        lines = [self._headline()]
        for one in self.findings:
            lines.append(f"{one.severity:<6}{printable(checks.with_code(one.code, one.text))}")
            lines += [f"{_INDENT}{printable(one.decide)}"] if one.decide else []
        return "\n".join([*lines, *map(printable, self._about_useless())])

    def _repr_html_(self) -> str:
        cells = "".join(
            f"<tr><th>{one.severity}</th><td>{_shown(checks.with_code(one.code, one.text))}"
            + (f"<br><em>{_shown(one.decide)}</em>" if one.decide else "")
            + "</td></tr>"
            for one in self.findings
        )
        useless = "".join(f"<p>{_shown(line)}</p>" for line in self._about_useless())
        style = "text-align: left; vertical-align: top; white-space: normal; overflow-wrap: anywhere"
        cells = cells.replace("<th>", f'<th scope="row" style="{style}">').replace("<td>", f'<td style="{style}">')
        table = f"<table><tbody>{cells}</tbody></table>" if cells else ""
        return f"<div><p>{_shown(self._headline())}</p>{table}{useless}</div>"

    def _headline(self) -> str:
        counts = Counter(one.severity for one in self.findings)
        listed = ", ".join(f"{counts[severity]} {severity}" for severity in SEVERITIES if counts[severity])
        return f"{self.rows} rows, {self.columns} columns: {listed or 'nothing found'}"

    def _about_useless(self) -> list[str]:
        said = [f"{name} ({why})" for name, why in self.useless.items()]
        more = f", and {len(said) - _MOST_NAMES} more" if len(said) > _MOST_NAMES else ""
        return [f"of no use to a learner: {', '.join(said[:_MOST_NAMES])}{more}"] if said else []


def _shown(text: str) -> str:
    return escape(printable(text))
