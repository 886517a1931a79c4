"""data/results/fits: what the fits leave for `select`, a table for each kind of number, and read back as evidence.

Lines are written in pieces and read one candidate at a time: the losses of all candidates are never in memory together.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.estimates import schemes_of
from heldout.losses import Loss, Losses
from heldout.parts.splits import SplitLosses, tested_rows, tested_sizes
from heldout.parts.weights import Weights
from heldout.running.stored import Finished
from heldout.schemes import SchemeName
from heldout.schemes.design import Design, Evidence, half_losses
from heldout.unlabelled.disagreement import ShardMargins
from tasks.fits import counted_warnings, tuned_paths
from tasks.fits.fitted import Fitted
from tasks.params import Settings
from tasks.runtime.errors import UserError
from tasks.storage import files
from tasks.storage.parquet import Pieces

_IN_LOSSES: tuple[SchemeName, ...] = ("holdout", "cross_validation", "progressive", "covalidation")
_TRAINING = "covalidation_training"
_LINES_AT_ONCE = 1_000_000


def write(settings: Settings, fitted: Fitted, of_unlabeled: Mapping[str, Pieces]) -> None:
    """The tables of all schemes; the paths of tuned estimators; those that compare answers on unlabelled rows; and the
    race, the failures, the warnings and the halvings.

    A scheme has one loss a tested row and fit; the half models also those of the rows that they were trained on. Rows
    in time are tested by no half model. Raises UserError for a loss above loss_max, in stored fits too.
    """
    design, finished = fitted.design, fitted.finished
    tables: dict[str, Pieces] = {}
    for scheme, of in finished.items():
        tables |= _tables(design, of, scheme)
    tables |= {**tuned_paths.tables(settings, finished.get("final", {})), **of_unlabeled}
    found = fitted.halvings
    record = {
        "dropped": fitted.raced.described(),
        "no_race": fitted.raced.none,
        "failed": fitted.failures,
        "lacking": fitted.lacking,
        "warnings": counted_warnings.count(*finished.values()),
        "halvings": None if found is None else {**asdict(found), "partitions": files.partitions_hash()},
    }
    files.write_fits(tables, record)


def read_evidence(
    design: Design, candidates: Sequence[str], lacking: Mapping[str, Mapping[str, str]] = MappingProxyType({})
) -> Mapping[str, Evidence]:
    """All that the schemes left of each of `candidates`: read when someone asks for it, and not kept.

    Some are `lacking` the losses of schemes that failed, for a reason each.
    """
    repeats = _by_candidate(files.read_result("disagreement"))
    rows = _by_candidate(files.read_result("disagreement_rows"))
    disagreement = {
        name: _margins(repeats[name], rows[name]).pooled(design.loss, design.seed)
        for name in candidates
        if name in rows
    }
    return _ByName(
        candidates,
        lambda name: Evidence(
            _OfCandidate(design, name, frozenset(lacking.get(name, ()))),
            () if "covalidation" in lacking.get(name, ()) else _Training(design, name),
            disagreement.get(name),
            _read_terms(design, name),
            lacking.get(name, {}),
        ),
    )


def shard_margins(candidate: str) -> ShardMargins | None:
    """The disagreement of a candidate's half models on each shard in use; None where there is none."""
    repeats, rows = (files.read_result(f"disagreement{which}", candidate) for which in ("", "_rows"))
    return _margins(repeats, rows) if len(rows) else None


def losses(candidates: Sequence[str], weights: Weights | None = None) -> Iterator[pd.DataFrame]:
    """The lines of losses.parquet of the contract, the losses of the four schemes and the weights, in pieces."""
    for scheme in _IN_LOSSES:
        for piece in files.read_pieces(scheme):
            lines = piece[piece["candidate"].isin(candidates)]
            if len(lines):
                weight = {} if weights is None else {"weight": weights.values[lines["row"].to_numpy()]}
                yield lines.assign(scheme=scheme, **weight)


def read_failures() -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """The reason of each candidate that failed, and those of each that lacks some estimates, by what failed."""
    record = files.read_fits_record()
    return record["failed"], record["lacking"]


def _tables(design: Design, finished: Mapping[str, Finished], scheme: SchemeName) -> dict[str, Pieces]:
    """Those of one scheme."""
    if scheme == "progressive":
        return {scheme: _in_steps(design, finished)}
    if scheme == "covalidation":
        tested = finished if design.dependence.time is None else {}
        return {scheme: _halves(design, tested, own=False), _TRAINING: _halves(design, finished, own=True)}
    terms = {
        _table_of_terms(scheme, estimate): _terms(design, finished, scheme, estimate)
        for estimate in design.part_losses_in(scheme)
    }
    return {scheme: _losses(design, finished, scheme), **terms}


def _losses(design: Design, finished: Mapping[str, Finished], scheme: SchemeName) -> Iterator[pd.DataFrame]:
    """A line for each candidate, unit and row, in that order."""
    splits = design.splits(scheme)
    unit = np.repeat(np.arange(len(splits)), tested_sizes(splits))
    return _lines(design.loss, finished, unit, tested_rows(splits), lambda units: np.concatenate([*units.losses]))


def _terms(
    design: Design, finished: Mapping[str, Finished], scheme: SchemeName, estimate: str
) -> Iterator[pd.DataFrame]:
    """The same lines with the terms of a loss of whole parts."""
    splits = design.splits(scheme)
    unit = np.repeat(np.arange(len(splits)), tested_sizes(splits))

    def of(units: Finished) -> Losses:
        return np.concatenate([terms[estimate] for terms in units.terms])

    return _lines(None, finished, unit, tested_rows(splits), of)


