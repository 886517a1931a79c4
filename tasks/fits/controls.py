"""The controls of labelled and unlabelled rows by the half models (`heldout.unlabelled.half_model_controls`), in blocks
of repeats.

A block is stored as its votes, so that added repeats leave the earlier ones alone, and no more half models than those
of a block are in memory together.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow.parquet

from heldout import digests
from heldout.fits.specs import VoteSpec
from heldout.running.stored_fits import Finished
from heldout.schemes.design import Design
from heldout.unlabelled.half_model_controls import Controls, most_rows, why_none
from tasks.fits import worker
from tasks.fits.fan_out import run_all
from tasks.fits.run_schemes import first_reasons
from tasks.fits.work import Work
from tasks.params import Settings
from tasks.plans.units import HalfPairs, Versions
from tasks.storage import files, fit_cache

_REPEATS_A_PIECE = 10
_ANSWERS_A_TASK = 500_000
NO_ANSWER = "its half models do not answer"

log = logging.getLogger("heldout")


def control_all(settings: Settings, design: Design, halves: Mapping[str, Finished]) -> dict[str, Controls | str]:
    """The controls of all rows by the half models of each candidate, or the reason why there are none.

    `halves` holds two hypotheses a repeat, in the order (repeat 0, half 0), (repeat 0, half 1), …
    """
    shards, unlabeled = _taken(len(design.y))
    reason = why_none(design, unlabeled=unlabeled > 0, half_models=True)
    if reason is not None:
        return dict.fromkeys(halves, reason)
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
    return {name: NO_ANSWER if name in failures else _joined(of) for name, of in pieces.items()}


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


def _joined(pieces: Sequence[HalfPairs[VoteSpec]]) -> Controls:
    votes = [fit_cache.store.load(piece.key) for piece in pieces]
    return Controls.of_votes([labeled for labeled, _ in votes], [unlabeled for _, unlabeled in votes])
