"""Which planted traps `init` finds, and how often it raises a false alarm on an honest table: docs/traps.md.

    python -m studies.trap_finds --data FOLDER

Each table is given to `python -m flows init` in one clone of the last commit. An honest table is one of the public
sets; a line of `leak`, `time` or `groups` about it is a false alarm, unless `studies.public_sets` lists it as true.
"""

import argparse
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from studies.public_sets import FOLDER, NAMES, TRUE_FINDINGS, find
from studies.traps import Trap, traps

PAGE = Path("docs/traps.md")
_ALARMS = ("leak", "time", "groups")


@dataclass(frozen=True)
class Printed:
    """What `init` printed, or its message where it refused."""

    lines: list[str]

    def of(self, words: tuple[str, ...]) -> list[str]:
        """The lines that start with one of the words."""
        return [line for line in self.lines if line.split(maxsplit=1)[0] in words]


def init(clone: Path, path: Path, target: str) -> Printed:
    """The output of `init`; a refusal is a line that starts with error."""
    finished = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "flows", "init", str(path), "--target", target],
        cwd=clone,
        capture_output=True,
        text=True,
        check=False,
    )
    said = finished.stdout.splitlines()
    if finished.returncode:
        said.append(f"error {finished.stderr.strip()}")
    return Printed([line for line in said if line.strip()])


def caught(trap: Trap, printed: Printed) -> str | None:
    """The line that reports the trap, or None."""
    return next((line for line in printed.of(trap.words) if trap.names in line), None)


def false_alarms(name: str, printed: Printed) -> list[str]:
    """The lines about an honest table that report what is not true of it."""
    true = TRUE_FINDINGS.get(name, set())
    return [line for line in printed.of(_ALARMS) if line.split()[0] not in true]


def page(found: dict[str, str | None], alarms: dict[str, list[str]]) -> str:
    """docs/traps.md."""
    lines = [
        f"| {name} | {'missed' if line is None else '`' + line.replace('|', '¦') + '`'} |"
        for name, line in found.items()
    ]
    false = [f"- {name}: `{line}`" for name, some in alarms.items() for line in some]
    return _PAGE.format(
        planted=len(found),
        found=sum(line is not None for line in found.values()),
        lines="\n".join(lines),
        honest=len(alarms),
        alarms=len(false),
        false="\n".join(false) or "None.",
    )


_PAGE = """\
# Planted traps

`python -m studies.trap_finds` makes this page: each table of `studies/traps.py` has one trap, and goes through
`python -m flows init FILE --target y`. Found are {found} of {planted}. On {honest} public tables, whose true findings
`studies/public_sets.py` lists, `init` raised {alarms} false alarms.

| trap | what init printed |
|---|---|
{lines}

## False alarms

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
        for name in NAMES:
            public = find(name, data, Path(folder))
            alarms[name] = false_alarms(name, init(clone, public.path, public.target))
            print(f"{name}: {alarms[name] or 'no false alarm'}", flush=True)
    PAGE.write_text(page(found, alarms), encoding="utf-8")


if __name__ == "__main__":
    main()
