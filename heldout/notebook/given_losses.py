"""The losses that a table of answers says: from answers and labels, from what is right, or from losses themselves."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.losses import ABSOLUTE, ZERO_ONE, Loss, Losses, choose_loss
from heldout.losses.cells import Cells, cells
from heldout.predictions.long_table import LOSS, REMEDY, LongTable, Values, column, columns, gaps
from heldout.rows.class_names import class_named
from heldout.splits.weights import Weights

Name = str | int  # columns of a frame that was made of an array are numbered
Names = Name | Sequence[Name]
Missing = Literal["refuse", "leave_out", "wrong"]
MISSING: tuple[Missing, ...] = ("refuse", "leave_out", "wrong")
ROW = "row"  # the column with the names of the rows, if there is one
_OR_NUMBERS = "; for probabilities name the loss (log, brier), for what ranks the rows a metric (auc)"
_FIRST = 1000  # answers that are looked at before all are
_RIGHT = {"true": 1.0, "false": 0.0}


@dataclass(frozen=True, eq=False)
class Given:
    """The columns in which a table says how candidates did: `argument` is what they hold, `names` theirs.

    A `wide` table has one for each candidate, a long one has a line for each row and candidate. `gone`, shape (n,), are
    the lines of the table that hold no answer, whatever is in these columns. `shares`, shape (n, K), are the
    probabilities of the `classes` in each line of the table, where a reader knows them.
    """

    argument: Literal["answer", "correct", "losses"]
    names: tuple[str, ...]
    wide: bool
    gone: NDArray[np.bool_] | None = None
    classes: NDArray[Any] | None = None
    shares: NDArray[np.float64] | None = None
    last: Any = None  # of two classes, in the order of the label's own type

    @classmethod
    def of(cls, table: Any, answer: Names, correct: Names | None, losses: Names | None) -> "Given":
        """From the arguments of `heldout.from_predictions`. Raises BadArgument for two of them, and equal names."""
        if correct is not None and losses is not None:
            raise BadArgument("correct", f"correct is {correct!r} and losses is {losses!r}; give one of both")
        known = columns(table)
        if correct is not None:
            made = cls("correct", *_named(correct))
        elif losses is not None:
            made = cls("losses", *_named(losses))
        elif answer == "answer" and answer not in known and LOSS in known:
            made = cls("losses", (LOSS,), wide=False)
        else:
            made = cls("answer", *_named(answer))
        if not made.names or len({*made.names}) < len(made.names):
            raise BadArgument(
                made.argument, f"{made.argument} is {list(made.names)}; it must name a column for each candidate, once"
            )
        return made

    def named_by(self, table: Any, row: str | None, candidate: str) -> str | None:
        """The column with the names of the rows; None where each line of the table is a row of its own.

        The latter is so where `row` is None, and by default where there is no column "row" and no second candidate.
        Raises BadArgument for lines of several candidates without names of rows.
        """
        if row is not None and (row != ROW or row in columns(table)):
            return row
        if self.wide or len({*column(table, "candidate", candidate).tolist()}) <= 1:
            return None
        if row is not None:
            return row
        raise BadArgument("row", "row is None, but table has lines of several candidates for a row: name its column")

    def lines(self, table: Any, named_by: str | None, candidate: str) -> LongTable:
        """The lines of the table. Raises BadArgument where it lacks a column."""
        if not self.wide:
            of = column(table, "candidate", candidate)
            return LongTable.of(np.arange(len(of)) if named_by is None else column(table, "row", named_by), of)
        cells = column(table, self.argument, self.names[0])
        return LongTable.wide(np.arange(len(cells)) if named_by is None else column(table, "row", named_by), self.names)

    def values(self, table: Any, lines: LongTable) -> Values:
        """What the columns hold, line by line, shape (L,), and None in lines that are `gone`."""
        values = self._values(table, lines)
        if self.gone is not None and self.gone[lines.source].any():
            values = values.astype(object)
            values[self.gone[lines.source]] = None
        return values

    def _values(self, table: Any, lines: LongTable) -> Values:
        if not self.wide:
            return lines.column(table, self.argument, self.names[0])
        cells = [column(table, self.argument, name) for name in self.names]
        if len({"number" if one.dtype.kind in "biuf" else "other" for one in cells}) > 1:
            cells = [one.astype(object) for one in cells]
        if lines.of_columns:
            return np.concatenate(cells)
        of_lines: Values = np.concatenate(cells)[lines.candidate * len(cells[0]) + lines.source]
        return of_lines

    def about_first(self, classes: NDArray[Any]) -> bool:
        """Whether numbers are about the first of two classes, in ascending order, and not the last.

        That is the one after which their column is named; without such a name the last in the order of the label's own
        type. Raises BadArgument where it is the column of one of several candidates.
        """
        first = next((name for name in self.names if class_named(name, classes) == 0), None)
        if first is not None and len(self.names) > 1:
            raise BadArgument(
                "answer",
                f"answer has the column {first!r}, named after the class {classes[0]}, but each column of a list is a "
                f"candidate's, and about {classes[1]}: give the column of one candidate by itself, or rename it",
            )
        if first is None and self.last is not None and not any(class_named(name, classes) == 1 for name in self.names):
            return bool(class_named(self.last, classes) == 0)
        return first is not None

    def check_has(self, table: Any, candidate: str) -> None:
        """Raise BadArgument where a long table has no column of the candidates."""
        known = columns(table) if not self.wide else (candidate,)
        if candidate not in known:
            raise BadArgument(
                "candidate",
                f"candidate is {candidate!r}, but table has the columns {', '.join(known)}; name the column there, or "
                f"give {self.argument} as a list of columns, one for each candidate: {self.argument}={[*self.names]} "
                "for a single one",
            )


@dataclass(frozen=True, eq=False)
class Judged:
    """The losses of M candidates on N rows, shape (M, N), the loss that they are values of, and the rows' cells."""

    losses: Losses
    loss: Loss
    cells: Cells | None = None


