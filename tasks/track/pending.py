"""Runs that the store did not take: all that MLflow is to get of a run, in a folder that no store is needed for.

They are below `pending/` of the checkout, which neither removing `.cache` nor a new store touches. They hold texts,
numbers and copies of files, no address of a store.
"""

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from tasks.outcome.items import Artifact, Dataset, Input, Item, Note, Parameter, Tag, TrackedMetric, TrackedTable
from tasks.runtime.errors import UserError
from tasks.runtime.private_files import private_folder
from tasks.storage import files
from tasks.storage.atomic import replacing
from tasks.track.registry import sample
from tasks.track.send import as_input

FOLDER = Path("pending")
_RECORD, _FILES, _MODEL, _SAMPLE = "record.json", "files", "model.skops", "sample.parquet"


@dataclass
class RunItems:
    """What a run of MLflow gets: a candidate's own run, or the whole validation."""

    name: str | None = None
    failed: bool = False
    items: list[Item] = field(default_factory=list)


@dataclass
class PendingRun:
    """A validation as MLflow is to have it; times in milliseconds. `key` is the tag by which its run is found."""

    key: str
    experiment: str
    tags: Mapping[str, str]
    started: int
    status: str = "RUNNING"
    ended: int = 0
    whole: RunItems = field(default_factory=RunItems)
    candidates: list[RunItems] = field(default_factory=list)
    model: bool = False  # whether the run is to have the delivered model
    entries: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)  # in the ledger of operations
    folder: Path | None = None  # where it was read from

    @property
    def model_file(self) -> Path:
        """The copy of the delivered model."""
        return self._at(_MODEL)

    @property
    def sample_file(self) -> Path:
        """The first rows, by which MLflow knows the columns of the model."""
        return self._at(_SAMPLE)

    def _at(self, name: str) -> Path:
        if self.folder is None:
            raise RuntimeError("the record is not stored")
        return self.folder / name


def write(record: PendingRun) -> Path:
    """Store the record with copies of its files, completely or not at all; returns its folder."""
    private_folder(FOLDER)
    place = FOLDER / record.key
    with replacing(place) as folder:
        (folder / _FILES).mkdir()
        runs = [_as_json(sent, folder) for sent in (record.whole, *record.candidates)]
        if record.model:
            shutil.copyfile(files.MODEL, folder / _MODEL)
            sample().to_parquet(folder / _SAMPLE)
        known = {
            name: getattr(record, name)
            for name in ("key", "experiment", "started", "status", "ended", "model", "entries")
        }
        with (folder / _RECORD).open("w", encoding="utf-8") as file:
            json.dump({**known, "tags": dict(record.tags), "runs": runs}, file, indent=1)
    return place


def read_all() -> list[PendingRun]:
    """The records that wait, the oldest first. Raises UserError for one that cannot be read."""
    records = [_read(path.parent) for path in FOLDER.glob(f"[!.]*/{_RECORD}")]
    return sorted(records, key=lambda record: record.started)


def read_sample(record: PendingRun) -> pd.DataFrame:
    """Some rows of the kind that the model is for."""
    return pd.read_parquet(record.sample_file)


def remove(record: PendingRun) -> None:
    """Forget a record that was sent."""
    if record.folder is not None:
        shutil.rmtree(record.folder)


def _as_json(sent: RunItems, folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = {"metrics": [], "parameters": {}, "tags": {}, "artifacts": [], "inputs": []}
    found |= {"notes": [], "tables": []}
    for item in sent.items:
        match item:
            case TrackedMetric(name, value, step):
                found["metrics"].append([name, value, step])
            case Parameter(name, value):
                found["parameters"][name] = value
            case Tag(name, value):
                found["tags"][name] = value
            case Artifact(path, below):
                copy = Path(_FILES, below or "", path.name)
                (folder / copy).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, folder / copy)
                found["artifacts"].append([str(copy), below])
            case Note(text):
                found["notes"].append(text)
            case TrackedTable(name, table):
                found["tables"].append([name, json.loads(table.to_json(orient="split"))])
            case Dataset() | Input():
                found["inputs"].append(asdict(as_input(item)))
    return {"name": sent.name, "failed": sent.failed, **found}


def _read(folder: Path) -> PendingRun:
    try:
        found = json.loads((folder / _RECORD).read_text(encoding="utf-8"))
        whole, *candidates = [_sent(one, folder) for one in found.pop("runs")]
        return PendingRun(**found, whole=whole, candidates=candidates, folder=folder)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise UserError(f"{folder} is no record of a run ({error}); remove it, and run again what it was of") from None


def _sent(found: Mapping[str, Any], folder: Path) -> RunItems:
    items: list[Item] = [TrackedMetric(*one) for one in found["metrics"]]
    items += [Parameter(*one) for one in found["parameters"].items()]
    items += [Tag(*one) for one in found["tags"].items()]
    items += [Artifact(folder / path, below) for path, below in found["artifacts"]]
    items += [Input(**one) for one in found["inputs"]]
    # a record of an older version has none of these
    items += [Note(text) for text in found.get("notes", ())]
    items += [TrackedTable(name, pd.DataFrame(**table)) for name, table in found.get("tables", ())]
    return RunItems(found["name"], found["failed"], items)
