"""How far independently trained hypotheses differ on unlabelled rows, shard by shard, and over all shards.

METHOD, section 5; Madani, Pennock, Flake, Co-Validation (NIPS 2004).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from heldout.batched import blocks, together
from heldout.batched.group import OneByOne
from heldout.batched.linear import Linear
from heldout.errors import BadArgument, FitFailure
from heldout.learners.threads import in_threads
from heldout.losses import Loss, Losses


def pointwise_disagreement(first: ArrayLike, second: ArrayLike, loss: Loss) -> Losses:
    """How far two answers, as the loss asks for them, differ at each row, shape (n,).

    [f1 != f2] for a loss of classes, (f1 - f2)^2 for the squared and |f1 - f2| for the absolute and the pinball
    loss, the squared distance of the probabilities for the Brier loss, their Bhattacharyya distance for the log loss.
    Raises BadArgument for a loss that admits no disagreement.
    """
    if loss.disagreement_loss is None:
        raise BadArgument("loss", f"the {loss.name} loss admits no disagreement: {loss.no_bound}")
    return loss.disagreement_loss.pointwise(first, second)


def disagreements(
    hypotheses: Sequence[Any], X: Any, loss: Loss, sizes: Sequence[int] | None = None, jobs: int = 1
) -> tuple[Losses, Losses]:
    """How far the R pairs of 2R fitted `hypotheses`, each next to its partner, differ on the rows of X, shape (n, p).

    The margins of `pointwise_disagreement`: the mean of each pair over each of S consecutive shards of `sizes` rows,
    shape (R, S), one of all rows if None; and the sum over the pairs at each row, shape (n,). Rows are walked over in
    blocks, so that memory does not grow with n R; `jobs` threads share the blocks of hypotheses that answer together.
    Raises FitFailure for hypotheses that cannot answer or differ by more than a number holds, and BadArgument as
    `pointwise_disagreement`.
    """
    n, pairs = X.shape[0], len(hypotheses) // 2
    group = together(hypotheses, X, loss)
    of_differences = isinstance(group, Linear) and loss.needs == "number" and loss.disagreement_loss is not None
    if isinstance(group, Linear) and of_differences:
        group = group.differences()
    of_shard = np.array([n] if sizes is None else sizes)
    ends = np.cumsum(of_shard)
    of_pairs, of_rows = np.zeros((pairs, len(ends))), np.zeros(n)

    def compared(rows: slice) -> tuple[slice, list[tuple[int, Losses]], Losses]:
        """The rows of a block, the sums of each pair over the rows of each shard, and the sum at each row."""
        parts = _parts(rows, ends)
        answers = group.answers(rows)
        if isinstance(answers, np.ndarray) and group.classes is not None:
            differ = answers[::2] != answers[1::2]
            of_sets = [(shard, np.array([np.count_nonzero(pair[part]) for pair in differ])) for shard, part in parts]
            return rows, of_sets, np.add.reduce(differ.view(np.uint8), axis=0, dtype=np.min_scalar_type(pairs))
        sums, of_block = np.zeros((len(parts), pairs)), np.zeros(rows.stop - rows.start)
        for pair in range(pairs):
            first, second = (0.0, answers[pair]) if of_differences else (answers[2 * pair], answers[2 * pair + 1])
            distance = pointwise_disagreement(first, second, loss)
            sums[:, pair] = [distance[part].sum() for _, part in parts]
            of_block += distance
        return rows, [(shard, of_part) for (shard, _), of_part in zip(parts, sums, strict=True)], of_block

    # a learner's own `predict` may not be made for threads
    threads = 1 if isinstance(group, OneByOne) else jobs
    for rows, of_sets, of_block in in_threads(compared, blocks(n, group.rows_at_once), threads):
        for shard, sums in of_sets:
            of_pairs[:, shard] += sums
        of_rows[rows] = of_block
    if not np.isfinite(of_pairs).all():
        raise FitFailure("a disagreement is too large for a number")
    return of_pairs / of_shard, of_rows


def _parts(rows: slice, ends: NDArray[np.int64]) -> list[tuple[int, slice]]:
    """The shards with rows in a block, and which of its rows are theirs; `ends`, shape (S,), are where shards end."""
    first, last = np.searchsorted(ends, [rows.start, rows.stop - 1], side="right")
    starts = [max(rows.start, 0 if shard == 0 else int(ends[shard - 1])) for shard in range(first, last + 1)]
    stops = [*starts[1:], rows.stop]
    return [
        (shard, slice(start - rows.start, stop - rows.start))
        for shard, start, stop in zip(range(first, last + 1), starts, stops, strict=True)
    ]
