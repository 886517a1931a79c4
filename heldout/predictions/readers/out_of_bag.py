"""Out-of-bag answers of an ensemble, with the label: `ranger(…)$predictions`, `randomForest(…)$predicted`.

A row is answered by those trees alone whose bootstrap sample lacks it, about a third of them. No file says so by
itself: the format has to be named. L. Breiman, Out-of-bag estimation (1996); S. Janitza, R. Hornung, On the
overestimation of random forest's out-of-bag error (PLoS ONE 13, 2018). No interval is claimed: rows share the trees
that answer them, and no study here says how often one by rows alone covers.
"""

from collections.abc import Sequence

import numpy as np

from heldout.errors import BadArgument
from heldout.predictions.columns import are_numbers, as_text, only_one
from heldout.predictions.long_table import gaps
from heldout.predictions.read_predictions import ReadPredictions, joined
from heldout.predictions.reader import Reader
from heldout.predictions.readers import caret, river
from heldout.predictions.source import Asked, Source

_NEARLY = 0.95
_ANSWERS = ("predictions", *river.ANSWERS)


def fits(sources: Sequence[Source]) -> float:
    """Nearly, for an answer and a label: whose answer it is is not known."""
    return min(_NEARLY if len(river.rest(one)) == 2 and {*_ANSWERS} & {*one.names} else 0.0 for one in sources)


def read(sources: Sequence[Source], asked: Asked) -> ReadPredictions:
    """The lines of each file."""
    return joined([_read(one, asked) for one in sources], caret.names(sources))


def _read(source: Source, asked: Asked) -> ReadPredictions:
    columns = river.rest(source)
    found = [name for name in columns if name in _ANSWERS and name != asked.label]
    if len(found) != 1:
        raise BadArgument(
            "answer", f"{source.name} has no column of answers that is called one of {', '.join(_ANSWERS)}"
        )
    label_name = only_one([name for name in columns if name != found[0]], "the label", asked.label, "label", [*columns])
    answer, label = columns[found[0]], columns[label_name]
    known = ~gaps(answer)
    row, answer, label = np.flatnonzero(known), answer[known], label[known]
    numbers = are_numbers(label) or (answer.dtype.kind == "f" and are_numbers(answer))
    if not numbers:
        answer, label = as_text(answer), as_text(label)
    missing = int((~known).sum())
    return ReadPredictions(
        format="out_of_bag",
        tool="out-of-bag",
        row=row,
        candidate=np.full(len(row), "out-of-bag", dtype=object),
        label=label,
        answer=answer,
        target="out-of-bag",
        numbers=numbers,
        left_out={"rows that are in the bag of every model": missing} if missing else {},
    )


READER = Reader(
    name="out_of_bag",
    tool="ranger, randomForest",
    versions="0.14.1, 4.7-1.1",
    call="`data.frame(pred = ranger(…)$predictions, y)`",
    holds="a line for each row: the answer of those models of an ensemble that did not see it, and the label; to be "
    "named, "
    "since one model's answers look the same",
    prints="`prediction.error`, `err.rate`: the same as ours",
    source="`?ranger::ranger`, `?randomForest::randomForest`",
    needs="--format out_of_bag for an ensemble's answers to rows out of bag, and an answer and a label",
    fits=fits,
    read=read,
)
