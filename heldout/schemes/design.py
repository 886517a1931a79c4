"""How the labelled rows are used, and the losses behind each estimate: shared by notebooks and flows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from heldout import seeds
from heldout.errors import BadArgument
from heldout.intervals.method import IntervalMethod
from heldout.losses import Loss, Losses
from heldout.losses.cells import Cells, cells
from heldout.losses.memory import memory_of
from heldout.losses.ratio import Ratio, error_of, weighed
from heldout.losses.set_metrics import SetMetric
from heldout.losses.tested_losses import FIELD_OF, CrossValidated, RepeatedByRow, ShardMargins, Tested, repeated_by_row
from heldout.schemes import (
    OF_COPIES,
    SCHEMES,
    SchemeName,
    covalidation,
    cross_validation,
    holdout,
    progressive,
    resampling,
)
from heldout.schemes.progressive import Block
from heldout.splits import class_shares
from heldout.splits.dependence import INDEPENDENT, Dependence, DependenceKind, joined
from heldout.splits.partition import Partition, draw_folds
from heldout.splits.split import Rows, Split, SplitLosses, joined_losses, tested_rows, tested_sizes
from heldout.splits.weights import Weights

Seen = TypeVar("Seen", bound=Tested)
# the schemes that test the rows along time, but for the folds; the one that tests more of them first
_ALONG_TIME: tuple[SchemeName, ...] = ("progressive", "holdout")
# the folds, and the further fits that correct for their shared training rows
_WITH_PARTS: tuple[SchemeName, ...] = ("cross_validation", "subsamples")


@dataclass(frozen=True, eq=False)
class SchemeSplits:
    """All splits of one scheme, and how they hang together, by which they need no fit of each.

    `folds` are those of `cross_validation`, each of shape (N,); `step`, shape (N,), and `block` say which splits are
    the blocks of a stream; `dependence` is the kind by which rows depend on each other.
    """

    scheme: SchemeName
    splits: Sequence[Split]
    folds: Sequence[NDArray[np.int64]]
    step: NDArray[np.int64]
    block: Block
    dependence: DependenceKind | None


@dataclass(frozen=True, eq=False)
class Design:
    """The partitions of N labelled rows, and the choices that every estimate follows.

    `halves` has shape (R, N), `methods` the interval method of each estimate that has a valid interval, `estimates`
    the requested names. `dependence` holds for every split; `copies`, shape (N,), numbers the sets of rows with equal
    features, for the schemes of copies alone. E_cv is the mean over `fold_repeats` partitions into folds, of
    which `partition` has the first; `fold_repeats` is 1 for leave-one-out and for rows in time. The others are drawn,
    unless `further_folds`, each of shape (N,), are given.
    With `weights` that differ the `loss` says so (`heldout.losses.choose_loss`). `dropped` candidates were left out by
    a race: they count where a level is shared among all candidates. `set_metrics` are those of the estimates that are
    means of the metrics of a set, by their names. `margin` is the largest difference of errors that does not
    matter, in units of the loss, None where nobody stated one.
    """

    y: NDArray[np.generic]
    loss: Loss
    partition: Partition
    halves: NDArray[np.int8]
    block: Block
    stratify: bool
    seed: int
    level: float
    methods: Mapping[str, IntervalMethod]
    estimates: Sequence[str]
    dependence: Dependence = INDEPENDENT
    copies: NDArray[np.int64] | None = None
    weights: Weights | None = None
    fold_repeats: int = 1
    further_folds: Sequence[NDArray[np.int64]] = ()
    dropped: int = 0
    set_metrics: Mapping[str, SetMetric] = field(default_factory=dict)
    margin: float | None = None
    _drawn: dict[str, resampling.Resampling] = field(default_factory=dict, init=False, repr=False)
    _splits: dict[str, Sequence[Split]] = field(default_factory=dict, init=False, repr=False)

    def of_those_left(self, halvings: int, dropped: int) -> "Design":
        """The design of the first `halvings`, with `dropped` candidates; splits that were drawn are not drawn again."""
        left = replace(self, halves=self.halves[:halvings], dropped=dropped)
        left._drawn.update(self._drawn)
        left._splits.update({scheme: splits for scheme, splits in self._splits.items() if scheme != "covalidation"})
        return left

    @property
    def classes(self) -> int:
        """The number of classes; 0 for numbers."""
        return len(np.unique(self.y)) if self.loss.of_classes else 0

    @cached_property
    def strata(self) -> NDArray[np.int64]:
        """The number of each row's class, shape (N,), which parts are drawn by; numbers are one class."""
        return class_shares.codes(class_shares.strata(self.y, self.loss.of_classes))

    def weights_of(self, rows: Rows | None = None) -> Losses | None:
        """What the losses of some `rows` count by, or of all; None where all rows count alike."""
        weights = None if self.weights is None else self.weights.of_errors
        return weights if weights is None or rows is None else weights[rows]

    @property
    def further_for_e_cv(self) -> SchemeName | None:
        """The scheme of further fits that the interval of E_cv reads; None for none."""
        needs = self.methods["E_cv"].needs
        return None if needs == "repeated_folds" and self.fold_repeats > 1 else needs

    def set_metrics_in(self, scheme: SchemeName) -> Mapping[str, SetMetric]:
        """Those of the metrics of a set that the fits of a scheme are tested by."""
        return self.set_metrics if scheme in _WITH_PARTS else {}

    @cached_property
    def _cells(self) -> Cells | None:
        return cells(self.loss, self.y, self.y)

    def cells(self, rows: Rows) -> Cells | None:
        """The classes of the tested `rows`, for a loss whose values are known by class; None for another loss."""
        every = self._cells
        return None if every is None else replace(every, actual=every.actual[rows])

    def splits(self, scheme: SchemeName) -> Sequence[Split]:
        """The splits of a scheme, in the order of its fits; made at the first call."""
        if scheme not in self._splits:
            self._splits[scheme] = self._make_splits(scheme)
        return self._splits[scheme]

    def of_scheme(self, scheme: SchemeName) -> SchemeSplits:
        """All splits of a scheme, as what makes their losses without fits needs them."""
        folds = self.folds if scheme == "cross_validation" else ()
        return SchemeSplits(scheme, self.splits(scheme), folds, self.partition.step, self.block, self.dependence.kind)

    def _make_splits(self, scheme: SchemeName) -> Sequence[Split]:
        """Raises BadArgument where the dependence of rows leaves no training row."""
        if scheme == "final":  # not purged: E_in is a training error
            return [holdout.final_split(len(self.y))]
        dependence = self._of_copies(scheme) if scheme in OF_COPIES else self.dependence
        drawn = self._drawn_splits(scheme)
        return drawn if dependence.kind is None else [dependence.purged(split) for split in drawn]

    def _drawn_splits(self, scheme: SchemeName) -> Sequence[Split]:
        if scheme == "holdout":
            return [holdout.split(self.partition.validation)]
        if scheme == "cross_validation":
            folds = self.folds
            if len(folds) == 1:
                return cross_validation.splits(folds[0])
            return [split for fold in folds for split in cross_validation.splits(fold)]
        if scheme == "progressive":
            return progressive.splits(self.partition.step, self.block)
        if scheme == "covalidation":
            halves = [split for half in self.halves for split in covalidation.splits(half)]
            if self.dependence.time is None:
                return halves
            # with time, halves only train the models whose disagreement is measured
            return [Split(split.train, split.validation[:0]) for split in halves]
        if scheme in OF_COPIES:
            return cross_validation.splits(self._folds_of_copies(scheme))
        return self.further(scheme).splits

    @property
    def folds(self) -> list[NDArray[np.int64]]:
        """The fold of each row, shape (N,), in each partition into folds."""
        fold, group = self.partition.fold, self.dependence.group
        if self.further_folds:
            return [fold, *self.further_folds]
        k = int(fold.max()) + 1
        further = resampling.further_folds(self.strata, k, self.fold_repeats - 1, self.stratify, self.seed, group)
        return [fold, *further]

    @property
    def keeps_copies_together(self) -> bool:
        """Whether the groups of the design are the copies of a row, and no others."""
        group, copies = self.dependence.group, self.copies
        if group is None or copies is None or group.max() != copies.max():
            return False
        return int(joined(group, copies).max()) == int(group.max())

    def _of_copies(self, scheme: SchemeName) -> Dependence:
        """The dependence of the design, with all copies of a row in the same group, or without groups."""
        copies = np.arange(len(self.y)) if self.copies is None else self.copies
        group = self.dependence.group
        if scheme == "copies_apart":
            return replace(self.dependence, group=None)
        return replace(self.dependence, group=copies if group is None else joined(group, copies))

    def _folds_of_copies(self, scheme: SchemeName) -> NDArray[np.int64]:
        """As many folds as the design has, with copies as the scheme has them; for rows in time the same folds."""
        fold, group = self.partition.fold, self._of_copies(scheme).group
        if self.dependence.time is not None:
            return fold
        k = int(fold.max()) + 1 if group is None else min(int(fold.max()), int(group.max())) + 1
        return draw_folds(self.strata, k, self.stratify, seeds.random_state(self.seed, "folds"), group)

    def further(self, scheme: SchemeName) -> resampling.Resampling:
        """The splits beyond the k folds for an interval or for nested selection; drawn at the first call."""
        if scheme not in self._drawn:
            draw = SCHEMES[scheme].draw
            if draw is None:
                raise KeyError(scheme)
            self._drawn[scheme] = draw(
                self.strata, self.partition.fold, self.stratify, self.seed, self.dependence.group
            )
        return self._drawn[scheme]


