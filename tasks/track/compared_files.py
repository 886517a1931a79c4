"""The ledger of `python -m flows compare`: which candidates were ever compared on rows of these names."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from heldout.notebook.compared_models import Compared
from heldout.rows.hashing import bits, mixed
from heldout.rows.row_sketch import Sketch
from tasks.outcome.items import HIDDEN
from tasks.params import Settings
from tasks.track.experiments import compare_experiment
from tasks.track.ledger_tags import DIGITS, IDS_A_TAG
from tasks.track.store import connect, runs

if TYPE_CHECKING:
    from mlflow.entities import Run

_ROWS = f"{HIDDEN}table.rows"  # the sketch of the names of the rows
_LOSSES = f"{HIDDEN}table.losses."  # and a number: digests of the losses of candidates, with spaces between


@dataclass(frozen=True)
class Counted:
    """How many candidates were `compared` on some rows, with those of this file; `before`, the files with others."""

    compared: int
    before: tuple[str, ...] = ()


def count(settings: Settings, made: Compared, file: str) -> Counted:
    """The candidates that the store of `settings` knows on rows of these names, and those of `file`, which it keeps.

    Two candidates are one if they have the same losses on the same rows: what holds for one holds for the other. So
    the same file counts once, another name changes nothing, and more rows make each candidate another one, as another
    partition does (decision 4). The files lie in an experiment of their own. Raises UserError if the store cannot be
    reached.
    """
    client = connect(settings)
    words = mixed(bits(made.rows))
    order, seen = np.argsort(words, kind="stable"), Sketch.of(words)
    mine = {_digest(observed.losses[order]) for observed in made.observed.values()}
    found = [run for run in runs(client, f"tags.`{_ROWS}` IS NOT NULL") if _rows(run).overlaps(seen)]
    found.sort(key=lambda run: (run.info.start_time, run.info.run_id))
    every, before, kept = set(mine), [], False
    for run in found:
        theirs = _digests(run)
        kept = kept or (mine <= theirs and _rows(run) == seen)
        if theirs - mine:
            before.append(_named(run))
        every |= theirs
    if not kept:
        ids = sorted(mine)
        tags = {_ROWS: str(seen)} | {
            f"{_LOSSES}{number}": " ".join(ids[first : first + IDS_A_TAG])
            for number, first in enumerate(range(0, len(ids), IDS_A_TAG))
        }
        experiment = compare_experiment(client, settings)
        run = client.create_run(experiment, run_name=file, tags=tags)
        client.set_terminated(run.info.run_id)
    return Counted(len(every), tuple(dict.fromkeys(before)))


def _digest(losses: np.ndarray) -> str:
    return hashlib.sha256(np.ascontiguousarray(losses, dtype="<f8").tobytes()).hexdigest()[:DIGITS]


def _rows(run: "Run") -> Sketch:
    return Sketch.parsed(run.data.tags[_ROWS])


def _digests(run: "Run") -> set[str]:
    return {one for name, text in run.data.tags.items() if name.startswith(_LOSSES) for one in text.split()}


def _named(run: "Run") -> str:
    started = datetime.fromtimestamp(run.info.start_time / 1000, UTC)
    return f"{run.info.run_name} ({started:%Y-%m-%d})"
