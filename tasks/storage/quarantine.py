"""quarantine.json: the labelled rows that no run uses, next to params.yaml and in git, so that every run agrees.

It follows the ledger of operations, from which it is made again; `prepare` reads it, and dvc.yaml names it.
"""

import base64
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from heldout.printable import printable
from tasks.params import Settings
from tasks.runtime.errors import UserError
from tasks.runtime.own_code import COMMAND
from tasks.storage import files
from tasks.storage.findings import RecordedFinding
from tasks.storage.row_ids import Ids

PATH = Path("quarantine.json")
_ABOUT = (
    "Labelled rows that no run uses, since their batch was held back or dropped. It follows the ledger of operations: "
    f"`{COMMAND} batch` lists, releases and drops batches, and writes this file."
)
State = Literal["held", "dropped"]


@dataclass(frozen=True, eq=False)
class LeftOut:
    """The rows of a batch: `RowIds.of_rows`, by the `columns` that they had, as in `SeenRows.columns`; and why."""

    batch: int
    state: State
    reasons: tuple[str, ...]
    columns: str
    words: Ids

    def finding(self, rows: int) -> RecordedFinding:
        """What a report says of `rows` rows that a run left out."""
        of = f"{rows:,} labelled row{'s' * (rows != 1)} of batch {self.batch}"
        if self.state == "dropped":
            return RecordedFinding("batch", f"{of} {'are' if rows != 1 else 'is'} left out, as somebody decided")
        why = f": {'; '.join(self.reasons)}" if self.reasons else ""
        verb = "are" if rows != 1 else "is"
        commands = " or ".join(f"`{COMMAND} batch --{act} {self.batch}`" for act in ("release", "drop"))
        decide = f"look at the rows of batch {self.batch}, then {commands}"
        return RecordedFinding("batch", f"{of} {verb} held back{why}", severity="care", decide=decide)


def about(settings: Settings) -> str:
    """The data source that rows are of, as the ledger of operations names it."""
    data = settings.data
    key = f", key {', '.join(data.key_columns)}" if data.key_columns else ""
    return f"source {data.source}, target {data.target}, positive {data.positive}{key}"


def read(settings: Settings) -> tuple[LeftOut, ...]:
    """The batches of the data source that no run uses; none without the file. Raises UserError if it cannot be read."""
    return tuple(_parsed(one) for one in _batches() if one.get("source") == about(settings))


def write(settings: Settings, batches: Sequence[LeftOut]) -> bool:
    """Write the batches of the data source; those of others stay. Returns whether the file was another one."""
    try:
        others = [one for one in _batches() if one.get("source") != about(settings)]
    except UserError:  # it is made again
        others = []
    text = json.dumps(
        {"about": _ABOUT, "batches": [*others, *(_written(settings, one) for one in batches)]},
        indent=1,
        ensure_ascii=False,
    )
    if PATH.exists() and PATH.read_text(encoding="utf-8") == text + "\n":
        return False
    files.write_text(PATH, text)
    return True


def _batches() -> Iterator[dict[str, Any]]:
    if not PATH.exists():
        return
    try:
        found = json.loads(PATH.read_text(encoding="utf-8"))["batches"]
        yield from (dict(one) for one in found)
    except (ValueError, TypeError, KeyError):
        raise UserError(f"{PATH} cannot be read; `{COMMAND} batch` makes it again from the ledger") from None


def _parsed(one: dict[str, Any]) -> LeftOut:
    try:
        words = np.frombuffer(base64.b64decode(one["rows"], validate=True), "<u8").astype(np.uint64)
        state: State = "dropped" if one["state"] == "dropped" else "held"
        return LeftOut(
            int(one["batch"]), state, tuple(printable(str(text)) for text in one["reasons"]), str(one["columns"]), words
        )
    except (ValueError, TypeError, KeyError):
        raise UserError(f"{PATH} cannot be read; `{COMMAND} batch` makes it again from the ledger") from None


def _written(settings: Settings, one: LeftOut) -> dict[str, Any]:
    return {
        "source": about(settings),
        "batch": one.batch,
        "state": one.state,
        "reasons": list(one.reasons),
        "columns": one.columns,
        "rows": base64.b64encode(one.words.astype("<u8").tobytes()).decode(),
    }
