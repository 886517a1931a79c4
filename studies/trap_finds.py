"""What `init` finds in tables with traps, and how often it raises a false alarm on an honest table: docs/traps.md.

    python -m studies.trap_finds --data FOLDER

Each table is given to `python -m flows init` in one clone of the last commit. Traps are looked for in the lines that it
prints. Alarms are read from findings.yaml: findings that ask for care or stop, and those of `leak`, `time` or `groups`,
which may have changed params.yaml. An honest table is one of the public sets; an alarm about it is false, unless
`studies.public_sets` lists it as true. In a company's table each alarm, and each column left out, that was not expected
is a further one.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import yaml

from studies.company_table import CompanyTable
from studies.company_tables import company_tables
from studies.made_tables import markdown
from studies.public_sets import FOLDER, FURTHER, NAMES, TRUE_FINDINGS, TRUE_REMARKS, find
from studies.traps import Trap, traps
from tasks.storage import findings
from tasks.storage.findings import RecordedFinding

PAGE = Path("docs/traps.md")
_ALARMS = ("leak", "time", "groups")


@dataclass(frozen=True)
class Printed:
    """What `init` printed, or its message where it refused, and what it wrote to findings.yaml."""

    lines: list[str]
    findings: tuple[RecordedFinding, ...] = ()

    def of(self, words: tuple[str, ...]) -> list[str]:
        """The lines that start with one of the words."""
        return [line for line in self.lines if line.split(maxsplit=1)[0] in words]

    def alarms(self) -> list[RecordedFinding]:
        """The findings that hold a report back, or that may have changed params.yaml."""
        return [finding for finding in self.findings if finding.severity != "note" or finding.topic in _ALARMS]


@dataclass(frozen=True)
class Seen:
    """For each expected finding of a company's table the line that is it, or None; and the further alarms."""

    lines: dict[str, str | None]
    further: list[str]

    def missed(self) -> list[str]:
        """What was expected and not printed."""
        return [trap for trap, line in self.lines.items() if line is None]


def init(clone: Path, path: Path, target: str, unlabeled: Path | None = None) -> Printed:
    """The output of `init`; a refusal is a line that starts with error."""
    written = clone / findings.PATH
    written.unlink(missing_ok=True)
    shards = [] if unlabeled is None else ["--unlabeled", str(unlabeled)]
    finished = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "flows", "init", str(path), "--target", target, *shards],
        cwd=clone,
        capture_output=True,
        text=True,
        check=False,
    )
    said = finished.stdout.splitlines()
    if finished.returncode:
        message = finished.stderr.strip()
        said.append(f"error {message.splitlines()[-1] if 'Traceback' in message else message}")
    listed = yaml.safe_load(written.read_text(encoding="utf-8"))["findings"] if written.exists() else []
    return Printed([line for line in said if line.strip()], tuple(RecordedFinding(**one) for one in listed))


def caught(trap: Trap, printed: Printed) -> str | None:
    """The line that reports the trap, or None."""
    return next((line for line in printed.of(trap.words) if trap.names in line), None)


def false_alarms(name: str, printed: Printed) -> list[str]:
    """The alarms about an honest table that report what is not true of it; and that it is refused."""
    topics, remarks = TRUE_FINDINGS.get(name, set()), TRUE_REMARKS.get(name, ())
    false = [
        _line(finding)
        for finding in printed.alarms()
        if finding.topic not in topics and not any(remark in finding.text for remark in remarks)
    ]
    return [*printed.of(("error",)), *false]


def seen(table: CompanyTable, printed: Printed) -> Seen:
    """What was printed of what is expected, and what else."""
    lines = {one.trap: next((line for line in printed.lines if one.is_met_by(line)), None) for one in table.expected}
    alarms = [*map(_line, printed.alarms()), *printed.of(("dropped",))]
    return Seen(lines, [line for line in alarms if not any(one.is_met_by(line) for one in table.expected)])


def _line(finding: RecordedFinding) -> str:
    """A finding as `init` prints it."""
    return f"{finding.topic:<10}{finding.line}"


