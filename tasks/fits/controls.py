"""The controls of labelled and unlabelled rows by the half models (`heldout.unlabelled.half_model_controls`), in blocks
of repeats.

A block is stored as its votes, so that added repeats leave the earlier ones alone, and no more half models than those
of a block are in memory together.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet

from heldout import digests
from heldout.fits.specs import VoteSpec
from heldout.running.stored import Finished
from heldout.schemes.design import Design
from heldout.unlabelled.half_model_controls import NAMES, Controls, controls, most_rows, why_none
from tasks.fits import worker
from tasks.fits.fan_out import run_all
from tasks.fits.run_schemes import first_reasons
from tasks.fits.work import Work
from tasks.params import Settings
from tasks.plans.units import HalfPairs, Versions
from tasks.storage import files, fit_cache

_REPEATS_A_PIECE = 10
_ANSWERS_A_TASK = 500_000
_LABELED, _UNLABELED = "labelled", "unlabelled"
_EMPTY = pd.DataFrame(
    {"candidate": pd.Series(dtype="str"), "kind": pd.Series(dtype="str"), "row": pd.Series(dtype="int64")}
    | {name: pd.Series(dtype="float64") for name in NAMES}
)

log = logging.getLogger("heldout")


def control_all(settings: Settings, design: Design, halves: Mapping[str, Finished]) -> pd.DataFrame:
    """The table `controls`: candidate, kind of the row, its number, and its controls, with gaps for no probabilities.

    `halves` holds two hypotheses a repeat, in the order (repeat 0, half 0), (repeat 0, half 1), … A candidate whose
    half models do not answer has no line, and neither has any where controls are of no use.
    """
    shards, unlabeled = _taken(len(design.y))
    if why_none(design, unlabeled=unlabeled > 0, half_models=bool(halves)) is not None:
        return _EMPTY
    versions = Versions.current()
    content = [files.file_hash(shard) for shard in shards]
    pieces = {name: _pieces(finished.keys, versions.labeled, content) for name, finished in halves.items()}
    todo: list[Work] = []
    names: list[str] = []  # of the candidate of each task
    reused = 0
    for name, of_candidate in pieces.items():
        for some in _grouped(of_candidate, len(design.y) + unlabeled):
            lacking = [piece for piece in some if not fit_cache.store.has(piece.key)]
            if lacking:
                label, keys = f"{_label(lacking)} · controls · {name}", tuple(piece.key for piece in lacking)
                todo.append(Work(label, worker.vote, (settings.with_only(), shards, lacking, versions), keys))
                names.append(name)
            else:
                reused += 1
    failures = first_reasons(names, run_all(settings.execution, "controls", todo, reused))
    for name, reason in failures.items():
        log.warning("%s: unlabelled rows narrow no interval, because the half models do not answer: %s", name, reason)
    made = [lines for name, of in pieces.items() if name not in failures for lines in _lines(name, of)]
    return pd.concat(made, ignore_index=True) if made else _EMPTY


def read_controls(candidate: str) -> Controls | str:
    """The controls of a candidate, or the reason why there are none."""
    table = files.read_result("controls", candidate)
    if not len(table):
        return "its half models do not answer"
    known = [name for name in NAMES if table[name].notna().all()]
    labeled, unlabeled = (table.loc[table["kind"] == kind, known].to_numpy() for kind in (_LABELED, _UNLABELED))
    return Controls(labeled, unlabeled)


def _taken(labeled: int) -> tuple[tuple[Path, ...], int]:
    """The first shards, until they have as many rows as are asked, and the number of rows that are asked."""
    most, rows, taken = most_rows(labeled), 0, []
    for path in files.shards():
        if rows < most:
            taken.append(path)
            rows += pyarrow.parquet.read_metadata(path).num_rows
    return tuple(taken), min(rows, most)


def _pieces(keys: Sequence[str], labeled: str, shards: Sequence[str]) -> list[HalfPairs[VoteSpec]]:
    """The blocks of repeats of half models `keys`, on labelled rows and shards of this content."""
    size = 2 * _REPEATS_A_PIECE
    blocks = [tuple(keys[first : first + size]) for first in range(0, len(keys), size)]
    unlabeled = digests.content_hash(shards)
    return [
        HalfPairs(number * _REPEATS_A_PIECE, VoteSpec(block, labeled, unlabeled)) for number, block in enumerate(blocks)
    ]


def _grouped(pieces: Sequence[HalfPairs[VoteSpec]], rows: int) -> Iterator[Sequence[HalfPairs[VoteSpec]]]:
    """The pieces of one candidate, a task each or together where they are short."""
    size = max(1, _ANSWERS_A_TASK // max(1, rows * _REPEATS_A_PIECE))
    for first in range(0, len(pieces), size):
        yield pieces[first : first + size]


def _label(pieces: Sequence[HalfPairs[VoteSpec]]) -> str:
    return f"repeats {pieces[0].first + 1}-{pieces[-1].first + len(pieces[-1].halves) // 2}"


def _lines(candidate: str, pieces: Sequence[HalfPairs[VoteSpec]]) -> Iterator[pd.DataFrame]:
    stored = [fit_cache.store.load(piece.key) for piece in pieces]
    for place, kind in enumerate((_LABELED, _UNLABELED)):
        made = controls([votes[place] for votes in stored])
        of_rows = {name: made[:, number] if number < made.shape[1] else np.nan for number, name in enumerate(NAMES)}
        yield pd.DataFrame({"candidate": candidate, "kind": kind, "row": np.arange(len(made)), **of_rows})
