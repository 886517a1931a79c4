"""The rows with which new shards are compared: fixed at the first watch, and moved only by a person (decision 37)."""

import hashlib
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

from heldout.checks.column_kind import kind_of_dtype
from tasks.data import new_shards
from tasks.plans.shard_batches import batches_of
from tasks.runtime.errors import UserError
from tasks.runtime.own_code import COMMAND
from tasks.storage import files, watch_files

_MOST_ROWS = 20_000  # of the reference, evenly from all its shards
_MOST_KNOWN = 500  # labelled rows, of which the questions of the alarm on columns are made
_MOVE = f"`{COMMAND} watch --new-reference` takes the rows of the validated run from now on"


@dataclass(frozen=True, eq=False)
class FixedReference:
    """Labelled rows, of which questions are made, and the reference's rows, in one table, whose file is `stored`.

    The first `known` rows are the labelled ones, then come shards of so many rows. `files` are the paths of the shards
    that no line is evidence about, with the hash of each: those that the rows came from, and those before them.
    """

    known: int
    shards: tuple[int, ...]
    files: tuple[tuple[str, str], ...]
    stored: bytes

    @classmethod
    def of_validated_run(cls, since: str = "") -> Self:
        """The unlabelled rows of the validated run, or the features of its test set if it has none.

        With `since` only the rows of that shard and of those after it. Raises UserError if there is neither, or no such
        shard.
        """
        labeled, _ = files.read_table(files.LABELED)
        batches = batches_of(new_shards.from_shard_on(since) if since else files.shards())
        rows = sum(sum(batch.rows) for batch in batches)
        if rows:
            shards: Iterable[pd.DataFrame] = (files.read_shard(path) for batch in batches for path in batch.shards)
        elif files.TEST.exists():
            shards = [files.read_table(files.TEST)[0]]
            rows = len(files.read_target(files.TEST))
        else:
            raise UserError(
                "data.unlabeled is null and split.test_fraction is 0, so that the validated run has no rows with which "
                "new shards could be compared; name unlabelled files, or cut a test set, and run the validation"
            )
        share = min(1.0, _MOST_ROWS / rows)
        taken = [_evenly(shard, max(1, round(share * len(shard)))) for shard in shards if len(shard)]
        known = _evenly(labeled, min(len(labeled), _MOST_KNOWN))
        stored = io.BytesIO()
        _joined([known, *taken]).to_parquet(stored, index=False)
        paths = new_shards.validated_shards().values()
        hashes = [(path, files.file_hash(Path(path))) for path in paths if Path(path).is_file()]
        return cls(len(known), tuple(map(len, taken)), tuple(hashes), stored.getvalue())

    @classmethod
    def parsed(cls, numbers: Any) -> Self:
        """What `numbers` gave. Raises UserError if the file of the rows is gone, or is another."""
        path = watch_files.reference(numbers["content"])
        stored = path.read_bytes() if path.exists() else b""
        if hashlib.sha256(stored).hexdigest() != numbers["content"]:
            raise UserError(
                f"{path}, the rows with which new shards are compared, is gone or was changed; put it back, or remove "
                f"{watch_files.TABLE} to begin again"
            )
        paths = tuple((path, content) for path, content in numbers["files"])
        return cls(numbers["known"], tuple(numbers["shards"]), paths, stored)

    def numbers(self) -> dict[str, Any]:
        """All but the table, for JSON."""
        return {"known": self.known, "shards": self.shards, "files": self.files, "content": self.content}

    def write(self) -> None:
        """Write the table's file, if it is not there."""
        path = watch_files.reference(self.content)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            watch_files.replace(path, self.stored)

    @cached_property
    def content(self) -> str:
        """The SHA-256 of the table's file."""
        return hashlib.sha256(self.stored).hexdigest()

    @cached_property
    def table(self) -> pd.DataFrame:
        """The labelled rows, and below them the reference's."""
        return pd.read_parquet(io.BytesIO(self.stored))

    def __str__(self) -> str:
        """Which rows they are."""
        files_ = f" of {len(self.shards)} file{'s' * (len(self.shards) != 1)}" if self.files else ""
        return f"{sum(self.shards)} rows{files_}, {self.content[:12]}"

    @property
    def known_rows(self) -> pd.DataFrame:
        """The labelled rows."""
        return self.table.iloc[: self.known]

    @property
    def rows(self) -> pd.DataFrame:
        """The rows of all shards."""
        return self.table.iloc[self.known :].reset_index(drop=True)

    def of_shards(self) -> list[pd.DataFrame]:
        """The rows of each shard."""
        ends = np.cumsum((self.known, *self.shards))
        return [self.table.iloc[start:end].reset_index(drop=True) for start, end in pairwise(ends)]

    def holds(self, path: Path) -> bool:
        """Whether a file is one of the reference's, with the content that it had."""
        contents = dict(self.files)
        return str(path) in contents and files.file_hash(path) == contents[str(path)]

    def check_columns(self) -> None:
        """Raise UserError if the labelled rows now have other columns."""
        now, own = _kinds(files.read_dtypes(files.LABELED)), _kinds(self.table.dtypes.to_dict())
        if now != own:
            name = next(iter([name for name, _ in now + own if (name in dict(now)) != (name in dict(own))]), None)
            what = "have other columns or kinds" if name is None else f"differ in the column {name!r}"
            raise UserError(f"the validated run and the rows with which new shards are compared {what}; {_MOVE}")


def _kinds(dtypes: Mapping[Any, Any]) -> list[tuple[str, str]]:
    """The kind of each column; truth values with gaps are a category."""
    found = [(str(name), str(kind_of_dtype(dtype))) for name, dtype in dtypes.items()]
    return [(name, "category" if kind == "boolean" else kind) for name, kind in found]


def _evenly(frame: pd.DataFrame, rows: int) -> pd.DataFrame:
    return frame.iloc[np.arange(rows) * len(frame) // rows].reset_index(drop=True)


def _joined(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """One below the other; categories that only some have are kept."""
    columns = {}
    for name, dtype in frames[0].dtypes.items():
        parts = [frame[name] for frame in frames]
        if isinstance(dtype, pd.CategoricalDtype):
            present = dict.fromkeys(str(one) for part in parts for one in part.cat.categories)
            shared = pd.CategoricalDtype(pd.Index([*present], dtype="str"))
            parts = [part.astype("str").astype(shared) for part in parts]
        columns[name] = pd.concat(parts, ignore_index=True)
    return pd.DataFrame(columns)
