"""Weka's predictions, as CSV or as the text of `-p`: `inst#`, `actual`, `predicted`, `error`, and a probability.

`inst#` counts within a fold and starts again with the next one, which may have a single row. A class is `2:bad`, its
number and its name, which Weka 3.6 cuts to eight letters in text; `1:?` has no label, and Weka counts no such row.
`prediction` is the probability of the *predicted* class; a `distribution` has that of each class, the predicted one
with a star. Numbers have three decimals. E. Frank, M. A. Hall, I. H. Witten, The WEKA Workbench (2016), section 2;
`weka.classifiers.Evaluation` (3.6), `weka.classifiers.evaluation.output.prediction` (3.7 and later).
"""

import csv
import re
from collections.abc import Iterator, Sequence

import numpy as np

from heldout.errors import BadArgument
from heldout.predictions.columns import INDEX
from heldout.predictions.long_table import Values, gaps
from heldout.predictions.read_predictions import ReadPredictions, joined
from heldout.predictions.reader import Reader
from heldout.predictions.readers import caret
from heldout.predictions.source import Asked, Source

_NEEDED = ("inst#", "actual", "predicted", "error")
_TEXT = re.compile(r"\s*inst#\s+actual\s+predicted\s+error(?:\s+(prediction|distribution))?.*")
_TITLE = re.compile(r"=== Predictions (?:on|under) (.*?) ===")
_CLASSES = re.compile(r"\s*(\d+)\s+(\d+:.*?)\s+(\d+:.*?)\s+(?:(\+)\s+)?([*\d.,eE-]+)\s*(?:\(.*\)\s*)?")
_NUMBERS = re.compile(r"\s*(\d+)\s+(\S+)\s+(\S+)\s+(\S+)\s*(?:\(.*\)\s*)?")
_CODED = re.compile(r"(\d+):(.*)", re.DOTALL)
_CSV = "inst#,actual,predicted"
_CUT = 8  # letters that Weka 3.6 leaves of a name
_UNKNOWN = "?"
Record = tuple[str, str, str, tuple[str, ...]]  # inst#, actual, predicted, probabilities


def fits(sources: Sequence[Source]) -> float:
    """1 with a line of names as Weka writes it; else the share of its columns."""
    return min(_fits(one) for one in sources)


def _fits(source: Source) -> float:
    if any(line.startswith(_CSV) or _TEXT.fullmatch(line) for line in source.head):
        return 1.0
    return float(np.mean([name in source.names for name in _NEEDED])) if source.has_columns and not source.head else 0.0


def read(sources: Sequence[Source], _asked: Asked) -> ReadPredictions:
    """The lines of each file."""
    return joined([_read(one) for one in sources], caret.names(sources))


def _read(source: Source) -> ReadPredictions:
    title, records = _of_text(source.lines) if source.head else ("", list(_of_table(source)))
    csv_form = any(line.startswith(_CSV) for line in source.head)
    if not records:
        raise BadArgument("format", f"{source.name} has no line of predictions as Weka writes them")
    fold = np.cumsum([int(b) <= int(a) for (a, *_), (b, *_) in zip(records[:1] + records[:-1], records, strict=True)])
    fold = fold - fold[0]
    of_folds = fold.max() > 0 and "test" not in title
    row: Values = np.array(
        [f"{part + 1}/{one[0]}" for part, one in zip(fold.tolist(), records, strict=True)], dtype=object
    )
    candidate: Values = np.full(len(records), "weka", dtype=object)
    if _CODED.fullmatch(records[0][2]) is None:
        known = np.array([one[1] != _UNKNOWN for one in records])
        answer = np.array([float(one[2]) if one[2] != _UNKNOWN else np.nan for one in records])
        label = np.array([float(one[1]) if one[1] != _UNKNOWN else np.nan for one in records])
        classes = shares = None
        note = ""
    else:
        coded = [(_split(one[1]), _split(one[2])) for one in records]
        names = _names([code for pair in coded for code in pair], cut=bool(source.head) and not csv_form)
        known = np.array([actual[1] != _UNKNOWN for actual, _ in coded])
        label, answer = (np.array([names.get(pair[side][0]) for pair in coded], dtype=object) for side in (0, 1))
        classes, shares = _shares([one[3] for one in records], [pair[1][0] for pair in coded], names)
        note = _about_zeros(classes, shares, label, known)
    missing = int((~known).sum())
    return ReadPredictions(
        format="weka",
        tool="Weka",
        row=row[known],
        candidate=candidate[known],
        label=label[known],
        answer=answer[known],
        target="folds" if of_folds else "one model",
        fold=fold[known] if of_folds else None,
        numbers=label.dtype.kind == "f",
        classes=classes,
        shares=None if shares is None else shares[known],
        shares_note=note,
        left_out={"rows without a label (?), which Weka does not count either": missing} if missing else {},
    )


