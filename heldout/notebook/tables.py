"""The tables of a `Validation`, one for each file of `reports/` that shows it."""

import math
import pickle
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from heldout.diagnosis import hard_rows, more_rows
from heldout.errors import BadArgument, FitFailure
from heldout.estimates import schemes_of
from heldout.findings.finding import Finding
from heldout.fits.fit_cost import FitCost, prediction_microseconds
from heldout.learners.threads import one_thread
from heldout.losses import Loss
from heldout.losses.amounts import shown
from heldout.notebook.candidate_models import CandidateModels
from heldout.records import (
    CalibrationBin,
    ClassError,
    ColumnReliance,
    Confused,
    Difference,
    Estimate,
    MoreRows,
    PredictionPowered,
    Residual,
    RocPoint,
)
from heldout.rows import frames
from heldout.running.quiet import quiet

if TYPE_CHECKING:
    from heldout.notebook.result import Validation

ESTIMATE_COLUMNS = (
    "candidate",
    "estimate",
    "value",
    "low",
    "high",
    "level",
    "target",
    "interval",
    "n_train",
    "n_tested",
)
MOST_HARD_ROWS = 100
_REPEATS = 10  # of the half models that are asked what they answer at a hard row
Columns = Mapping[str, Sequence[Any]]


@dataclass(frozen=True)
class Table:
    """Columns with their values, and their types; a column without one has that of its first value."""

    columns: Columns
    types: Mapping[str, Any]

    @classmethod
    def of(cls, kind: Any, records: Sequence[Any], names: Sequence[str] = (), **first: str) -> "Table":
        """A line for each of the `records` of a `kind`, its fields, or those of these `names`, after the `first`."""
        types = {one.name: one.type for one in fields(kind) if not names or one.name in names}
        columns = {name: [getattr(record, name) for record in records] for name in names or types}
        return cls({**{name: [text] * len(records) for name, text in first.items()}, **columns}, types)


def of_records(kind: Any, records: Sequence[Any]) -> Table:
    """A line for each of the `records` of a `kind`, with the columns of its file in `reports/`."""
    if kind is Difference:
        return of_differences(records)
    if kind is ColumnReliance:
        return _of_columns(records)
    if kind is Finding:
        records = [replace(one, columns=", ".join(one.columns)) for one in records]
    names = {Estimate: ESTIMATE_COLUMNS, Finding: ("code", "severity", "columns", "text", "decide")}.get(kind, ())
    table = Table.of(kind, records, names)
    return Table(table.columns, {**table.types, **({"columns": str, "severity": str} if kind is Finding else {})})


def frame(made: "Validation", fits: Mapping[str, CandidateModels], kind: str, candidate: str, library: str) -> Any:
    """The table of a kind, of all candidates or of one, as a data frame of the `library`. Raises BadArgument."""
    if kind not in KINDS:
        raise BadArgument("kind", f"kind is {kind!r}; it must be one of {', '.join(KINDS)}")
    table = KINDS[kind](made, candidate, fits)
    return frames.of_columns(table.columns, table.types, library)


def as_rmse(records: Sequence[Estimate], loss: Loss) -> dict[str, list[float | None]]:
    """RMSE and its ends for each of the records, by column, of the squared loss; empty for another."""
    if loss.power != 2:
        return {}
    columns = {"RMSE": "value", "RMSE_low": "low", "RMSE_high": "high"}
    ends = {name: [getattr(record, end) for record in records] for name, end in columns.items()}
    return {name: [None if end is None else float(shown(end, loss)) for end in of] for name, of in ends.items()}


def _estimates(made: "Validation", _name: str, _fits: Any) -> Table:
    records = [*made.estimates, *made.baseline]
    table = Table.of(Estimate, records, ESTIMATE_COLUMNS)
    more = as_rmse(records, made.design.loss)
    return Table({**table.columns, **more}, {**table.types, **dict.fromkeys(more, float)})


def of_differences(records: Sequence[Difference]) -> Table:
    """A line for each; the column `by_margin` is there where a margin was stated."""
    names = [one.name for one in fields(Difference)]
    if not any(record.by_margin for record in records):
        names.remove("by_margin")
    return Table.of(Difference, records, names)


def _differences(made: "Validation", name: str, _fits: Any) -> Table:
    """By the estimate that the choice compared candidates by."""
    return of_differences(made.differences(name, made.compared_by))


def _more_rows(made: "Validation", _name: str, _fits: Any) -> Table:
    return Table.of(
        MoreRows, more_rows.more_rows(made.design, made.evidence, {name: [*made[name].values()] for name in made})
    )


