"""Columns that nobody named, and that may say what a line of a table of answers is: asked about before any number."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.predictions.long_table import LongTable, Values, by_text, column, columns, gaps, others
from heldout.splits.dependence import distinct

_ROW = {"id", "ids", "row", "rows", "index", "idx", "inst", "instance", "number", "nr"}
_FOLD = {"fold", "folds", "kfold", "resample", "resamples", "split", "cutoff", "iter", "iteration"}
_REPEAT = {"repeat", "repeats", "repetition", "rep", "replicate"}
_OF_A_ROW = ("doc_hash", "target_hash", "target", "label")  # what all lines of a row say alike, whoever answered it
_CHANCE = np.log(1e-6)  # of equal labels where a column does not name the rows
_SHOWN = 6
_WAYS = {"row": "row, or group", "fold": "fold", "repeat": "repeat", "crossed": "candidate, or repeat"}


def check_named(
    table: Any, lines: LongTable, used: set[str], label: str | None, row_is_open: bool, group: bool
) -> None:
    """Raise BadArgument for columns of the table, none of those `used`, that may say what a line is.

    Where no row is named (`row_is_open`), these are columns that are named like rows, folds or repeats, that have the
    same label in all lines of a value, or the same labels for each value. Where a candidate has several answers to a
    row, these are the folds, and what has a line of each row for each value.
    """
    if row_is_open:
        y = None if label is None else _codes(column(table, "label", label))
        found = dict(_open(table, used, y, group))
        if found:
            raise BadArgument(
                "row",
                f"row is not named, and columns of table may say what a line is: {_listed(found)}; name each by its "
                "argument, or say that each line is a row of its own: row=None (--row none)",
            )
    elif lines.repeated:
        found = dict(_several(table, lines, used))
        if found:
            raise BadArgument(
                "row",
                f"row: a candidate has {lines.answers[1]} lines for a row, and columns of table that are not named "
                f"may tell them apart: {_listed(found)}; name each by its argument, or leave it out of table "
                "(lines of one value alone: --only COLUMN=VALUE)",
            )


def folds_perhaps(table: Any, used: set[str]) -> tuple[str, ...]:
    """The columns that are named like folds and have several values."""
    rest = {*used, *(name for name in columns(table) if _role(name) != "fold")}
    return tuple(name for name, codes in _others(table, rest) if codes.max() > 0)


def check_same_rows(table: Any, lines: LongTable, used: set[str]) -> None:
    """Raise BadArgument where lines of a row are about different texts or targets: rows of two tasks, say."""
    for name, of_table in others(table, {*used, *(one for one in columns(table) if one not in _OF_A_ROW)}):
        of_lines = of_table[lines.source]
        values, known = np.array([str(value) for value in of_lines.tolist()], dtype=object), ~gaps(of_lines)
        first: Values = np.full(len(lines.rows), None, dtype=object)
        first[lines.row[known][::-1]] = values[known][::-1]
        if len(apart := np.flatnonzero(known & (first[lines.row] != values))):
            line = apart[0]
            raise BadArgument(
                "row",
                f"row {lines.rows[lines.row[line]]} has the {name} {_short(first[lines.row[line]])} in one line and "
                f"{_short(values[line])} in another, so that they are no answers to one row: of how many tasks are "
                "these lines? give one, or a row that names them all",
            )


def check_is_no_value(table: Any, names: tuple[str, ...], label: str) -> None:
    """Raise BadArgument where the names of the answers and of the label are values: the first row, taken for names."""
    used = [*names, label]
    values = [column(table, "label", name) for name in used]
    written = all(isinstance(by_text(table)[name], str) for name in used)  # and not counted, as those of an array
    if written and all(_is_value(name, of) for name, of in zip(used, values, strict=True)):
        raise BadArgument(
            "label",
            f"the columns {', '.join(used)} have names that are values in them: is the first row taken for the names? "
            "put a line of names above it, or rename the columns",
        )


def _is_value(name: str, values: Values) -> bool:
    texts = {str(value) for value in values[:1000].tolist()}
    return name in texts or re.sub(r"[._]\d+$", "", name) in texts


def _open(table: Any, used: set[str], y: NDArray[np.int64] | None, group: bool) -> Iterator[tuple[str, str]]:
    """The columns that may say what a line is, where each would be a row, and what they are."""
    for name, codes in _others(table, used):
        if 0 < codes.max() < len(codes) - 1:
            role = _role(name) or _by_labels(codes, y, group)
            if role is not None:
                again = "counts up, and starts again: row, or a number within a fold"
                way = again if role == "row" and starts_again(column(table, "table", name)) else _WAYS[role]
                yield name, f"{codes.max() + 1} values in {len(codes)} lines: {way}"


def _several(table: Any, lines: LongTable, used: set[str]) -> Iterator[tuple[str, str]]:
    """The columns that may tell apart the lines of a candidate for a row, and what they are."""
    cells = lines.candidate * len(lines.rows) + lines.row
    for name, of_table in _others(table, used):
        codes = of_table[lines.source]
        many = int(codes.max()) + 1
        pairs = len(np.unique(cells * many + codes))
        if many > 1 and pairs == len(codes) == many * len(np.unique(cells)):
            yield name, f"{many} values: {_WAYS['crossed']}"
        elif many > 1 and _role(name) == "fold":
            yield name, f"{many} values: {_WAYS['fold']}"


def starts_again(values: Values) -> bool:
    """Whether numbers count up by one, and start again from the first."""
    if values.dtype.kind not in "iu":
        return False
    steps = np.diff(values)
    again = values[1:] == values[0]
    return bool(again.any() and np.all((steps == 1) | again))


def _by_labels(codes: NDArray[np.int64], y: NDArray[np.int64] | None, group: bool) -> str | None:
    """Whether a column names the rows, or is crossed with them, as the labels `y` show: beyond chance."""
    if y is None or y.max() == 0:
        return None
    n, many, classes = len(codes), int(codes.max()) + 1, int(y.max()) + 1
    alike = np.log(np.sum((np.bincount(y) / n) ** 2))  # that two rows have the same label
    constant = len(np.unique(codes * classes + y)) == many
    copies_y = many == classes <= n // 4  # of a number to predict each row has its own
    if constant and not copies_y and not group and (n - many) * alike < _CHANCE:
        return "row"
    if n % many == 0 and (n - n // many) * alike < _CHANCE and np.all(np.bincount(codes) == n // many):
        in_order = y[np.argsort(codes, kind="stable")].reshape(many, -1)
        if np.all(in_order == in_order[0]):
            return "crossed"
    return None


def _role(name: str) -> str | None:
    """What a column says by the last word of its name: rowIndex, doc_id, cv_fold, fold_id."""
    words = [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)]
    bare = [*words]
    while len(bare) > 1 and bare[-1] in _ROW:
        bare.pop()
    last = bare[-1] if bare else ""
    if last in _FOLD or last in _REPEAT:
        return "fold" if last in _FOLD else "repeat"
    return "row" if words and words[-1] in _ROW else None


def _others(table: Any, used: set[str]) -> Iterator[tuple[str, NDArray[np.int64]]]:
    """The columns without a role, and each value's place among the distinct ones; not numbers with fractions."""
    for name, values in others(table, used):
        if values.dtype.kind != "f" or np.all((values % 1 == 0) | gaps(values)):
            yield name, _codes(values)


def _codes(values: Values) -> NDArray[np.int64]:
    try:
        return distinct(values)
    except TypeError:  # lists and objects of JSON
        return distinct(np.array([str(value) for value in values.tolist()], dtype=object))


def _listed(found: dict[str, str]) -> str:
    shown = [f"{name} ({what})" for name, what in found.items()]
    return ", ".join(shown[:_SHOWN]) + (f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else "")


def _short(text: Any) -> str:
    return f"{str(text)[:12]}…" if len(str(text)) > 12 else str(text)