def page(
    found: dict[str, str | None],
    company: dict[str, Seen],
    alarms: dict[str, list[str]],
    further: dict[str, list[str]],
) -> str:
    """docs/traps.md."""
    expected = [line for one in company.values() for line in one.lines.values()]
    return _PAGE.format(
        planted=len(found),
        found=_count(found.values()),
        lines=markdown([["trap", "what init printed"], *([name, _quoted(line)] for name, line in found.items())]),
        tables=len(company),
        expected=len(expected),
        seen=_count(expected),
        more=sum(len(one.further) for one in company.values()),
        summary=_summary(company),
        details=_details(company),
        honest=len(alarms),
        alarms=sum(map(len, alarms.values())),
        others=len(further),
        false_of_others=sum(map(len, further.values())),
        false="\n".join(f"- {name}: {_quoted(line)}" for name, some in {**alarms, **further}.items() for line in some)
        or "None.",
    )


def _count(lines: Iterable[str | None]) -> int:
    return sum(line is not None for line in lines)


def _summary(company: dict[str, Seen]) -> str:
    head = ["table", "expected", "seen", "missed", "further alarms"]
    rows = [
        [
            name,
            str(len(one.lines)),
            str(len(one.lines) - len(one.missed())),
            ", ".join(one.missed()) or "–",
            "<br>".join(map(_quoted, one.further)) or "–",
        ]
        for name, one in company.items()
    ]
    return markdown([head, *rows])


def _details(company: dict[str, Seen]) -> str:
    rows = [[name, trap, _quoted(line)] for name, one in company.items() for trap, line in one.lines.items()]
    return markdown([["table", "expected", "what init printed"], *rows])


def _quoted(line: str | None) -> str:
    """A line in a cell of a table."""
    return "missed" if line is None else f"`{' '.join(line.split()).replace('|', '¦').replace('`', chr(39))}`"


_PAGE = """\
# Planted traps

`python -m studies.trap_finds` makes this page. Found are {found} of {planted} traps planted one by one, and {seen} of
{expected} in {tables} tables as companies export them, with {more} further alarms. On {honest} public tables, whose
true findings `studies/public_sets.py` lists, `init` raised {alarms} false alarms, and {false_of_others} on {others}
further ones of packages.

## One trap in each table

Each table of `studies/traps.py` goes through `python -m flows init FILE --target y`.

{lines}
## Tables as companies export them

The tables of `studies/company_tables.py` are made, and written as real files: Windows-1252 with `;` and decimal commas,
.xlsx, a file without a line of names, a folder of rows without a label. Most have several traps; the last two are
honest. What is expected of each was written down before `init` looked at it; of two lines the words were changed after.
At first `init` missed three of these findings and died of one table, and was then repaired: customers and machines
whose number alone shows their state, the difference of two dates, points between thousands. A further alarm is a
finding that asks for care or stops, or one of `leak`, `time` or `groups`, or a column left out, that was not expected.
It may be true.

{summary}
What `init` printed of what is expected:

{details}
## False alarms on public tables

{false}
"""


def main() -> None:
    """Run all traps and all honest tables, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=FOLDER, help="the folder of the data sets")
    data = parser.parse_args().data.resolve()
    found: dict[str, str | None] = {}
    company: dict[str, Seen] = {}
    alarms: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory(prefix="heldout-") as folder:
        clone = Path(folder) / "checkout"
        subprocess.run(["git", "clone", "--quiet", str(Path.cwd()), str(clone)], check=True)  # noqa: S603, S607
        for trap in traps():
            path = Path(folder) / f"planted{trap.suffix}"
            path.write_text(trap.text, encoding="utf-8")
            found[trap.name] = caught(trap, init(clone, path, trap.target))
            print(f"{trap.name}: {found[trap.name] or 'MISSED'}", flush=True)
        for number, table in enumerate(company_tables()):
            path, unlabeled = table.write(Path(folder) / f"company{number}")
            company[table.name] = seen(table, init(clone, path, table.target, unlabeled))
            print(f"{table.name}: missed {company[table.name].missed()}", flush=True)
        for name in (*NAMES, *FURTHER):
            public = find(name, data, Path(folder))
            alarms[name] = false_alarms(name, init(clone, public.path, public.target))
            print(f"{name}: {alarms[name] or 'no false alarm'}", flush=True)
    further = {name: alarms.pop(name) for name in FURTHER}
    PAGE.write_text(page(found, company, alarms, further), encoding="utf-8")


if __name__ == "__main__":
    main()
