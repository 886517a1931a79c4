"""LIBSVM's `svm-predict -b 1`, next to the data that it read: `labels 1 2`, then the class and the probability of each.

The first line names the order of the classes. The class of a line is that of the decision values, and need not be the
likelier one. The file has no true labels: they are those of the data. C.-C. Chang, C.-J. Lin, LIBSVM (2011), README.
"""

import re
from collections.abc import Sequence

import numpy as np

from heldout.errors import BadArgument
from heldout.predictions.columns import as_text, text
from heldout.predictions.long_table import Values
from heldout.predictions.read_predictions import ReadPredictions, joined
from heldout.predictions.reader import Reader
from heldout.predictions.source import Asked, Source

_HEADER = re.compile(r"labels( \S+){2,}\s*")
_DATA = re.compile(r"\S+(\s+\d+:\S+)*\s*")


def fits(sources: Sequence[Source]) -> float:
    """1 where a file has the line of the labels."""
    return 1.0 if any(_is_answers(one) for one in sources) else 0.0


def _is_answers(source: Source) -> bool:
    return bool(source.head) and _HEADER.fullmatch(source.head[0]) is not None


def read(sources: Sequence[Source], asked: Asked) -> ReadPredictions:
    """The lines of each file of predictions. Raises BadArgument without the labels."""
    answers = [one for one in sources if _is_answers(one)]
    data = [one for one in sources if not _is_answers(one)]
    if not answers:
        raise BadArgument("format", "no file has the first line of svm-predict -b 1: labels, and the classes")
    if len(data) != 1:
        raise BadArgument(
            "label",
            f"{answers[0].name} holds no true labels, as svm-predict writes none: give the data that it read as a "
            "second "
            "file: compare predictions.out data.svm",
        )
    label = _labels(data[0], asked)
    several = len(answers) > 1
    return joined(
        [_read(one, label, data[0].name) for one in answers],
        [one.candidate or (one.name if several else "") for one in answers],
    )


def _labels(source: Source, asked: Asked) -> list[str]:
    if source.has_columns and asked.label is not None:
        return text(source.column(asked.label).tolist())
    lines = [line for line in source.lines if line.strip()]
    if not all(_DATA.fullmatch(line) for line in lines):
        raise BadArgument(
            "label",
            f"{source.name} has no lines as svm-predict reads them (1 1:0.5 2:1); of a table name its column: --label",
        )
    return text([float(first) if _is_number(first) else first for first in (line.split()[0] for line in lines)])


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _read(source: Source, label: Sequence[str], data: str) -> ReadPredictions:
    order = source.lines[0].split()[1:]
    cells = [line.split() for line in source.lines[1:] if line.strip()]
    if len(cells) != len(label):
        raise BadArgument("table", f"{source.name} has {len(cells)} answers, and {data} has {len(label)} rows")
    classes: Values = np.array(order, dtype=object)
    shares = np.array([[float(cell) for cell in line[1:]] for line in cells])
    sorted_ = np.argsort(classes)
    answer = np.array(text([float(line[0]) if _is_number(line[0]) else line[0] for line in cells]), dtype=object)
    return ReadPredictions(
        format="libsvm",
        tool="LIBSVM",
        row=np.arange(len(cells)),
        candidate=np.full(len(cells), "svm", dtype=object),
        label=as_text(np.array([*label], dtype=object)),
        answer=answer,
        classes=classes[sorted_],
        shares=shares[:, sorted_],
    )


READER = Reader(
    name="libsvm",
    tool="LIBSVM",
    versions="3.24",
    call="`svm-predict -b 1 DATA MODEL FILE`, both FILE and DATA",
    holds="a line for each row: the class, and the probability of each class in the order of the first line; the "
    "labels are "
    "those of the data",
    prints="the accuracy of the classes: 1 less ours. A class is that of the decision values, and need not be the "
    "likelier one",
    source="LIBSVM, README: svm-predict",
    needs="a first line such as: labels 1 2; and the data as a second file",
    fits=fits,
    read=read,
    of_text=True,
)
