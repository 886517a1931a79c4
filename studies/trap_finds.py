"""What `init` finds in tables with traps, and how often it raises a false alarm on an honest table: docs/traps.md.

    python -m studies.trap_finds --data FOLDER

Each table is given to `python -m flows init` in one clone of the last commit. Traps are looked for in the lines that it
prints. Alarms are read from table_checks.yaml: findings that ask for care or stop, and those of `leak`, `time` or
`groups`, which may have changed params.yaml. An honest table is one of the public sets; an alarm about it is false,
unless `studies.public_sets` lists it as true.
"""

import argparse
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import yaml

from studies.made_tables import markdown
from studies.public_sets import FOLDER, FURTHER, NAMES, TRUE_FINDINGS, TRUE_REMARKS, find
from studies.traps import Trap, traps
from tasks.storage import findings
from tasks.storage.findings import RecordedFinding

PAGE = Path("docs/traps.md")
_ALARMS = ("leak", "time", "groups")


@dataclass(frozen=True)
class Printed:
    """What `init` printed, or its message where it refused, and what it wrote to table_checks.yaml."""

    lines: list[str]
    findings: tuple[RecordedFinding, ...] = ()

    def of(self, words: tuple[str, ...]) -> list[str]:
        """The lines that start with one of the words."""
        return [line for line in self.lines if line.split(maxsplit=1)[0] in words]

    def alarms(self) -> list[RecordedFinding]:
        """The findings that hold a report back, or that may have changed params.yaml."""
        return [finding for finding in self.findings if finding.severity != "note" or finding.topic in _ALARMS]


def init(clone: Path, path: Path, target: str) -> Printed:
    """The output of `init`; a refusal is a line that starts with error."""
    written = clone / findings.PATH
    written.unlink(missing_ok=True)
    finished = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "flows", "init", str(path), "--target", target],
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


def _line(finding: RecordedFinding) -> str:
    """A finding as `init` prints it."""
    return f"{finding.topic:<10}{finding.line}"


def page(found: dict[str, str | None], alarms: dict[str, list[str]], further: dict[str, list[str]]) -> str:
    """docs/traps.md."""
    return _PAGE.format(
        planted=len(found),
        found=sum(line is not None for line in found.values()),
        lines=markdown([["trap", "what init printed"], *([name, _quoted(line)] for name, line in found.items())]),
        honest=len(alarms),
        alarms=sum(map(len, alarms.values())),
        others=len(further),
        false_of_others=sum(map(len, further.values())),
        false="\n".join(f"- {name}: {_quoted(line)}" for name, some in {**alarms, **further}.items() for line in some)
        or "None.",
    )


def _quoted(line: str | None) -> str:
    """A line in a cell of a table."""
    return "missed" if line is None else f"`{' '.join(line.split()).replace('|', '¦').replace('`', chr(39))}`"


_PAGE = """\
# Planted traps

`init` found {found} of {planted} traps that we planted, one in each table. On {honest} public tables, whose
true findings `studies/public_sets.py` lists, it raised {alarms} false alarms, and {false_of_others} on {others} further
ones of packages. `python -m studies.trap_finds` makes this page.

## One trap in each table

{lines}
## False alarms on public tables

{false}
"""


def main() -> None:
    """Run all traps and all honest tables, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=FOLDER, help="the folder of the data sets")
    data = parser.parse_args().data.resolve()
    found: dict[str, str | None] = {}
    alarms: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory(prefix="heldout-") as folder:
        clone = Path(folder) / "checkout"
        subprocess.run(["git", "clone", "--quiet", str(Path.cwd()), str(clone)], check=True)  # noqa: S603, S607
        for trap in traps():
            path = Path(folder) / f"planted{trap.suffix}"
            path.write_text(trap.text, encoding="utf-8")
            found[trap.name] = caught(trap, init(clone, path, trap.target))
            print(f"{trap.name}: {found[trap.name] or 'MISSED'}", flush=True)
        for name in (*NAMES, *FURTHER):
            public = find(name, data, Path(folder))
            alarms[name] = false_alarms(name, init(clone, public.path, public.target))
            print(f"{name}: {alarms[name] or 'no false alarm'}", flush=True)
    further = {name: alarms.pop(name) for name in FURTHER}
    PAGE.write_text(page(found, alarms, further), encoding="utf-8")


if __name__ == "__main__":
    main()
