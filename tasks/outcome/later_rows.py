"""What a choice among the candidates promises, and what later rows say: on the table of params.yaml.

The labelled rows are halved at random, as for co-validation. One half stands for the rows at hand: the candidates are
compared on it, and one wins. The other half stands for rows that come later: the winner's hypotheses are tested on it.
A winner's E_cv is too low, because it won; here by how much, on these rows, with half as many.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

import heldout
from heldout.errors import BadArgument, FitFailure
from heldout.learners.fitting import test
from heldout.losses import choose_loss
from heldout.splits.partition import rarest_class
from tasks.data.prepare_tables import Prepared, prepare
from tasks.params import Settings
from tasks.runtime.errors import UserError
from tasks.storage.files import TARGET


@dataclass(frozen=True)
class Halving:
    """Who won on one half of the rows, its E_cv there, and the mean error of its hypotheses on the other half."""

    winner: str
    E_cv: float
    later: float


def compare(settings: Settings, halvings: int, minutes: float) -> Iterator[Halving]:
    """At most `halvings` comparisons; none is begun after `minutes`. Each depends on its number and the seed alone.

    Raises UserError for rows in time or with weights, and if a comparison is not possible on half of the rows.
    """
    for key in ("time", "weight"):
        if getattr(settings.data, key) is not None:
            raise UserError(f"data.{key} is {getattr(settings.data, key)!r}, and the study halves plain rows at random")
    deadline = time.monotonic() + 60 * minutes
    prepared = prepare(settings)
    settings.use_folder()
    for half in prepared.halves[:halvings]:
        if time.monotonic() > deadline:
            return
        try:
            yield _compare(settings, prepared, half == 0)
        except (BadArgument, FitFailure) as error:
            raise UserError(f"on half of the {len(half)} rows the candidates cannot be compared: {error}") from None


def _compare(settings: Settings, prepared: Prepared, here: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> Halving:
    X, y = prepared.labeled.drop(columns=TARGET), prepared.labeled[TARGET].to_numpy()
    groups = prepared.roles.labeled["group"].to_numpy() if "group" in prepared.roles.labeled else None
    loss = choose_loss(settings.judged_by, y)
    # half of the rows of a rare class may not do for as many folds
    most = rarest_class(y[here])[1] if loss.of_classes else int(here.sum())
    folds = settings.split.folds
    validation = heldout.validate(
        {candidate.name: candidate.learner() for candidate in settings.candidates},
        X[here],
        y[here],
        groups=None if groups is None else groups[here],
        loss=settings.judged_by,
        loss_max=settings.loss_max,
        seed=settings.seed,
        level=settings.selection.level,
        folds=int(here.sum()) if folds == "loo" else max(2, min(folds, most)),
        stratify=settings.split.stratify,
        estimates=["E_cv"],
        n_jobs=settings.execution.workers,
        progress=False,
    )
    winner = validation.select(criterion="E_cv", rule=settings.selection.rule).selected
    errors = [test(each, X, y, np.flatnonzero(~here), loss).mean() for each in validation.target(winner, "E_cv")]
    E_cv = next(each.value for each in validation.estimates if (each.candidate, each.estimate) == (winner, "E_cv"))
    return Halving(winner, E_cv, float(np.mean(errors)))


def table(found: Sequence[Halving]) -> list[dict[str, str | int | float]]:
    """A line for each candidate that ever won, most often first, and a line for all."""
    winners = sorted({each.winner for each in found}, key=lambda name: -sum(each.winner == name for each in found))
    groups = [(name, [each for each in found if each.winner == name]) for name in winners]
    return [
        {
            "winner": name,
            "won": len(won),
            "E_cv": round(float(np.mean([each.E_cv for each in won])), 6),
            "error on later rows": round(float(np.mean([each.later for each in won])), 6),
            "too low by": round(float(np.mean([each.later - each.E_cv for each in won])), 6),
        }
        for name, won in [*groups, ("all", list(found))]
    ]
