"""The design of a validation, read from the prepared files: which splits, which estimates, which intervals."""

import functools
from collections.abc import Mapping
from typing import Any

from heldout import dependent_intervals
from heldout.dependence import Kind
from heldout.dependent_intervals import NOT_IN_TIME
from heldout.design import OF_THE_WINNER, OF_UNLABELED, PER_CANDIDATE, Design
from heldout.errors import BadArgument
from heldout.losses import natural_loss
from heldout.partition import Partition
from tasks import files
from tasks.errors import UserError
from tasks.params import Settings
from tasks.roles import dependence_of


def read_design(settings: Settings) -> Design:
    """The design of `settings` over the prepared rows. Raises UserError for an interval that does not fit."""
    return design_of(settings, files.file_hash(files.LABELED), partitions_hash())


def design_of(settings: Settings, labeled: str, partitions: str) -> Design:
    """The same for those who know the files' hashes: read once for each process and version."""
    unlabeled = bool(files.shards())
    names = [name for name in PER_CANDIDATE if unlabeled or name not in OF_UNLABELED]
    if len(settings.candidates) > 1:
        names += [name for name in OF_THE_WINNER if name != "E_nested" or settings.selection.nested]
    return _read(
        tuple(names),
        tuple(sorted((settings.intervals or {}).items())),
        settings.progressive.block,
        settings.split.gap,
        settings.split.stratify,
        settings.seed,
        settings.selection.level,
        labeled,
        partitions,
    )


def partitions_hash() -> str:
    """The hash of the files that say how rows are split: both partitions, and the roles."""
    return "".join(files.file_hash(path) for path in (files.PARTITION, files.HALVES, files.ROLES))


@functools.lru_cache(maxsize=4)
def _read(
    names: tuple[str, ...],
    chosen: tuple[tuple[str, str], ...],
    block: int,
    gap: int,
    stratify: bool,
    seed: int,
    level: float,
    labeled: str,
    _partitions: str,
) -> Design:
    y = files.read_target(files.LABELED, labeled)
    loss = natural_loss(y)
    partition = files.read_partition()
    dependence = dependence_of(files.read_roles(), gap)
    in_time = dependence.time is not None
    return Design(
        y=y,
        loss=loss,
        partition=partition,
        halves=files.read_halves(),
        block=block,
        stratify=stratify and loss.binary and not in_time,
        seed=seed,
        level=level,
        methods=_methods(dict(chosen), loss, partition, dependence.kind),
        estimates=[name for name in names if not (in_time and name in NOT_IN_TIME)],
        dependence=dependence,
        copies=files.read_copies(),
    )


def _methods(chosen: Mapping[str, str], loss: Any, partition: Partition, kind: Kind | None) -> Any:
    try:
        methods = dependent_intervals.choose(chosen, loss, kind)
        methods["E_cv"].check_folds(partition.fold)
    except BadArgument as error:
        raise UserError(str(error)) from None
    return methods