def _powered(made: "Validation", _name: str, _fits: Any) -> Table:
    return Table.of(PredictionPowered, [line for name in made for line in made.prediction_powered(name)])


def _not_credible(made: "Validation", name: str, _fits: Any) -> Table:
    """Every doubt about an interval; about differences, those of one candidate."""
    lines = [(name, *doubt) for doubt in made.not_credible(name).items()]
    lines += [
        (record.candidate, record.estimate, record.not_credible)
        for record in [*made.estimates, *made.baseline]
        if record.not_credible is not None and record.candidate != name
    ]
    names = ("candidate", "estimate", "reason")
    return Table({name: [line[place] for line in lines] for place, name in enumerate(names)}, dict.fromkeys(names, str))


def _class_errors(made: "Validation", name: str, _fits: Any) -> Table:
    """Of a result without E_cv, or of another loss than 0/1, no line."""
    return Table.of(ClassError, made.class_errors(name) if "E_cv" in made.design.estimates else ())


def _confusion(made: "Validation", name: str, _fits: Any) -> Table:
    """As `_class_errors`; and no line where a hypothesis does not answer."""
    found: Sequence[Confused] = ()
    if "E_cv" in made.design.estimates:
        with suppress(FitFailure):
            found = made.confusion(name)
    return Table.of(Confused, found)


def _columns(made: "Validation", name: str, _fits: Any) -> Table:
    """The names of the columns of a set in one text."""
    return _of_columns(made.columns(name))


def _of_columns(lines: Sequence[ColumnReliance]) -> Table:
    named = [replace(line, columns=" with ".join(map(str, line.columns))) for line in lines]  # type: ignore[arg-type]
    table = Table.of(ColumnReliance, named)
    return Table(table.columns, {**table.types, "columns": str})


def _hard_rows(made: "Validation", name: str, fits: Mapping[str, CandidateModels]) -> Table:
    """The rows that most candidates get wrong, with what most of the half models answer there."""
    design = made.design
    found = hard_rows.hard_rows(design, made.evidence, name, MOST_HARD_ROWS)
    answer = share = None
    if len(found.rows) and "covalidation" in made.evidence[name].losses:
        halves = islice(fits[name].hypotheses("covalidation"), 2 * _REPEATS)
        with quiet(), one_thread():
            answer, share = hard_rows.answers_of_others(halves, fits[name].X, design, found.rows)
    columns: dict[str, Any] = {
        "prepared_row": found.rows,
        "label": design.y[found.rows],
        "answer": answer,
        "answer_share": share,
        "loss": found.losses,
        "least_loss": found.least,
        "half_loss": found.halves,
        "candidates_wrong": found.wrong,
    }
    listed = {named: [None] * len(found.rows) if of is None else of.tolist() for named, of in columns.items()}
    return Table({**listed, "candidates": [len(made)] * len(found.rows)}, {})


def _costs(made: "Validation", _name: str, fits: Mapping[str, CandidateModels]) -> Table:
    """Of the model of each candidate's first split: its seconds, where the fit was made by this result, and so on.

    Measured when somebody asks, so that what two runs print is the same.
    """
    design, found = made.design, {}
    scheme = schemes_of(design)[0]
    for name in made:
        of, split = fits[name], design.splits(scheme)[0]
        hypothesis = of.hypotheses(scheme)[0]
        with quiet(), one_thread():
            microseconds = prediction_microseconds(hypothesis, of.X, design.loss)
        a_row = next(iter(getattr(of, "pace", ())), math.nan)
        found[name] = FitCost(a_row, microseconds, len(pickle.dumps(hypothesis))).of_all(len(split.train))
    names = ("fit_seconds", "prediction_microseconds", "model_bytes")
    return Table(
        {"candidate": [*found], **{one: [of[one] for of in found.values()] for one in names}}, {"candidate": str}
    )


def _curve(kind: Any, curve: str) -> "Find":
    def of(made: "Validation", name: str, _fits: Any) -> Table:
        curves = made.curves(name)
        return Table.of(kind, getattr(curves, curve), **curves.whose)

    return of


Find = Callable[["Validation", str, Mapping[str, CandidateModels]], Table]
KINDS: Mapping[str, Find] = {
    "estimates": _estimates,
    "differences": _differences,
    "more_rows": _more_rows,
    "prediction_powered": _powered,
    "not_credible": _not_credible,
    "class_errors": _class_errors,
    "confusion": _confusion,
    "columns": _columns,
    "hard_rows": _hard_rows,
    "costs": _costs,
    "calibration": _curve(CalibrationBin, "calibration"),
    "roc": _curve(RocPoint, "roc"),
    "residuals": _curve(Residual, "residuals"),
}