def _in_steps(design: Design, finished: Mapping[str, Finished]) -> Iterator[pd.DataFrame]:
    """One loss a tested row, its unit the step."""
    row = tested_rows(design.splits("progressive"))
    step = design.partition.step[row]
    order = np.argsort(step, kind="stable")
    return _lines(design.loss, finished, step[order], row[order], lambda units: np.concatenate([*units.losses])[order])


def _table_of_terms(scheme: SchemeName, estimate: str) -> str:
    return f"{scheme}_{estimate}"


def _read_terms(design: Design, candidate: str) -> dict[str, dict[SchemeName, Sequence[Losses]]]:
    """The terms of one candidate, by the estimate and the scheme."""
    return {
        estimate: {
            scheme: _parts(design, scheme, files.read_result(_table_of_terms(scheme, estimate), candidate))
            for scheme in schemes_of(design)
            if estimate in design.part_losses_in(scheme)
        }
        for estimate in design.part_losses
    }


def _halves(design: Design, finished: Mapping[str, Finished], *, own: bool) -> Iterator[pd.DataFrame]:
    """A line for each candidate, repeat and row, in that order."""
    repeats, n = design.halves.shape
    unit, row = np.repeat(np.arange(repeats), n), np.tile(np.arange(n), repeats)

    def of(units: Finished) -> Losses:
        parts = [part for part in units.training if part is not None] if own else units.losses
        return half_losses(design, parts, on_training_half=own).ravel()

    return _lines(design.loss, finished, unit, row, of)


def _lines(
    judge: Loss | None,
    finished: Mapping[str, Finished],
    unit: NDArray[np.int64],
    row: NDArray[np.intp],
    losses_of: Callable[[Finished], Losses],
) -> Iterator[pd.DataFrame]:
    """The lines of each candidate, in pieces; without candidates one piece without lines.

    Raises UserError for a loss above loss_max, in stored fits too.
    """
    for candidate, units in finished.items():
        loss = losses_of(units)
        try:
            if judge is not None:
                judge.check_losses(loss, row, candidate)
        except BadArgument as error:
            raise UserError(str(error)) from None
        for first in range(0, len(loss), _LINES_AT_ONCE):
            some = slice(first, first + _LINES_AT_ONCE)
            yield pd.DataFrame({"candidate": candidate, "unit": unit[some], "row": row[some], "loss": loss[some]})
    if not finished:
        yield pd.DataFrame(
            {"candidate": pd.Series([], dtype="str"), "unit": unit[:0], "row": row[:0], "loss": np.empty(0)}
        )


@dataclass(frozen=True, eq=False)
class _ByName(Mapping[str, Evidence]):
    """Evidence that is read again each time that someone asks for it."""

    names: Sequence[str]
    of: Callable[[str], Evidence]

    def __getitem__(self, name: str) -> Evidence:
        if name not in self.names:
            raise KeyError(name)
        return self.of(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True, eq=False)
class _OfCandidate(Mapping[SchemeName, Sequence[Losses]]):
    """The losses of one candidate: each scheme is read when someone asks for it, but for those that `failed`."""

    design: Design
    candidate: str
    failed: frozenset[str] = frozenset()

    @cached_property
    def _schemes(self) -> list[SchemeName]:
        return [scheme for scheme in schemes_of(self.design) if scheme not in self.failed]

    def __getitem__(self, scheme: SchemeName) -> Sequence[Losses]:
        design = self.design
        if scheme not in self._schemes:
            raise KeyError(scheme)
        if scheme == "covalidation" and design.dependence.time is not None:
            return [np.empty(0) for _ in design.splits("covalidation")]
        return _parts(design, scheme, files.read_result(scheme, self.candidate))

    def __contains__(self, scheme: object) -> bool:
        return scheme in self._schemes

    def __iter__(self) -> Iterator[SchemeName]:
        return iter(self._schemes)

    def __len__(self) -> int:
        return len(self._schemes)


@dataclass(frozen=True, eq=False)
class _Training(Sequence[Losses]):
    """The losses of one candidate's half models on the rows that they were trained on, read when needed."""

    design: Design
    candidate: str

    @cached_property
    def _read(self) -> list[Losses]:
        return _half_parts(self.design, files.read_result(_TRAINING, self.candidate), own=True)

    def __getitem__(self, number: Any) -> Any:
        return self._read[number]

    def __len__(self) -> int:
        return len(self._read)


def _by_candidate(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    return {str(name): lines for name, lines in table.groupby("candidate", sort=False)}


def _parts(design: Design, scheme: SchemeName, table: pd.DataFrame) -> Sequence[Losses]:
    """The losses of each split, in the order of `Design.splits`."""
    if scheme == "covalidation":
        return _half_parts(design, table, own=False)
    splits = design.splits(scheme)
    losses = table["loss"].to_numpy()
    if scheme == "progressive":  # kept in the order of steps
        by_row = np.empty(len(design.y))
        by_row[table["row"].to_numpy(dtype=np.intp)] = losses
        losses = by_row[tested_rows(splits)]
    return SplitLosses(losses, tested_sizes(splits))


def _half_parts(design: Design, table: pd.DataFrame, *, own: bool) -> list[Losses]:
    by_repeat = table["loss"].to_numpy().reshape(design.halves.shape)
    return [
        by_repeat[number // 2, split.train if own else split.validation]
        for number, split in enumerate(design.splits("covalidation"))
    ]


def _margins(repeats: pd.DataFrame, rows: pd.DataFrame) -> ShardMargins:
    """The margins of each shard, in their order."""
    by_shard = rows.set_index("shard").sort_index()
    by_repeat = repeats.pivot(index="repeat", columns="shard", values="disagreement")
    columns: Any = (by_shard[name].to_numpy() for name in ("rows", "mean", "variance"))
    n, means, variances = columns
    return ShardMargins(n, by_repeat.to_numpy(), means, variances)
