"""How far the winner's half models disagree on each shard by itself, with an interval.

The disagreement of a shard is the mean over its rows and over the repeats, as `watch` has it for a new shard. Target of
the interval: the mean disagreement of pairs of half models in the population that the rows of the shard were drawn
from; it is that of the estimate `disagreement`, of the rows of the shard alone. Each holds by itself: among many shards
some miss.
"""

from collections.abc import Sequence

from heldout.intervals.method import estimate_with
from heldout.losses.tested_losses import ShardMargins
from heldout.records import ShardDisagreement
from heldout.schemes.design import Design


def by_shard(design: Design, margins: ShardMargins, named: Sequence[tuple[str, str]]) -> list[ShardDisagreement]:
    """A line for each shard of `margins`, whose name, and the user's name of its rows, are `named`."""
    method = design.methods.get("disagreement")
    lines = []
    for place, (shard, file) in enumerate(named):
        observed = margins.of_shard(place).pooled(design.loss, design.seed)
        line = estimate_with("", "disagreement", observed, "", 0, method, design.level)
        lines.append(
            ShardDisagreement(shard, file, line.n_tested, line.value, line.low, line.high, line.level, line.interval)
        )
    return lines
