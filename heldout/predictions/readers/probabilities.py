"""A table of `predict_proba`: the label and a column for each class, of one model that answered all rows.

What scikit-learn, ydf and others give; AutoGluon's out-of-fold probabilities look the same, so that neither is taken
without its name.
"""

from collections.abc import Sequence

from heldout.predictions.read_predictions import ReadPredictions, joined
from heldout.predictions.reader import Reader
from heldout.predictions.readers import autogluon, caret
from heldout.predictions.source import Asked, Source


def fits(sources: Sequence[Source]) -> float:
    """Nearly, for columns of classes: whose answers they are is not known."""
    return min(0.9 if autogluon.probabilities(one, None)[0] else 0.0 for one in sources)


def read(sources: Sequence[Source], asked: Asked) -> ReadPredictions:
    """The lines of each file."""
    parts = [autogluon.of_probabilities(one, asked, "probabilities", "predict_proba") for one in sources]
    return joined(parts, caret.names(sources))


READER = Reader(
    name="probabilities",
    tool="predict_proba",
    versions="of scikit-learn and others",
    call="`DataFrame(m.predict_proba(X), columns=m.classes_).assign(label=y)`",
    holds="a line for each row of one model that saw none of them, with a column for each class and the label; to "
    "be named: "
    "out-of-fold probabilities look the same",
    prints="nothing",
    source="scikit-learn: `predict_proba`",
    needs="--format probabilities for one model, with a label and a column for each class",
    fits=fits,
    read=read,
)
