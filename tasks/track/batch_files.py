"""What the store keeps of each batch of labelled rows: by which words they are known, in a file of the ledger's run."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout.monitoring.corrected_rows import Profile
from tasks.outcome.batches import Batch
from tasks.runtime.environment import CACHE
from tasks.runtime.errors import UserError
from tasks.storage.row_ids import WORD, Ids
from tasks.track import operations_ledger
from tasks.track.downloads import download, downloads

if TYPE_CHECKING:
    from mlflow import MlflowClient

_FOLDER = "batches"  # of the artifacts of the ledger's run, and of their copies in the cache
COPIES = CACHE / _FOLDER
_COLUMNS, _NAMES, _CONTENT, _PROFILE = "columns", "names", "content", "profile"
_RANK = "rank of "  # and the name of a column


@dataclass(frozen=True, eq=False)
class Stored:
    """What the store keeps of a batch: the words of its rows, each once, by these `columns`.

    `names` are those of the table's columns then, empty if they were too many. With data.key `content` is the word of
    all cells of each row, `profile` what all rows of the table were as a whole, and `ranks` where each of these rows
    is in it, by column.
    """

    columns: str
    words: Ids
    names: tuple[str, ...] = ()
    content: Ids | None = None
    profile: Profile | None = None
    ranks: Mapping[str, NDArray[np.uint8]] = field(default_factory=dict)

    def some(self, rows: NDArray[Any]) -> "Stored":
        """The same with some of the rows, by a mask or their places."""
        content = None if self.content is None else self.content[rows]
        ranks = {name: found[rows] for name, found in self.ranks.items()}
        return replace(self, words=self.words[rows], content=content, ranks=ranks)

    @property
    def hash(self) -> str:
        """By which its file is found."""
        text = self.columns.encode() + b"\n" + self.words.astype("<u8").tobytes()
        return hashlib.sha256(text if self.content is None else text + self.content.astype("<u8").tobytes()).hexdigest()


def in_order(rows: Stored) -> Stored:
    """The same with each word once, in their order."""
    return rows.some(np.unique(rows.words, return_index=True)[1])


def keep(client: "MlflowClient", rows: Stored) -> str:
    """Store the identities of a batch, in the store first; returns their hash, by which they are found."""
    rows = in_order(rows)
    name = rows.hash
    with downloads() as folder:
        path = folder / f"{name}.parquet"
        _write(path, rows)
        operations_ledger.attach(client, path, _FOLDER)
    _copy(rows)
    return name


def read_all(client: "MlflowClient", found: Sequence[Batch]) -> dict[int, Stored]:
    """What is stored of each batch, from the cache or the store, by its number.

    A batch whose file is gone from both is left out: its rows count as new. Raises UserError where a file is there, and
    cannot be read or is not that of the entry.
    """
    known, there = {}, None
    for one in found:
        copy = COPIES / f"{one.file}.parquet"
        if copy.exists() and (read := _read(copy, one.file)) is not None:
            known[one.number] = read
            continue
        run = operations_ledger.run_id(client)
        there = there or {Path(file.path).name for file in client.list_artifacts(run, _FOLDER)}
        if copy.name not in there:
            continue
        with downloads() as folder:
            read = _read(download(folder, f"runs:/{run}/{_FOLDER}/{copy.name}"), one.file)
        if read is None:
            raise UserError(
                f"the identities of batch {one.number} in the store ({_FOLDER}/{copy.name} of the ledger's run) are "
                "not those of its entry in the ledger; bring the file back, or remove it: its rows then count as new"
            )
        _copy(read)
        known[one.number] = read
    return known


def _copy(rows: Stored) -> None:
    COPIES.mkdir(parents=True, exist_ok=True)
    _write(COPIES / f"{rows.hash}.parquet", rows)


def _write(path: Path, rows: Stored) -> None:
    frame = pd.DataFrame({WORD: rows.words})
    if rows.content is not None:
        frame[_CONTENT] = rows.content
    frame = frame.assign(**{f"{_RANK}{name}": found for name, found in rows.ranks.items()})
    frame.attrs[_COLUMNS] = rows.columns
    if rows.names:
        frame.attrs[_NAMES] = [*rows.names]
    if rows.profile is not None:
        frame.attrs[_PROFILE] = dict(rows.profile.columns)
    draft = path.with_suffix(".draft")
    frame.to_parquet(draft)
    draft.replace(path)


def _read(path: Path, name: str) -> Stored | None:
    """What a file holds; None if it is not what its name says."""
    try:
        frame = pd.read_parquet(path)
        columns, words = str(frame.attrs.get(_COLUMNS, "")), frame[WORD].to_numpy(np.uint64)
        content = frame[_CONTENT].to_numpy(np.uint64) if _CONTENT in frame else None
        profile = Profile(frame.attrs[_PROFILE]) if _PROFILE in frame.attrs else None
        names = tuple(map(str, frame.attrs.get(_NAMES, ())))
        of_ranks = [str(name) for name in frame.columns if str(name).startswith(_RANK)]
        ranks = {name.removeprefix(_RANK): frame[name].to_numpy(np.uint8) for name in of_ranks}
        found = Stored(columns, words, names, content, profile, ranks)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if found.hash == name else None
