"""How the labelled rows are used, and what each estimate is made of: shared by notebooks and flows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout import covalidation, cross_validation, holdout, progressive, resampling
from heldout.intervals.method import Method
from heldout.losses import Loss, Losses
from heldout.observed import Crossed, CrossValidated, Tested, crossed
from heldout.partition import Partition
from heldout.records import Estimate, Split
from heldout.seeds import SchemeName

OF_UNLABELED = ("disagreement", "E_dis", "E_maxdt")
HALVES = ("E_2cv", "E_train", "disagreement", "E_dis", "E_maxdt")
PER_CANDIDATE = ("E_in", "E_val", "E_cv", "E_prog", *HALVES)
OF_THE_WINNER = ("E_bbc", "E_nested")
_SCHEME_OF: Mapping[str, SchemeName] = {
    "E_in": "final",
    "E_val": "holdout",
    "E_cv": "cross_validation",
    "E_prog": "progressive",
    **dict.fromkeys(HALVES, "covalidation"),
    **dict.fromkeys(OF_THE_WINNER, "cross_validation"),
}


@dataclass(frozen=True, eq=False)
class Design:
    """The partitions of N labelled rows, and the choices that every estimate follows.

    `halves` has shape (R, N), `methods` the interval of each estimate, `estimates` the names wanted.
    """

    y: NDArray[np.generic]
    loss: Loss
    partition: Partition
    halves: NDArray[np.int8]
    block: int
    stratify: bool
    seed: int
    level: float
    methods: Mapping[str, Method]
    estimates: Sequence[str]
    _drawn: dict[str, resampling.Scheme] = field(default_factory=dict, init=False, repr=False)
    _splits: dict[str, list[Split]] = field(default_factory=dict, init=False, repr=False)

    @property
    def classes(self) -> int:
        """The number of classes; 0 for numbers."""
        return len(np.unique(self.y)) if self.loss.of_classes else 0

    def schemes(self) -> list[SchemeName]:
        """The schemes whose fits the estimates and their intervals need, each once."""
        needed = [_SCHEME_OF[name] for name in self.estimates]
        needs = self.methods["E_cv"].needs
        if "E_cv" in self.estimates and needs:
            needed.append(needs)  # type: ignore[arg-type]  # METHODS name schemes alone
        if "E_nested" in self.estimates:
            needed.append("fold_pairs")
        return list(dict.fromkeys(needed))

    @staticmethod
    def scheme_of(estimate: str) -> SchemeName:
        """The scheme whose hypotheses an estimate is about."""
        return _SCHEME_OF[estimate]

    def splits(self, scheme: SchemeName) -> list[Split]:
        """The splits of a scheme, in the order of its fits; made once."""
        if scheme not in self._splits:
            self._splits[scheme] = self._make_splits(scheme)
        return self._splits[scheme]

    def _make_splits(self, scheme: SchemeName) -> list[Split]:
        if scheme == "final":
            return [holdout.final_split(len(self.y))]
        if scheme == "holdout":
            return [holdout.split(self.partition.validation)]
        if scheme == "cross_validation":
            return cross_validation.splits(self.partition.fold)
        if scheme == "progressive":
            return progressive.splits(self.partition.step, self.block)
        if scheme == "covalidation":
            return [split for half in self.halves for split in covalidation.splits(half)]
        return self.further(scheme).splits

    def further(self, scheme: SchemeName) -> resampling.Scheme:
        """A scheme beyond the folds that an interval, or nested selection, asks for; drawn once."""
        if scheme not in self._drawn:
            self._drawn[scheme] = resampling.SCHEMES[scheme](self.y, self.partition.fold, self.stratify, self.seed)
        return self._drawn[scheme]


@dataclass(frozen=True, eq=False)
class Evidence:
    """All losses of one candidate: for each scheme one array a split, in the order of `Design.splits`.

    `training` are the losses of the half models on the rows that they were trained on, one array a half;
    `disagreement` is that of the half models on the unlabelled rows, None without such rows.
    """

    losses: Mapping[SchemeName, Sequence[Losses]]
    training: Sequence[Losses] = ()
    disagreement: Crossed | None = None


def estimate_candidate(design: Design, candidate: str, evidence: Evidence) -> list[Estimate]:
    """The estimates of one candidate that the design asks for, in the order of `PER_CANDIDATE`."""
    level, methods, n = design.level, design.methods, len(design.y)
    found: list[Estimate] = []
    if "final" in evidence.losses:
        found.append(holdout.training_estimate(candidate, tested(design, evidence, "final")))
    if "holdout" in evidence.losses:
        observed = tested(design, evidence, "holdout")
        found.append(holdout.estimate(candidate, observed, n - observed.n, methods["E_val"], level))
    if "cross_validation" in evidence.losses and "E_cv" in design.estimates:  # not for E_bbc and E_nested alone
        found.append(cross_validation.estimate(candidate, cross_validated(design, evidence), methods["E_cv"], level))
    if "progressive" in evidence.losses:
        size = progressive.mean_training_size(design.partition.step, design.block)
        found.append(
            progressive.estimate(candidate, tested(design, evidence, "progressive"), size, methods["E_prog"], level)
        )
    if "covalidation" in evidence.losses:
        found += covalidation.estimates(
            candidate,
            _half_tested(design, evidence),
            _half_trained(design, evidence),
            evidence.disagreement,
            n_labeled=n,
            classes=design.classes,
            methods=methods,
            level=level,
        )
    return [record for record in found if record.estimate in design.estimates]


def tested(design: Design, evidence: Evidence, scheme: SchemeName) -> Tested:
    """The losses of a scheme that tests each row once; of progressive validation in the order of steps."""
    losses = np.concatenate(evidence.losses[scheme])
    if scheme == "progressive":
        rows = np.concatenate([split.validation for split in design.splits("progressive")])
        losses = losses[np.argsort(design.partition.step[rows])]
    return Tested(losses, design.loss, design.seed)


def cross_validated(design: Design, evidence: Evidence) -> CrossValidated:
    """The held-out losses in row order, with the fields of the further fits that were made."""
    losses = np.empty(len(design.y))
    for split, part in zip(design.splits("cross_validation"), evidence.losses["cross_validation"], strict=True):
        losses[split.validation] = part
    fields: dict[str, Any] = {}
    for scheme in resampling.SCHEMES:
        if scheme in evidence.losses:
            fields |= design.further(scheme).fields(evidence.losses[scheme])  # type: ignore[arg-type,index]
    return CrossValidated(losses, design.loss, design.seed, fold=design.partition.fold, **fields)


def half_losses(design: Design, losses: Sequence[Losses], *, own: bool) -> Losses:
    """The half models' losses as a table of repeats by rows: on their `own` half, or on the other one."""
    table = np.empty(design.halves.shape)
    for number, part in enumerate(losses):
        repeat, half = divmod(number, 2)
        table[repeat, design.halves[repeat] == (half if own else 1 - half)] = part
    return table


def _half_tested(design: Design, evidence: Evidence) -> Crossed:
    return crossed(half_losses(design, evidence.losses["covalidation"], own=False), design.loss)


def _half_trained(design: Design, evidence: Evidence) -> Crossed:
    """Each half model's training error counts alike, also where one half has a row more."""
    margins = crossed(half_losses(design, evidence.training, own=True), design.loss)
    errors = np.array([part.mean() for part in evidence.training]).reshape(-1, 2).mean(axis=1)
    return replace(margins, by_repeat=errors)