def judged(
    table: Any,
    lines: LongTable,
    given: Given,
    values: Values,
    label: str,
    spec: str | Mapping[str, Any] | Callable[[Any, Any], Any] | None,
    loss_max: float | None,
    weights: Weights | None,
    missing: Missing,
) -> Judged:
    """The losses that the `values` of the columns `given`, shape (L,), mean.

    Where `missing` is wrong, values and lines that are missing count as errors, of a loss of 0 and 1. Raises
    BadArgument.
    """
    empty, of_rows = gaps(values), None
    if missing != "wrong":
        check_filled(lines, given.argument, empty)
    if given.argument != "answer" and spec is not None:
        what = "what is right" if given.argument == "correct" else "the losses themselves"
        raise BadArgument("loss", f"loss is {spec!r}, but table has {what}; leave out one of both")
    if given.argument == "answer":
        loss, of_lines, y = _of_answers(table, lines, given, values, empty, label, spec, loss_max, weights)
        of_rows = cells(loss, y, y)
    else:
        if given.argument == "correct":
            loss, of_lines = _of_correct(lines, np.where(empty, 0, values), loss_max)
        else:
            loss, of_lines = _of_losses(lines, np.where(empty, 1, values), loss_max)
        loss = loss if weights is None or weights.of_errors is None else loss.with_weights()
    if missing == "wrong" and not (given.argument == "correct" or np.isin(of_lines, (0.0, 1.0)).all()):
        raise BadArgument("missing", "missing is wrong, but the losses are not 0 and 1 alone: no loss means an error")
    losses = lines.mean(of_lines, absent=1.0)
    loss.check_losses(losses.max(axis=0), np.arange(len(lines.rows)), "a candidate")
    if loss.binary and lines.repeated and not np.isin(losses, (0.0, 1.0)).all():
        loss = replace(loss, binary=False)  # the means of several lines: still between 0 and 1
    return Judged(losses, loss, of_rows)


def check_filled(lines: LongTable, argument: str, empty: NDArray[np.bool_]) -> None:
    """Raise BadArgument where the value of a line is `empty`, shape (L,)."""
    if len(places := np.flatnonzero(empty)):
        raise BadArgument(
            argument, f"{argument} is missing at {lines.line(places[0])}, and in {len(places)} lines; {REMEDY}"
        )


def filled(lines: LongTable, argument: str, values: Values) -> Values:
    """The `values`, shape (L,). Raises BadArgument where one is missing."""
    if len(empty := np.flatnonzero(gaps(values))):
        raise BadArgument(
            argument,
            f"{argument} is missing at {lines.line(empty[0])} ({values[empty[0]]}), and in {len(empty)} lines; leave "
            f"out such rows{' (missing: leave_out)' if argument == 'label' else ''}",
        )
    return values


def _named(names: Names) -> tuple[tuple[str, ...], bool]:
    return ((str(names),), False) if isinstance(names, Name) else (tuple(map(str, names)), True)


def _of_correct(lines: LongTable, values: Values, loss_max: float | None) -> tuple[Loss, Losses]:
    """1 less each value: true and false, or numbers from 0 to 1."""
    if loss_max is not None:
        raise BadArgument(
            "loss_max", "loss_max: what is right is between 0 and 1, so that the limit is 1; leave it out"
        )
    if values.dtype == object:
        values = np.array([_RIGHT.get(str(value).lower(), value) for value in values.tolist()], dtype=object)
    numbers = as_numbers(lines, "correct", values)
    if len(apart := np.flatnonzero((numbers < 0) | (numbers > 1))):
        raise BadArgument(
            "correct",
            f"correct is {numbers[apart[0]]:g} at {lines.line(apart[0])}; it must be true or false, or from 0 to 1",
        )
    whole = bool(np.isin(numbers, (0.0, 1.0)).all())
    return (ZERO_ONE if whole else replace(ZERO_ONE, binary=False)), 1.0 - numbers