def _of_text(lines: Sequence[str]) -> tuple[str, list[Record]]:
    """The title and the lines of the last part that is of no training rows. Raises BadArgument where all are."""
    parts: list[tuple[str, list[Record]]] = []
    title, how = "", None
    for line in lines:
        if found := _TITLE.search(line):
            title, how = found[1], None
        elif line.startswith(_CSV):
            how = next(csv.reader([line]))
            parts.append((title, []))
        elif _TEXT.fullmatch(line):
            how = []
            parts.append((title, []))
        elif how is not None and (record := _record(line, how)) is not None:
            parts[-1][1].append(record)
    tested = [part for part in parts if "training" not in part[0]]
    if parts and not tested:
        raise BadArgument("table", "these are predictions on training data, which say nothing of new rows")
    return tested[-1] if tested else ("", [])


def _record(line: str, header: Sequence[str]) -> Record | None:
    """A line of CSV by its `header`, or of text where that is empty; None for another line."""
    if header:
        cells = next(csv.reader([line]), [])
        if len(cells) < 3 or not cells[0].isdigit():
            return None
        return cells[0], cells[1], cells[2], _cells(cells, header)
    if found := _CLASSES.fullmatch(line):
        return found[1], found[2], found[3], tuple(found[5].split(","))
    if found := _NUMBERS.fullmatch(line):
        return found[1], found[2], found[3], ()
    return None


def _cells(cells: Sequence[str], header: Sequence[str]) -> tuple[str, ...]:
    """The probabilities in the cells of a line: one, or one for each class where the header goes on without names."""
    if len(header) < 5 or header[4] not in ("prediction", "distribution"):
        return ()
    last = 5
    while header[4] == "distribution" and last < len(cells) and (last >= len(header) or INDEX.fullmatch(header[last])):
        last += 1
    return tuple(cells[4:last])


def _of_table(source: Source) -> Iterator[Record]:
    names, columns = list(source.names), [source.column(name) for name in source.names]
    for name in _NEEDED:
        if name not in names:
            raise BadArgument("format", f"{source.name} has no column {name}, which Weka writes")
    shift = names.index("inst#")
    names, columns = names[shift:], columns[shift:]
    empty = gaps(columns[0])
    for place in np.flatnonzero(~empty):
        cells = [str(of[place]) for of in columns]
        yield str(int(float(cells[0]))), cells[1], cells[2], _cells(cells, names)


def _split(text: str) -> tuple[int, str]:
    found = _CODED.fullmatch(text.strip())
    return (int(found[1]), found[2]) if found else (0, text)


def _names(codes: Sequence[tuple[int, str]], *, cut: bool) -> dict[int, str]:
    """The name of each class; with its number where names were cut, or two classes have one."""
    names = {number: name for number, name in codes if name != _UNKNOWN}
    same = len({*names.values()}) < len(names)
    return {
        number: f"{number}:{name}" if same or (cut and len(name) == _CUT) else name for number, name in names.items()
    }


def _shares(
    cells: Sequence[tuple[str, ...]], predicted: Sequence[int], names: dict[int, str]
) -> tuple[Values | None, np.ndarray[tuple[int, ...], np.dtype[np.float64]] | None]:
    """The classes in ascending order and their probabilities; None where these are not of each class."""
    width = len(cells[0])
    if not width or len({*map(len, cells)}) > 1 or (width == 1 and max(names) != 2):
        return None, None
    said = np.array([[float(cell.strip().lstrip("*")) for cell in of] for of in cells])
    if width == 1:
        second = np.where(np.array(predicted) == 2, said[:, 0], 1 - said[:, 0])
        said = np.stack([1 - second, second], axis=1)
    called = [names.get(number, f"{number}:") for number in range(1, said.shape[1] + 1)]
    order = np.argsort(called)
    return np.array(called, dtype=object)[order], said[:, order]


def _about_zeros(classes: Values | None, shares: Values | None, label: Values, known: Values) -> str:
    if classes is None or shares is None:
        return ""
    places = {name: place for place, name in enumerate(classes.tolist())}
    right = np.array([shares[line, places[name]] for line, name in enumerate(label.tolist()) if known[line]])
    zeros = int((right <= 0).sum())
    return (
        f"Weka writes three decimals: the right class has the probability 0 in {zeros} lines, so that their log "
        "loss is "
        "that of a clipped 0, and no number of Weka's"
        if zeros
        else ""
    )


READER = Reader(
    name="weka",
    tool="Weka",
    versions="3.6.14, 3.9.7",
    call="`weka.classifiers.… -t FILE -x 10 -p 0`, or `-classifications "
    "weka.classifiers.evaluation.output.prediction.CSV`",
    holds="a line for each tested row; `inst#` starts again in each fold; a class is `2:bad`, of which the name "
    "counts, or "
    "both where 3.6 cut the name to eight letters; `1:?` has no label and is left out; `prediction` is the "
    "probability of "
    "the predicted class, `distribution` that of each class, with three decimals",
    prints="the share of rows with a label that are incorrectly classified: the same as ours",
    source="`weka.classifiers.Evaluation`, `weka.classifiers.evaluation.output.prediction`",
    needs="the columns inst#, actual, predicted, error",
    fits=fits,
    read=read,
    of_text=True,
)
