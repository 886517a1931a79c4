"""What `watch` leaves: reports/watch.csv for people, and next to it watch.json, from which the next shard goes on.

No stage of dvc.yaml owns them, so that no validation removes them. Each is written under another name and then renamed,
watch.json first: the lines of the table are in it too.
"""

import io
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from tasks.runtime.errors import UserError
from tasks.storage import files

TABLE = files.REPORTS / "watch.csv"
STATE = files.REPORTS / "watch.json"
PICTURE = files.REPORTS / "watch.png"
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # with which a cell begins that a spreadsheet would compute


@dataclass(frozen=True)
class WatchedShard:
    """A shard: its rows, their mean disagreement; the band of the mean of all rows so far; the evidence after it.

    Then the evidence on the columns after it and, where an alarm is raised, what is distributed otherwise in it.
    """

    shard: str
    rows: int
    disagreement: float
    low: float
    high: float
    evidence: float
    alarm: bool
    evidence_of_columns: float | None = None
    alarm_of_columns: bool = False
    columns: str = ""


def printable(text: str) -> str:
    """The text without signs that a terminal would follow."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)


def shown_name(path: Path) -> str:
    """The stem of a file as it is shown and stored: no formula in a spreadsheet, and no command to a terminal."""
    return harmless(path.stem)


def harmless(text: str) -> str:
    """The text as it is shown and stored."""
    shown = printable(text)
    return f"'{shown}" if shown.startswith(_FORMULA) else shown


def reference(content: str) -> Path:
    """The file of the rows with which new shards are compared, by its hash."""
    return files.REPORTS / f"watch-reference-{content[:16]}.parquet"


def remove_other_references(content: str) -> None:
    """Remove the files of former references."""
    for path in files.REPORTS.glob("watch-reference-*.parquet"):
        if path != reference(content):
            path.unlink(missing_ok=True)


def read_state() -> Any:
    """What `write` was given; None without the table: who removes it begins again.

    Raises UserError without watch.json.
    """
    if not TABLE.exists():
        return None
    try:
        return json.loads(STATE.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(
            f"{STATE}, without which {TABLE} cannot go on, cannot be read ({error}); remove {TABLE} to begin again"
        ) from None


def write(state: Any, lines: Sequence[WatchedShard]) -> None:
    """Write both, with all `lines` so far."""
    files.REPORTS.mkdir(parents=True, exist_ok=True)
    write_state(state)
    table = pd.DataFrame([asdict(line) for line in lines], columns=list(WatchedShard.__dataclass_fields__))
    for alarm in ("alarm", "alarm_of_columns"):
        table[alarm] = table[alarm].map({True: "true", False: "false"})
    text = io.StringIO()
    table.to_csv(text, index=False, float_format=files.DIGITS, lineterminator="\n")
    replace(TABLE, text.getvalue().encode())


def write_state(state: Any) -> None:
    """Write watch.json alone."""
    replace(STATE, json.dumps(state, ensure_ascii=False).encode())


def replace(path: Path, content: bytes) -> None:
    """Write a file completely or not at all."""
    fresh = path.with_name(f".{path.name}.new")
    with fresh.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