@dataclass(frozen=True, eq=False)
class Evidence:
    """All losses of one candidate: for each scheme an array for each split, in the order of `Design.splits`. Where rows
    have weights, they are not in the losses.

    `training` are the losses of the half models on their own training rows, an array for each half;
    `shards` has how far the half models disagree on each shard of unlabelled rows, None without such rows. `terms` are,
    for each estimate of `Design.set_metrics` and each scheme, those of the tested rows of each split. `failed` has the
    reason of each scheme whose fits failed, and so has no losses, and of "disagreement" where the half models do not
    answer the unlabelled rows.
    """

    losses: Mapping[SchemeName, Sequence[Losses]]
    training: Sequence[Losses] = ()
    shards: ShardMargins | None = None
    terms: Mapping[str, Mapping[SchemeName, Sequence[Losses]]] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)


def mean_fold_training_size(design: Design) -> int:
    """The mean number of training rows of the hypotheses of the folds."""
    return cross_validation.mean_training_size(design.splits("cross_validation"))


def losses_in_order(design: Design, evidence: Evidence, scheme: SchemeName) -> tuple[Rows, Losses]:
    """The rows of a scheme that tests each row once, and their losses; for progressive validation in the order of
    steps."""
    losses, rows = joined_losses(evidence.losses[scheme]), tested_rows(design.splits(scheme))
    if scheme == "progressive":
        order = np.argsort(design.partition.step[rows])
        losses, rows = losses[order], rows[order]
    return rows, losses