def _of_losses(lines: LongTable, values: Values, loss_max: float | None) -> tuple[Loss, Losses]:
    """The values themselves: 0 and 1 are errors, and of others no limit is known unless it is stated."""
    numbers = as_numbers(lines, "losses", values)
    if len(below := np.flatnonzero(numbers < 0)):
        raise BadArgument("losses", f"losses has {numbers[below[0]]:g} at {lines.line(below[0])}; no loss is below 0")
    if loss_max is None and np.isin(numbers, (0.0, 1.0)).all():
        return ZERO_ONE, numbers
    given = replace(
        ABSOLUTE, name="given", says="the losses of the table", power=0, mean_called="", disagreement_loss=None
    )
    return (given if loss_max is None else given.limited(loss_max)), numbers


def _of_answers(
    table: Any,
    lines: LongTable,
    given: Given,
    values: Values,
    empty: NDArray[np.bool_],
    label: str,
    spec: str | Mapping[str, Any] | Callable[[Any, Any], Any] | None,
    loss_max: float | None,
    weights: Weights | None,
) -> tuple[Loss, Losses, Values]:
    """The loss of the answers, its value for each line, 1 where the answer is `empty`, and the labels of the rows."""
    labels = filled(lines, "label", lines.column(table, "label", label))
    y = lines.of_rows("label", labels)
    loss = choose_loss(spec, y, None if weights is None else weights.values, label, loss_max)
    if empty.any():
        values = np.where(empty, labels, values)
    if loss.needs == "probabilities":
        answers = _probabilities(lines, given, values, loss)
    elif loss.of_classes:
        answers = same_kind(lines, values, y)
    else:
        answers = as_numbers(lines, "answer", values)
        if np.isin(y, (0, 1)).all() and given.about_first(np.array([0, 1])):  # the square of a probability of 0
            answers = 1 - answers
    of_lines = loss.pointwise(labels, answers)
    return loss, np.where(empty, 1.0, of_lines) if empty.any() else of_lines, y


def same_kind(lines: LongTable, given: Values, y: Values) -> Values:
    """The answers as values of the kind of the labels."""
    if given.dtype.kind in "biuf" and y.dtype.kind in "biuf":
        if given.dtype.kind == "f" and len(apart := np.flatnonzero((given % 1 != 0) & ~np.isin(given, y))):
            raise BadArgument(
                "answer",
                f"answer is {given[apart[0]]} at {lines.line(apart[0])}, which is no class, but the labels are: give "
                "classes, or name the loss: log or brier for probabilities of the last of two classes",
            )
        if not (np.isin(given[:_FIRST], y).any() or np.isin(given, y).any()):
            raise BadArgument(
                "answer", f"answer is {given[0]} at {lines.line(0)}, and no answer at all is a label{_OR_NUMBERS}"
            )
        return given
    by_text = {str(value): value for value in y.tolist()}
    listed = given.tolist()
    texts = listed if {*map(type, listed)} == {str} else [*map(str, listed)]
    if by_text.keys().isdisjoint(texts):
        raise BadArgument(
            "answer", f"answer is {texts[0]} at {lines.line(0)}, and no answer at all is a label{_OR_NUMBERS}"
        )
    return np.array([by_text.get(text, text) for text in texts], dtype=object)


def _probabilities(lines: LongTable, given: Given, values: Values, loss: Loss) -> NDArray[np.float64]:
    """Of two classes, shape (L, 2), from the probability of the last, or of that after which its column is named."""
    classes = loss.classes
    if given.shares is not None and given.classes is not None and classes is not None:
        places = {str(name): place for place, name in enumerate(given.classes.tolist())}
        chosen = [places[str(name)] for name in classes.tolist()]
        return given.shares[lines.source][:, chosen]
    if classes is None or len(classes) != 2 or values.dtype.kind not in "biuf":
        raise BadArgument(
            "loss",
            f"loss is {loss.name}, which needs the probability of every class; for two classes answer may be that of "
            "the last of them, for more give the values of the loss as losses",
        )
    shares = as_numbers(lines, "answer", values)
    if len(apart := np.flatnonzero((shares < 0) | (shares > 1))):
        raise BadArgument(
            "answer",
            f"answer is {shares[apart[0]]:g} at {lines.line(apart[0])}; for the {loss.name} loss it must be the "
            f"probability of {classes[1]}, from 0 to 1",
        )
    last = 1 - shares if given.about_first(classes) else shares
    return np.stack([1 - last, last], axis=1)


def as_numbers(lines: LongTable, argument: str, values: Values) -> NDArray[np.float64]:
    """The values as finite numbers. Raises BadArgument with the first that is none."""
    try:
        numbers = values.astype(np.float64)
    except (TypeError, ValueError):
        place = next(place for place, value in enumerate(values.tolist()) if not _is_number(value))
        raise BadArgument(
            argument, f"{argument} is {values.tolist()[place]!r} at {lines.line(place)}; it must hold numbers"
        ) from None
    if len(bad := np.flatnonzero(~np.isfinite(numbers))):
        raise BadArgument(
            argument, f"{argument} is {numbers[bad[0]]} at {lines.line(bad[0])}; it must be a finite number"
        )
    return numbers


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
