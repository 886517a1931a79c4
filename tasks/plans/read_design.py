"""The design of a validation, read from the prepared files: which splits, which estimates, which intervals."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.estimates import (
    NOT_IN_TIME,
    OF_THE_WINNER,
    OF_UNLABELED,
    ON_REQUEST,
    PER_CANDIDATE,
    admitted,
    methods,
    set_metrics,
)
from heldout.losses import Loss, choose_loss
from heldout.schemes.design import Design
from heldout.schemes.progressive import Block
from heldout.selection.margin import checked
from heldout.splits import class_shares
from heldout.splits.dependence import DependenceKind
from heldout.splits.partition import Partition
from heldout.splits.weights import Weights
from tasks.data.row_roles import dependence_of
from tasks.params import Settings
from tasks.runtime.errors import UserError
from tasks.storage import files


def read_design(settings: Settings, *, every_halving: bool = False) -> Design:
    """The design of `settings` over the prepared rows. Raises UserError for an interval that does not fit.

    Where a rule decides the number of halvings it has those that were made, or the most before any are, and for
    `every_halving`.
    """
    partitions, auto = files.partitions_hash(), settings.covalidation.repeats == "auto"
    found = files.read_halvings(partitions) if auto and not every_halving else None
    return design_of(settings, files.file_hash(files.LABELED), partitions, None if found is None else found.made)


def design_of(settings: Settings, labeled: str, partitions: str, halvings: int | None = None) -> Design:
    """The design for files with these hashes, of the first `halvings` or all: read once a process and version."""
    unlabeled = bool(files.shards())
    known = [name for name in PER_CANDIDATE if unlabeled or name not in OF_UNLABELED]
    if len(settings.candidates) > 1:
        known += OF_THE_WINNER
    names = [name for name in known if name not in ON_REQUEST or name in settings.further_estimates]
    return _read(
        names=tuple(names),
        written=_Written(repr(settings.loss_identity), settings.judged_by),
        loss_max=settings.loss_max,
        chosen=tuple(sorted((settings.intervals or {}).items())),
        block=settings.progressive.block,
        gap=settings.split.gap,
        stratify=settings.split.stratify,
        repeats=settings.split.repeats,
        drawn=settings.data.label_probability is not None,
        seed=settings.seed,
        level=settings.selection.level,
        margin=settings.selection.margin,
        labeled=labeled,
        halvings=halvings,
        _partitions=partitions,
    )


@dataclass(frozen=True)
class _Written:
    """A loss as params.yaml writes it: its text makes it a cache key, because a mapping cannot be hashed."""

    text: str
    loss: Any = field(compare=False)


@functools.lru_cache(maxsize=4)
def _read(
    *,
    names: tuple[str, ...],
    written: "_Written",
    loss_max: float | None,
    chosen: tuple[tuple[str, str], ...],
    block: Block,
    gap: int,
    stratify: bool | None,
    repeats: int,
    drawn: bool,
    seed: int,
    level: float,
    margin: float | None,
    labeled: str,
    halvings: int | None,
    _partitions: str,
) -> Design:
    y = files.read_target(files.LABELED, labeled)
    roles = files.read_roles()
    weights = Weights.of(roles.get("weight"), drawn=drawn)
    loss = _loss(written.loss, y, weights, loss_max)
    partition = files.read_partition()
    dependence = dependence_of(roles, gap)
    in_time = dependence.time is not None
    estimates = admitted((name for name in names if not (in_time and name in NOT_IN_TIME)), loss)
    return Design(
        y=y,
        loss=loss,
        partition=partition,
        halves=files.read_halves()[:halvings],
        block=block,
        stratify=loss.of_classes and not in_time and class_shares.stratified(y, stratify),
        seed=seed,
        level=level,
        methods=_methods(dict(chosen), loss, partition, dependence.kind),
        estimates=estimates,
        dependence=dependence,
        copies=files.read_copies(),
        weights=weights,
        fold_repeats=repeats,
        set_metrics=set_metrics(estimates),
        margin=_margin(margin, loss),
    )


def _margin(written: float | None, loss: Loss) -> float | None:
    """The margin in units of the loss."""
    try:
        return checked(written, loss)
    except BadArgument as error:
        raise UserError(f"selection.{error}") from None


def _loss(spec: Any, y: NDArray[np.generic], weights: Weights | None, loss_max: float | None) -> Loss:
    try:
        values, drawn = (None, False) if weights is None else (weights.values, weights.drawn)
        return choose_loss(spec, y, values, "the target", loss_max, drawn=drawn)
    except BadArgument as error:
        raise UserError(str(error)) from None


def _methods(chosen: Mapping[str, str], loss: Loss, partition: Partition, kind: DependenceKind | None) -> Any:
    try:
        taken = methods.choose(chosen, loss, kind)
        taken["E_cv"].check_folds(partition.fold)
    except BadArgument as error:
        raise UserError(str(error)) from None
    return taken
