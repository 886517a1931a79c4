"""MOA's and capymoa's predictions (`-o`): a line for each row, the answer and the label, and no line of names.

Each row is tested before it is trained on. `EvaluateInterleavedTestThenTrain` prints the accuracy of all rows,
`EvaluatePrequential` that of the last 1000 (its window). A. Bifet and others, MOA (JMLR 11, 2010); MOA manual,
section 2.2.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from heldout.errors import BadArgument
from heldout.predictions.columns import wrong
from heldout.predictions.long_table import Values
from heldout.predictions.read_predictions import Printed, ReadPredictions, joined
from heldout.predictions.reader import Reader
from heldout.predictions.readers.river import of_stream
from heldout.predictions.source import Asked, Source

_PAIR = re.compile(r"(-?\d+(?:\.\d+)?|\?|),\s*(-?\d+(?:\.\d+)?)")
_WINDOW = 1000


def fits(sources: Sequence[Source]) -> float:
    """1 for lines of two numbers, without names."""
    return min(_fits(one) for one in sources)


def _fits(source: Source) -> float:
    lines = [line for line in source.head if line.strip()]
    return 1.0 if lines and all(_PAIR.fullmatch(line.strip()) for line in lines) else 0.0


def read(sources: Sequence[Source], _asked: Asked) -> ReadPredictions:
    """The lines of each file."""
    several = len(sources) > 1
    return joined([_read(one) for one in sources], [one.candidate or (one.name if several else "") for one in sources])


def _read(source: Source) -> ReadPredictions:
    found = [_PAIR.fullmatch(line.strip()) for line in source.lines if line.strip()]
    pairs = [one.groups() for one in found if one is not None]
    if len(pairs) < len(found) or not pairs:
        raise BadArgument("table", f"{source.name} has lines that are no answer and label, as MOA writes them: 0,1")
    answer = np.array([float(said) if said not in ("", "?") else np.nan for said, _ in pairs])
    label = np.array([float(right) for _, right in pairs])
    known = ~np.isnan(answer)
    made = of_stream("moa", "MOA", answer[known], label[known], int((~known).sum()))
    return replace(made, printed=_printed(made))


def _printed(made: ReadPredictions) -> tuple[Printed, ...]:
    answer, label = made.answer, made.label
    if answer is None or label is None or answer.dtype.kind == "f" or len(answer) <= _WINDOW:
        return ()
    last: Values = wrong(answer, label)[-_WINDOW:]
    return (Printed({"moa": float(last.mean())}, f"EvaluatePrequential is of the last {_WINDOW} rows"),)


READER = Reader(
    name="moa",
    tool="MOA",
    versions="capymoa 0.15.1",
    call="`EvaluateInterleavedTestThenTrain … -o FILE`",
    holds="a line for each row in the order of the stream, without names: the answer before the row was trained on, "
    "and the "
    "label; the first answers may be missing and are left out",
    prints="the accuracy of all rows, 1 less ours; `EvaluatePrequential` that of its window, the last 1000 rows",
    source="MOA manual: evaluation of streams",
    needs="lines of an answer and a label, two numbers, and no line of names",
    fits=fits,
    read=read,
    of_text=True,
)
