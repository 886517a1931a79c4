"""H2O's cross-validation: `predict`, a column for each class, and the label and the fold that a user binds to them.

`cross_validation_holdout_predictions()` has the rows of all folds; `cross_validation_predictions()[i]` those of fold i,
with probabilities 0 and 0 in all other rows. Of two classes `predict` is cut at the threshold of greatest F1, which is
taken on the labels of the fold itself: a number of it is too low. Ours is that of the likelier class. Of numbers there
is `predict` alone, which is 0 in the rows of other folds. H2O.ai, H2O-3 documentation: Cross-validation; Prediction
(`default_threshold`).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.predictions.columns import as_text, likeliest, mean_of_parts, only_one, text, without_index, wrong
from heldout.predictions.long_table import Values, gaps
from heldout.predictions.read_predictions import Printed, ReadPredictions, joined
from heldout.predictions.reader import Reader
from heldout.predictions.readers import caret
from heldout.predictions.source import Asked, Source
from heldout.splits.dependence import distinct

_PREDICT, _FOLD, _CLOSE = "predict", "fold_assignment", 1e-3
_HALF = 0.5  # of the rows: those of other folds are as many at least

_WHICH = "does not say which model answered a row: bind cross_validation_fold_assignment() as a column fold"


def fits(sources: Sequence[Source]) -> float:
    """1 with `predict` and columns of classes whose sum is 1, or 0; of numbers with `fold_assignment`."""
    return min(_fits(one) for one in sources)


def _fits(source: Source) -> float:
    if _PREDICT not in source.names:
        return 0.0
    columns = without_index(source.columns())
    if _classes(columns) or (_FOLD in columns and columns[_PREDICT].dtype.kind == "f"):
        return 1.0
    return 0.5


def _classes(columns: dict[str, Values]) -> dict[str, str]:
    """The columns of classes, by class: those after `predict` whose sum is 1 in each line, or 0."""
    names = [*columns]
    first = names.index(_PREDICT) + 1
    found: dict[str, str] = {}
    total = np.zeros(len(columns[_PREDICT]))
    for name in names[first:]:
        values = columns[name]
        if values.dtype.kind not in "iuf" or np.nanmin(values) < 0 or np.nanmax(values) > 1 + _CLOSE:
            break
        found[name] = name
        total = total + values
        if len(found) > 1 and np.all((np.abs(total - 1) < _CLOSE) | (total == 0)):
            return _called(found, columns[_PREDICT])
    return {}


def _called(found: dict[str, str], predict: Values) -> dict[str, str]:
    """By the classes as `predict` has them: the column of the class 1 is p1."""
    said = {*text(predict[~gaps(predict)].tolist())}
    marked = all(name.startswith("p") for name in found) and not said & found.keys()
    return {name[1:]: name for name in found} if marked else found


def read(sources: Sequence[Source], asked: Asked) -> ReadPredictions:
    """The lines of each file."""
    return joined([_read(one, asked) for one in sources], caret.names(sources))


def _read(source: Source, asked: Asked) -> ReadPredictions:
    columns = without_index(source.columns())
    found = _classes(columns) if _PREDICT in columns else {}
    if not found and _PREDICT in columns and columns[_PREDICT].dtype.kind in "iuf":
        return _numbers(source, columns, asked)
    if not found:
        raise BadArgument("format", f"{source.name} has no predict with a column for each class, as H2O writes them")
    rest = {name: of for name, of in columns.items() if name not in (_PREDICT, *found.values())}
    labels = [
        name
        for name, of in rest.items()
        if {*text(of[~gaps(of)].tolist())} <= found.keys() and "fold" not in name.lower()
    ]
    label_name = only_one(labels, "the label", asked.label, "label", [*columns])
    classes: Values = np.array(sorted(found), dtype=object)
    shares = np.stack([columns[found[name]].astype(np.float64) for name in classes.tolist()], axis=1)
    label, cut = as_text(columns[label_name]), as_text(columns[_PREDICT])
    row = np.arange(len(label))
    predicted = shares.sum(axis=1) > 0
    elsewhere = int((~predicted).sum())
    of_row = _folds(rest, asked)
    fold = None if of_row is None else of_row[predicted]
    if fold is None and not elsewhere:
        raise BadArgument(
            "fold",
            f"{source.name} {_WHICH}; or, of one model that never saw these rows, name answer = {_PREDICT} and label = "
            f"{label_name}, whose threshold H2O took on training or validation rows",
        )
    if fold is not None and len({*fold.tolist()}) < 2:
        fold = None
    return _made(label[predicted], cut[predicted], classes, shares[predicted], row[predicted], fold, elsewhere)


def _folds(rest: dict[str, Values], asked: Asked) -> Values | None:
    """The fold of each line; None where no column has it."""
    names = [asked.fold] if asked.fold else [name for name in rest if "fold" in name.lower()]
    return rest[names[0]] if names else None


def _numbers(source: Source, columns: dict[str, Values], asked: Asked) -> ReadPredictions:
    """Of a target of numbers, whose rows of other folds have a `predict` of 0."""
    predict = columns[_PREDICT].astype(np.float64)
    rest = {name: of for name, of in columns.items() if name != _PREDICT}
    fold = _folds(rest, asked)
    labels = [name for name, of in rest.items() if of.dtype.kind in "iuf" and "fold" not in name.lower()]
    label = columns[only_one(labels, "the label", asked.label, "label", [*columns])].astype(np.float64)
    part = np.zeros(len(predict), dtype=np.int64) if fold is None else distinct(fold)
    answered = np.bincount(part, weights=predict != 0) > 0
    here = (predict != 0) if fold is None else answered[part]
    if fold is None and np.mean(here) > _HALF:
        raise BadArgument(
            "fold", f"{source.name} {_WHICH}; or, of one model that never saw these rows, name answer = {_PREDICT}"
        )
    only = fold is None or int(answered.sum()) < 2
    row, candidate = np.flatnonzero(here), np.full(int(here.sum()), "h2o", dtype=object)
    squares = (predict[row] - label[row]) ** 2
    of_folds = mean_of_parts(squares, part[row], candidate, root=True)
    elsewhere = len(here) - len(row)
    return ReadPredictions(
        format="h2o",
        tool="H2O",
        row=row,
        candidate=candidate,
        label=label[row],
        answer=predict[row],
        numbers=True,
        target="one model" if only else "folds",
        fold=None if only else part[row],
        left_out={"rows of other folds, whose predict is 0": elsewhere} if elsewhere else {},
        printed=(Printed(of_folds, "the mean of the folds' roots; its rmse(xval=True) is ours", "squared"),),
    )


def _made(
    label: Values,
    cut: Values,
    classes: Values,
    shares: NDArray[np.float64],
    row: Values,
    fold: Values | None,
    elsewhere: int,
) -> ReadPredictions:
    candidate: Values = np.full(len(label), "h2o", dtype=object)
    errors = wrong(cut, label)
    parts = np.zeros(len(label)) if fold is None else fold
    which = "the fold's own labels" if fold is None else "each fold's own labels, and the mean is over folds"
    how = f"its column predict is cut at the threshold of greatest F1 on {which}; ours is the likelier class"
    return ReadPredictions(
        format="h2o",
        tool="H2O",
        row=row,
        candidate=candidate,
        label=label,
        answer=likeliest(classes, shares),
        target="one model" if fold is None else "folds",
        fold=fold,
        classes=classes,
        shares=shares,
        left_out={"rows of other folds, whose probabilities are all 0": elsewhere} if elsewhere else {},
        printed=(Printed(mean_of_parts(errors, parts, candidate), how),) if len(classes) == 2 else (),
    )


READER = Reader(
    name="h2o",
    tool="H2O",
    versions="3.46.0.12",
    call="`m.cross_validation_holdout_predictions()`, with the label and `m.cross_validation_fold_assignment()` "
    "bound to it",
    holds="a line for each row, in order: `predict`, the probability of each class, the label, the fold; rows whose "
    "probabilities are all 0 are of other folds and are left out; of two classes the answer is the likelier one; of "
    "numbers `predict`, with `fold_assignment`",
    prints="of two classes the mean over folds of the error at the threshold of greatest F1, taken on the labels of "
    "the fold itself: too low, and another number than ours; of numbers the mean of the folds' roots in its summary, "
    "and the root of all rows as `rmse(xval=True)`, which is ours",
    source="H2O-3 documentation: Cross-validation, Prediction",
    needs="predict and a column of probabilities for each class, or predict and fold_assignment",
    fits=fits,
    read=read,
)
