"""AutoGluon's answers out of fold: `predict_oof` of several models, or `predict_proba_oof` of one, with the label.

A column for each model, `LinearModel_BAG_L1`, has its labels; columns that are named after the classes have its
probabilities. Each row was answered by a model of the bag that did not train on it; the file does not name the folds.
The weights of a `WeightedEnsemble` were fitted on these rows, as was the threshold of labels for a metric such as
balanced accuracy: both are too low by that. AutoGluon documentation: `TabularPredictor.predict_proba_oof`,
`leaderboard` (`score_val`), `calibrate_decision_threshold`.
"""

import re
from collections.abc import Sequence

import numpy as np

from heldout.errors import BadArgument
from heldout.predictions.columns import as_text, likeliest, of_classes, only_one, shares_of, text, without_index
from heldout.predictions.long_table import Values, gaps
from heldout.predictions.read_predictions import ReadPredictions, joined
from heldout.predictions.reader import Reader
from heldout.predictions.readers import caret
from heldout.predictions.source import Asked, Source

_MODEL = re.compile(r".+_L\d+(_FULL)?")
_ENSEMBLE = "WeightedEnsemble"
_NEARLY = 0.9  # probabilities of classes may be of anything


def fits(sources: Sequence[Source]) -> float:
    """1 for columns of models of a bag; less for columns of classes, which others write too."""
    return min(_fits(one) for one in sources)


def _fits(source: Source) -> float:
    if any("_BAG_L" in name for name in source.names) and len(_labels(source)) == 1:
        return 1.0
    return _NEARLY if probabilities(source, None)[0] else 0.0


def _models(source: Source) -> list[str]:
    return [name for name in source.names if _MODEL.fullmatch(name)]


def _labels(source: Source) -> list[str]:
    return [name for name in without_index(source.columns()) if name not in _models(source)]


def probabilities(source: Source, label: str | None) -> tuple[str, dict[str, str]]:
    """The label, and the columns that are named after its classes; no name where none is."""
    columns = without_index(source.columns())
    if sum(of.dtype.kind == "f" or (of.dtype.kind in "iu" and bool(np.all(of <= 1))) for of in columns.values()) < 2:
        return "", {}
    for name in [label] if label is not None and label in columns else columns:
        values = columns[name]
        if values.dtype.kind == "f" and np.any(values % 1 != 0):
            continue
        present = {*text(values[~gaps(values)].tolist())}
        found = of_classes(columns, present) if 1 < len(present) <= len(columns) else {}
        if found:
            return name, found
    return "", {}


def read(sources: Sequence[Source], asked: Asked) -> ReadPredictions:
    """The lines of each file."""
    return joined([_read(one, asked) for one in sources], caret.names(sources))


def _read(source: Source, asked: Asked) -> ReadPredictions:
    columns = without_index(source.columns())
    models = _models(source)
    fold = None if asked.fold is None else source.column(asked.fold)
    if not models:
        made = of_probabilities(source, asked, "autogluon", "AutoGluon")
        return ReadPredictions(**{**vars(made), "target": "folds", "fold": fold, "folds_unknown": fold is None})
    label = only_one(
        [name for name in columns if name not in models and name != asked.fold],
        "the label",
        asked.label,
        "label",
        [*columns],
    )
    n, m = len(columns[label]), len(models)
    ensembles = [name for name in models if name.startswith(_ENSEMBLE)]
    numbers = all(columns[name].dtype.kind == "f" for name in models)
    notes = (
        [f"{', '.join(ensembles)}: its weights were fitted on these rows, so that its error is too low"]
        if ensembles
        else []
    )
    if not numbers:
        notes.append(
            "for a metric of labels such as balanced accuracy or F1, AutoGluon chose the threshold of the labels on "
            "these "
            "rows; probabilities (predict_proba_oof) need none"
        )
    return ReadPredictions(
        format="autogluon",
        tool="AutoGluon",
        row=np.tile(np.arange(n), m),
        candidate=np.repeat(np.array(models, dtype=object), n),
        label=np.tile(columns[label] if numbers else as_text(columns[label]), m),
        answer=np.concatenate([columns[name] if numbers else as_text(columns[name]) for name in models]),
        target="folds",
        fold=None if fold is None else np.tile(fold, m),
        folds_unknown=fold is None,
        numbers=numbers,
        notes=notes,
    )


def of_probabilities(source: Source, asked: Asked, format: str, tool: str) -> ReadPredictions:
    """A line for each row, with the label and the probability of each class; the answer is the likeliest class."""
    name, found = probabilities(source, asked.label)
    if not found:
        raise BadArgument(
            "format", f"{source.name} has no label with a column of probabilities for each of its classes"
        )
    columns = without_index(source.columns())
    classes, shares = shares_of(columns, found)
    if classes is None or shares is None:  # of_classes found them
        raise BadArgument("format", f"{source.name} has no probabilities")
    answer: Values = likeliest(classes, shares)
    return ReadPredictions(
        format=format,
        tool=tool,
        row=np.arange(len(answer)),
        candidate=np.full(len(answer), format, dtype=object),
        label=as_text(columns[name]),
        answer=answer,
        classes=classes,
        shares=shares,
    )


READER = Reader(
    name="autogluon",
    tool="AutoGluon",
    versions="1.6.3",
    call="`predictor.predict_oof(model)` of several models, or `predictor.predict_proba_oof()`, with the label",
    holds="a line for each row; a column for each model has its labels, or a column for each class the "
    "probabilities of one "
    "(name the format then: others write the same); the folds are not named, so that differences are as wide as "
    "those of "
    "2 folds; `WeightedEnsemble` is marked",
    prints="`score_val`, of the metric that it optimised, whose threshold and whose ensemble's weights were fitted "
    "on these "
    "rows",
    source="AutoGluon documentation: TabularPredictor",
    needs="columns of models such as X_BAG_L1 and a label; or --format autogluon with a column for each class",
    fits=fits,
    read=read,
)
