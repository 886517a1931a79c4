"""data/results: what each scheme leaves for `select`, one table for each kind of number, and read back as evidence.

Lines are written in pieces and read one candidate at a time: the losses of all candidates are never in memory together.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.estimates import SIDE, schemes_of
from heldout.losses import Loss, Losses
from heldout.parts.splits import SplitLosses, tested_rows, tested_sizes
from heldout.parts.weights import Weights
from heldout.running.stored import Finished
from heldout.schemes import SCHEMES, STAGES, SchemeName
from heldout.schemes.design import Design, Evidence, half_losses
from heldout.schemes.halvings import Halvings
from heldout.unlabelled.disagreement import ShardMargins
from tasks.fits import counted_warnings, tuned_paths
from tasks.params import Settings
from tasks.plans.fit_plans import further_schemes
from tasks.runtime.errors import UserError
from tasks.storage import files
from tasks.storage.parquet import Pieces

_LINES_AT_ONCE = 1_000_000


def write_holdout(
    settings: Settings, design: Design, finished: Mapping[str, Mapping[str, Finished]], failures: Mapping[str, str]
) -> None:
    """Losses of g- on the held-out rows, and of g on the rows that it was trained on; the paths of tuned estimators."""
    tables: dict[str, Pieces] = {
        "losses": _losses(design, finished["holdout"], "holdout"),
        "in_sample": _losses(design, finished["final"], "final"),
        **tuned_paths.tables(settings, finished["final"]),
    }
    files.write_result(
        "holdout", tables, failures, counted_warnings.count("holdout", finished["holdout"], finished["final"])
    )


def write_cross_validation(
    design: Design, finished: Mapping[str, Mapping[str, Finished]], failures: Mapping[str, str]
) -> None:
    """One loss a row, its unit the fold; the losses of the fits that intervals ask for; the terms of each loss of whole
    parts, of both."""
    tables: dict[str, Pieces] = {"losses": _losses(design, finished["cross_validation"], "cross_validation")}
    for scheme in further_schemes(design):
        tables[scheme] = _losses(design, finished[scheme], scheme)
    for scheme in ("cross_validation", *further_schemes(design)):
        for estimate in design.part_losses_in(scheme):
            tables[_table_of_terms(scheme, estimate)] = _terms(design, finished[scheme], scheme, estimate)
    counted = counted_warnings.count("cross_validation", *finished.values())
    files.write_result("cross_validation", tables, failures, counted)


def write_progressive(design: Design, finished: Mapping[str, Finished], failures: Mapping[str, str]) -> None:
    """One loss a tested row, its unit the step."""
    splits = design.splits("progressive")
    row = tested_rows(splits)
    step = design.partition.step[row]
    order = np.argsort(step, kind="stable")
    losses = _lines(
        design.loss, finished, step[order], row[order], lambda units: np.concatenate([*units.losses])[order]
    )
    files.write_result("progressive", {"losses": losses}, failures, counted_warnings.count("progressive", finished))


def write_covalidation(
    design: Design,
    finished: Mapping[str, Finished],
    of_unlabeled: Mapping[str, Pieces],
    failures: Mapping[str, str],
    halvings: Halvings | None = None,
) -> None:
    """The loss of each row by the half model that did not see it and by the one that did, and the tables that compare
    answers on unlabelled rows.

    Rows in time have no line of the first kind. `halvings` is what a rule found; `design` has as many.
    """
    untested = design.dependence.time is not None
    tables: dict[str, Pieces] = {
        "losses": _halves(design, {} if untested else finished, own=False),
        "training": _halves(design, finished, own=True),
        **of_unlabeled,
    }
    files.write_result("covalidation", tables, failures, counted_warnings.count("covalidation", finished))
    if halvings is not None:
        files.write_halvings(halvings)


def read_evidence(
    design: Design, candidates: Sequence[str], lacking: Mapping[str, Mapping[str, str]] = MappingProxyType({})
) -> Mapping[str, Evidence]:
    """All that the schemes left of each of `candidates`: read when someone asks for it, and not kept.

    Some are `lacking` the losses of schemes that failed, for a reason each.
    """
    repeats = _by_candidate(files.read_result("covalidation", "disagreement"))
    rows = _by_candidate(files.read_result("covalidation", "disagreement_rows"))
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
    repeats, rows = (files.read_result("covalidation", f"disagreement{which}", candidate) for which in ("", "_rows"))
    return _margins(repeats, rows) if len(rows) else None


def losses(candidates: Sequence[str], weights: Weights | None = None) -> Iterator[pd.DataFrame]:
    """The lines of losses.parquet of the contract, the losses of the four schemes and the weights, in pieces."""
    for scheme in STAGES:
        for piece in files.read_pieces(scheme, "losses"):
            lines = piece[piece["candidate"].isin(candidates)]
            if len(lines):
                weight = {} if weights is None else {"weight": weights.values[lines["row"].to_numpy()]}
                yield lines.assign(scheme=scheme, **weight)


def read_failures(deliver: str, raced: Collection[str]) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """The reason of each candidate that failed, and those of each that lacks some estimates, by what failed.

    Where a scheme is delivered its failures are of the first kind, and those of a race, in the stream of E_prog.
    """
    failures: dict[str, str] = {}
    lacking: dict[str, dict[str, str]] = {}
    for scheme in STAGES:
        for name, reason in files.read_failures(scheme).items():
            if scheme in SIDE and deliver not in SCHEMES[scheme].forms and name not in raced:
                answered = scheme == "covalidation" and len(files.read_result(scheme, "training", name))
                lacking.setdefault(name, {})["disagreement" if answered else scheme] = reason
            else:
                failures.setdefault(name, reason)
    return failures, {name: of for name, of in lacking.items() if name not in failures}


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


def _table_of_terms(scheme: SchemeName, estimate: str) -> str:
    return f"{SCHEMES[scheme].table}_{estimate}"


def _read_terms(design: Design, candidate: str) -> dict[str, dict[SchemeName, Sequence[Losses]]]:
    """The terms of one candidate, by the estimate and the scheme."""
    return {
        estimate: {
            scheme: _parts(
                design,
                scheme,
                files.read_result(SCHEMES[scheme].stage, _table_of_terms(scheme, estimate), candidate),
            )
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
        return _parts(design, scheme, files.read_result(SCHEMES[scheme].stage, SCHEMES[scheme].table, self.candidate))

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
        return _half_parts(self.design, files.read_result("covalidation", "training", self.candidate), own=True)

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
