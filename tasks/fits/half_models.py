"""The half models of one candidate that co-validation stored, and how far they disagree at each row; no fit is made."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from heldout.answer_shares import answer_shares
from heldout.disagreement import disagreements
from heldout.errors import FitFailure
from heldout.losses import Loss, Losses
from heldout.threads import one_thread
from tasks.fits.quiet import quiet
from tasks.params import Candidate, Settings
from tasks.plans.fit_plans import scheme
from tasks.plans.read_design import read_design
from tasks.plans.shard_batches import Batch, batches_of, pieces_of
from tasks.plans.units import Versions, hypothesis_key
from tasks.plans.units_of_scheme import plan_units
from tasks.runtime.errors import UserError
from tasks.storage import files, fit_cache

_ENOUGH = 20_000  # rows of the reference that are asked for their answers


def keys_of(settings: Settings, candidate: Candidate) -> tuple[str, ...]:
    """The keys of the half models of `candidate` by halves.parquet: (repeat 0, half 0), (repeat 0, half 1), …"""
    plan = scheme(read_design(settings), "covalidation", settings.deliver)
    alone = settings.model_copy(update={"candidates": [candidate]})
    ((_, units),) = plan_units(alone, plan, Versions.current())
    return tuple(unit.key for unit in units)


def are_stored(keys: Sequence[str]) -> bool:
    """Whether every one of these half models can be loaded."""
    return all(fit_cache.has(hypothesis_key(key)) for key in keys)


def load(keys: Sequence[str], candidate: str) -> list[Any]:
    """The half models. Raises UserError where one is missing: `watch` fits nothing."""
    missing = sum(not fit_cache.has(hypothesis_key(key)) for key in keys)
    if missing:
        raise UserError(
            f"{missing} of the {len(keys)} half models of {candidate} by {files.HALVES} are not "
            f"stored below {fit_cache.FOLDER}, and watch fits none; run `python -m flows validate` with these "
            "parameters first"
        )
    return [fit_cache.load(hypothesis_key(key)) for key in keys]


def of_reference(keys: Sequence[str], candidate: str, loss: Loss) -> list[Losses]:
    """The disagreement at each row of each unlabelled shard of the validated run, or of the test part if it has none.

    What co-validation stored is read, and computed again where it was removed. No label of the test part is read.
    Raises UserError if there is neither, and as `load`.
    """
    shards = [rows for batch in batches_of(files.shards()) for rows in _of_batch(batch, keys, candidate, loss)]
    if shards or not files.TEST.exists():
        return shards
    return [by_row(load(keys, candidate), files.read_table(files.TEST)[0], loss, str(files.TEST))]


def by_row(hypotheses: Sequence[Any], X: pd.DataFrame, loss: Loss, shard: str) -> Losses:
    """The disagreement at each row of X, shape (n,): the mean over the pairs.

    Raises UserError that names the `shard` if the half models do not answer.
    """
    try:
        with quiet(), one_thread():
            return disagreements(hypotheses, X, loss)[1] / (len(hypotheses) // 2)
    except FitFailure as failure:
        raise UserError(f"{shard}: the half models do not answer its rows: {failure}") from None


def answers_by_row(hypotheses: Sequence[Any], X: pd.DataFrame, loss: Loss, scale: Sequence[Any]) -> Losses:
    """What the half models answer at each row of X, which they do, as `heldout.answer_shares` has it."""
    with quiet(), one_thread():
        return answer_shares(hypotheses, X, loss, scale)


def answers_of_reference(hypotheses: Sequence[Any], loss: Loss, scale: Sequence[Any]) -> list[Losses]:
    """`answers_by_row` of the first shards of the validated run, as many as have enough rows, or of the test part."""
    found: list[Losses] = []
    for path in files.shards():
        if sum(map(len, found)) >= _ENOUGH:
            break
        found.append(answers_by_row(hypotheses, files.read_shard(path).iloc[:_ENOUGH], loss, scale))
    return found or [answers_by_row(hypotheses, files.read_table(files.TEST)[0].iloc[:_ENOUGH], loss, scale)]


def _of_batch(batch: Batch, keys: Sequence[str], candidate: str, loss: Loss) -> Iterator[Losses]:
    pieces = pieces_of(keys, [files.file_hash(path) for path in batch.shards])
    if all(fit_cache.has(piece.key) for piece in pieces):
        rows = np.sum([fit_cache.load(piece.key)[1] for piece in pieces], axis=0) / (len(keys) // 2)
        yield from np.split(rows, np.cumsum(batch.rows)[:-1])
        return
    hypotheses = load(keys, candidate)
    for path in batch.shards:
        yield by_row(hypotheses, files.read_shard(path), loss, path.name)