def tested(design: Design, evidence: Evidence, scheme: SchemeName) -> Tested:
    """What intervals read of `losses_in_order`."""
    rows, losses = losses_in_order(design, evidence, scheme)
    weights = design.weights_of(rows)
    losses = weighed(losses, weights)
    clusters = design.dependence.clusters(rows, losses)
    return Tested(losses, design.loss, design.seed, clusters, weights=weights, cells=design.cells(rows))


def with_pool(observed: Tested, evidence: Evidence, repeats: int) -> Tested:
    """`observed` next to each loss of cross-validation, of all `repeats` partitions into folds, for some methods."""
    parts = evidence.losses.get("cross_validation")
    return observed if parts is None else replace(observed, pool=joined_losses(parts), pool_repeats=repeats)


def tested_with_pool(design: Design, evidence: Evidence, scheme: SchemeName, estimate: str) -> Tested:
    """The losses of a scheme that tests each row once, and what the method of the interval of `estimate` needs."""
    observed = tested(design, evidence, scheme)
    return with_pool(observed, evidence, design.fold_repeats) if design.methods[estimate].needs_cv else observed


def in_time(observed: Seen, design: Design, evidence: Evidence) -> Seen:
    """`observed` of rows in time, next to how long the losses depend on one another; others as they are.

    That comes from all losses along the stream that there are, or their terms: of the folds, else of the steps, else of
    the hold-out.
    """
    time = design.dependence.time
    if time is None or design.dependence.group is not None:
        return observed
    if "cross_validation" in evidence.losses:
        rows, losses = held_out_losses(design, evidence)
    else:
        scheme = next(name for name in _ALONG_TIME if name in evidence.losses)
        rows, losses = tested_rows(design.splits(scheme)), joined_losses(evidence.losses[scheme])
    losses = weighed(losses, design.weights_of(rows))
    return replace(observed, memory=memory_of(losses[np.argsort(time[rows], kind="stable")]))


def cross_validated(design: Design, evidence: Evidence, *, of_sets: bool = False) -> CrossValidated:
    """The held-out losses in row order, with the fields that the fits beyond the k folds fill.

    With weights all of them are terms of the ratio E_cv, by its value and the mean weight of its rows; those of metrics
    of a set (`of_sets`) have the weights already.
    """
    rows, losses = held_out_losses(design, evidence)
    weights = None if of_sets else design.weights_of(rows)
    ratio = None if weights is None else Ratio.of(losses, weights)
    fields: dict[str, Any] = {}
    for scheme in FIELD_OF:
        if scheme in evidence.losses:
            fields |= design.further(scheme).fields(_terms(design, evidence, scheme, ratio))
    if design.fold_repeats > 1:
        parts = _terms(design, evidence, "cross_validation", ratio)
        errors = np.array([part.mean() for part in parts]).reshape(design.fold_repeats, -1)
        fields |= {"first_errors": errors[0], "repeated_errors": errors[1:]}
    if ratio is not None and weights is not None:
        losses = ratio.terms(losses, weights)
    cluster, fold = design.dependence.clusters(rows, losses), design.partition.fold[rows]
    seen = CrossValidated(losses, design.loss, design.seed, cluster, fold=fold, weights=weights, **fields)
    return seen if of_sets else replace(seen, cells=design.cells(rows))


