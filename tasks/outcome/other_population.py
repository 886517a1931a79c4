"""Whether the unlabelled shards are of the labelled rows' population (`heldout.unlabelled.populations`).

Where they are not, what the half models say there is about the shards alone.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from heldout.errors import FitFailure
from heldout.learners import gives_probabilities
from heldout.learners.fitting import answers
from heldout.losses import Losses, choose_loss
from heldout.losses.loss import places
from heldout.notebook.result import Validation
from heldout.rows.frames import take
from heldout.schemes.design import Design
from heldout.unlabelled.half_model_controls import MOST, NAMES, Controls, most_rows
from heldout.unlabelled.populations import differ, missing_differs, out_of_range
from tasks.params import Settings
from tasks.storage import files


def look(settings: Settings, validation: Validation) -> dict[str, str]:
    """The entry of selection.json: why the shards are of another population; empty where they may be of the same.

    Looks at no more unlabelled rows than the controls do. Nothing can be said of rows that depend, that are weighted,
    or that were picked.
    """
    design, winner = validation.design, validation.winner
    plain = design.dependence.kind is None and design.weights is None and settings.data.sampling == "iid"
    if not plain or not files.shards():
        return {}
    X = files.open_features(files.LABELED, files.file_hash(files.LABELED))
    unlabeled = _first_rows(most_rows(len(design.y)))
    [g_minus] = validation.target(winner, "E_val")
    reasons = _reasons(design, validation.controls(winner), g_minus, X, unlabeled)
    reason = next((reason for reason in reasons if reason), None)
    return {"other_population": reason} if reason else {}


def _reasons(
    design: Design, controls: Controls | str, g_minus: Any, X: Any, unlabeled: pd.DataFrame
) -> Iterator[str | None]:
    first = take(X, slice(0, MOST))
    numbers = [name for name in first.columns if pd.api.types.is_numeric_dtype(first[name])]
    yield out_of_range(
        *({str(name): of[name].to_numpy(np.float64, na_value=np.nan) for name in numbers} for of in (first, unlabeled))
    )
    yield missing_differs(*({str(name): of[name].isna() for name in first.columns} for of in (first, unlabeled)))
    if not isinstance(controls, str):
        yield differ(controls.labeled, controls.unlabeled, [f"{name} of the half models" for name in NAMES])
    held_out = take(X, design.splits("holdout")[0].validation[:MOST])
    try:
        (labeled, names), (others, _) = (_answers(g_minus, rows, design) for rows in (held_out, unlabeled))
    except FitFailure:  # a hypothesis that does not answer says nothing
        return
    yield differ(labeled, others, names)


def _answers(hypothesis: Any, X: pd.DataFrame, design: Design) -> tuple[Losses, list[str]]:
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


def _first_rows(most: int) -> pd.DataFrame:
    """The first unlabelled rows, at most so many."""
    parts: list[pd.DataFrame] = []
    for path in files.shards():
        if sum(map(len, parts)) < most:
            parts.append(files.read_shard(path))
    return pd.concat(parts, ignore_index=True).iloc[:most]
