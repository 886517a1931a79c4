"""river's progressive validation, as a loop writes it: the answer before `learn_one`, and the label.

Before the first row most models have no answer (None): the first ones are missing, and no other. J. Montiel and
others, River (JMLR 22, 2021), `river.evaluate.progressive_val_score`, whose metric leaves such rows out.
"""

from collections.abc import Sequence

import numpy as np

from heldout.errors import BadArgument
from heldout.predictions.columns import are_numbers, as_text, only_one, without_index
from heldout.predictions.long_table import Values, gaps
from heldout.predictions.read_predictions import ReadPredictions, joined
from heldout.predictions.reader import Reader
from heldout.predictions.readers import caret
from heldout.predictions.source import Asked, Source

ANSWERS = ("pred", "y_pred", "prediction", "predicted", "answer")


def fits(sources: Sequence[Source]) -> float:
    """1 for two columns besides a counter, of which one lacks its first values and no other."""
    return min(1.0 if _pair(one)[0] else 0.4 if {*ANSWERS} & {*one.names} else 0.0 for one in sources)


def rest(source: Source) -> dict[str, Values]:
    """The columns that do not count the lines."""
    columns = without_index(source.columns())
    return {name: of for name, of in columns.items() if not _counts(of)}


def _counts(values: Values) -> bool:
    return values.dtype.kind in "iu" and len(values) > 1 and bool(np.all(np.diff(values) == 1))


def _pair(source: Source) -> tuple[str, str]:
    """The names of the answer and of the label; none where no column, or another one, lacks its first values."""
    columns = rest(source)
    if len(columns) != 2:
        return "", ""
    late = [name for name, of in columns.items() if _starts_late(of)]
    whole = [name for name, of in columns.items() if not gaps(of).any()]
    return (late[0], whole[0]) if len(late) == len(whole) == 1 else ("", "")


def _starts_late(values: Values) -> bool:
    missing = gaps(values)
    count = int(missing.sum())
    return 0 < count < max(2, len(values) // 2) and bool(missing[:count].all())


def read(sources: Sequence[Source], asked: Asked) -> ReadPredictions:
    """The lines of each file."""
    return joined([_read(one, asked) for one in sources], caret.names(sources))


def _read(source: Source, asked: Asked) -> ReadPredictions:
    columns = rest(source)
    answer_name, label_name = _pair(source)
    if not answer_name or asked.label is not None:
        found = [name for name in columns if name in ANSWERS]
        if len(found) != 1:
            raise BadArgument(
                "answer", f"{source.name} has no column of answers that is called one of {', '.join(ANSWERS)}"
            )
        answer_name = found[0]
        label_name = only_one(
            [name for name in columns if name != answer_name], "the label", asked.label, "label", [*columns]
        )
    answer, label = columns[answer_name], columns[label_name]
    known = ~gaps(answer)
    return of_stream("river", "river", answer[known], label[known], int((~known).sum()))


def of_stream(format: str, tool: str, answer: Values, label: Values, missing: int) -> ReadPredictions:
    """Answers and labels in the order of the steps, without the first ones, which are `missing`."""
    numbers = are_numbers(label) or (answer.dtype.kind == "f" and are_numbers(answer))
    if not numbers:
        answer, label = as_text(answer), as_text(label)
    return ReadPredictions(
        format=format,
        tool=tool,
        row=np.arange(missing, missing + len(answer)),
        candidate=np.full(len(answer), format, dtype=object),
        label=label,
        answer=answer,
        target="progressive",
        numbers=numbers,
        left_out={f"first rows without an answer, which {tool} does not count": missing} if missing else {},
    )


READER = Reader(
    name="river",
    tool="river",
    versions="0.26.1",
    call="a loop of `y_pred = m.predict_one(x); m.learn_one(x, y)`, a line for each row",
    holds="a line for each row in the order of the stream: the answer before the row was trained on, and the label; "
    "the first "
    "answers are missing and are left out",
    prints="the metric of `progressive_val_score`, over the rows with an answer: the same as ours",
    source="river documentation: `evaluate.progressive_val_score`",
    needs="an answer and a label, in columns of which the answer lacks its first values",
    fits=fits,
    read=read,
)
