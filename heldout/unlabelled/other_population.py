"""Whether unlabelled rows are of another population, by ranges, gaps, and what models answer that saw none of them."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

import narwhals as nw
import numpy as np

from heldout.errors import FitFailure
from heldout.learners import gives_probabilities
from heldout.learners.fitting import answers
from heldout.losses import Losses, choose_loss
from heldout.losses.loss import places
from heldout.rows.columns import columns_of, floats_of
from heldout.rows.frames import column_names, in_memory, take
from heldout.schemes.design import Design
from heldout.unlabelled.half_model_controls import MOST, NAMES, Controls, most_rows
from heldout.unlabelled.populations import differ, missing_differs, out_of_range


def why_other(design: Design, X: Any, unlabeled: Any, controls: Controls | str, g_minus: Any | None) -> str:
    """Why the rows `unlabeled`, shape (n, p), are not of the population of the labelled X, shape (N, p); empty for no
    reason.

    The `controls` are those of the half models, `g_minus` the winner's hypothesis of E_val, None for none. No more
    unlabelled rows are looked at than have controls. Nothing is said of rows that depend on each other or are weighted,
    and of sparse matrices. The tests are those of `heldout.unlabelled.populations`, with their source.
    """
    if design.dependence.kind is not None or design.weights is not None or hasattr(X, "tocsr"):
        return ""
    others = take(unlabeled, slice(0, most_rows(len(design.y))))
    reasons = chain(
        _of_columns(in_memory(take(X, slice(0, MOST))), others), _of_models(design, X, others, controls, g_minus)
    )
    return next((reason for reason in reasons if reason), "")


def _of_columns(labeled: Any, unlabeled: Any) -> Iterator[str | None]:
    if len(np.shape(labeled)) == 1:  # a text for each row has no columns
        return
    names = column_names(labeled)
    first, others = (dict(zip(column_names(of), columns_of(of), strict=True)) for of in (labeled, unlabeled))
    numbers = [name for name in names if _is_numeric(first[name]) and _is_numeric(others[name])]
    yield out_of_range(*({name: floats_of(of[name]) for name in numbers} for of in (first, others)))
    yield missing_differs(*({name: _gaps(of[name]) for name in names} for of in (first, others)))


def _is_numeric(column: Any) -> bool:
    if isinstance(column, nw.Series):
        return column.dtype.is_numeric() or column.dtype == nw.Boolean
    return column.dtype.kind in "biuf"


def _gaps(column: Any) -> Any:
    if isinstance(column, nw.Series):
        return column.is_null().to_numpy() | (column.is_nan().to_numpy() if column.dtype.is_float() else False)
    return np.isnan(column) if column.dtype.kind == "f" else np.zeros(len(column), dtype=bool)


def _of_models(
    design: Design, X: Any, unlabeled: Any, controls: Controls | str, g_minus: Any | None
) -> Iterator[str | None]:
    if not isinstance(controls, str):
        yield differ(controls.labeled, controls.unlabeled, [f"{name} of the half models" for name in NAMES])
    if g_minus is None or design.loss.labels > 1:  # several answers a row are no number, and no class
        return
    held_out = take(X, design.splits("holdout")[0].validation[:MOST])
    try:
        (labeled, names), (others, _) = (_answers(g_minus, rows, design) for rows in (held_out, unlabeled))
    except FitFailure:  # a hypothesis that does not answer says nothing
        return
    yield differ(labeled, others, names)


def _answers(hypothesis: Any, X: Any, design: Design) -> tuple[Losses, list[str]]:
    """What the hypothesis answers, shape (n, q), and what each column is: a number, or a share for each class."""
    if not design.loss.of_classes:
        return answers(hypothesis, X, design.loss).astype(np.float64)[:, None], ["the winner's prediction"]
    classes = np.unique(design.y)
    names = [f"the winner's probability of {name}" for name in classes.tolist()]
    if gives_probabilities(hypothesis):
        return answers(hypothesis, X, choose_loss("brier", classes)).astype(np.float64), names
    given = places(answers(hypothesis, X, choose_loss("zero_one", classes)), classes)
    shares = (given[:, None] == np.arange(len(classes))).astype(np.float64)
    return shares, [f"the winner's share of {name}" for name in classes.tolist()]