def _terms(design: Design, evidence: Evidence, scheme: SchemeName, ratio: Ratio | None) -> Sequence[Losses]:
    """The losses of each split of a scheme, or their terms."""
    parts, splits = evidence.losses[scheme], design.splits(scheme)
    weights = None if ratio is None else design.weights_of(tested_rows(splits))
    if ratio is None or weights is None:
        return parts
    return SplitLosses(ratio.terms(joined_losses(parts), weights), tested_sizes(splits))


def fold_errors(design: Design, evidence: Evidence) -> Losses:
    """The error of each fold of the first partition on its own rows, shape (k,)."""
    k = int(design.partition.fold.max()) + 1
    of_folds = zip(range(k), evidence.losses["cross_validation"], design.splits("cross_validation"), strict=False)
    return np.array([error_of(losses, design.weights_of(split.validation)) for _, losses, split in of_folds])


def held_out_losses(design: Design, evidence: Evidence) -> tuple[Rows, Losses]:
    """The rows that a fold tests, ascending, and the loss of each: the mean over the partitions into folds.

    Rows in time that no fold tests are left out.
    """
    by_row, parts = np.zeros(len(design.y)), evidence.losses["cross_validation"]
    np.add.at(by_row, tested_rows(design.splits("cross_validation")), joined_losses(parts) / design.fold_repeats)
    rows = np.flatnonzero(design.partition.fold >= 0)
    return rows, by_row[rows]


def half_losses(design: Design, losses: Sequence[Losses], *, on_training_half: bool) -> Losses:
    """The losses of the half models, shape (R, N): on the half that trained the model, or on the other half."""
    table = np.empty(design.halves.shape)
    for number, part in enumerate(losses):
        repeat, half = divmod(number, 2)
        table[repeat, design.halves[repeat] == (half if on_training_half else 1 - half)] = part
    return table


def disagreement_of(design: Design, evidence: Evidence) -> RepeatedByRow | None:
    """The disagreement of the half models over the rows of all shards; None without such rows."""
    return None if evidence.shards is None else evidence.shards.pooled(design.loss, design.seed)


def half_tested(design: Design, evidence: Evidence) -> RepeatedByRow:
    """The losses of the half models on the rows of the other halves."""
    table = half_losses(design, evidence.losses["covalidation"], on_training_half=False)
    return repeated_by_row(table, design.loss, half=design.halves, weights=design.weights_of())


def half_trained(design: Design, evidence: Evidence) -> RepeatedByRow:
    """The losses of the half models on their own rows.

    The training errors of both half models have equal weight, also where one half has a row more.
    """
    table = half_losses(design, evidence.training, on_training_half=True)
    margins = repeated_by_row(table, design.loss, weights=design.weights_of())
    of_halves = zip(evidence.training, design.splits("covalidation"), strict=True)
    errors = [error_of(losses, design.weights_of(split.train)) for losses, split in of_halves]
    return replace(margins, by_repeat=np.array(errors).reshape(-1, 2).mean(axis=1))


def check_weights(design: Design) -> None:
    """Raise BadArgument for a part of the rows that is tested or trained on, and has no weight: before any fit."""
    if design.weights_of() is None:
        return
    for estimate, scheme, what in (
        ("E_val", "holdout", "the hold-out"),
        ("E_cv", "cross_validation", "fold {}"),
        ("E_prog", "progressive", "the tested steps"),
        ("E_2cv", "covalidation", "half model {}"),
    ):
        parts = [split.validation for split in design.splits(scheme)] if estimate in design.estimates else []
        parts = [np.concatenate(parts)] if estimate == "E_prog" and parts else parts
        for number, rows in enumerate(parts):
            if not np.any(design.weights_of(rows)):
                raise BadArgument(
                    "weights",
                    f"weights is 0 in all {len(rows)} rows that test {what.format(number + 1)}, so that {estimate} has "
                    "no value there; use fewer folds, another seed, or leave out rows of weight 0",
                )
