"""Everything that one candidate of `heldout.validate` is fitted for: its losses, its warnings and its hypotheses."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.errors import FitFailure, TaskFailed
from heldout.estimates import ESTIMATES, OF_UNLABELED, schemes_of
from heldout.fits import one_pass
from heldout.fits.scheme_fits import SchemeLosses, exact_losses, may_skip_fits
from heldout.fits.specs import CompareSpec, FitSpec, How, Known, KnownSplits, Labeled, Specs
from heldout.learners.fit_warnings import FitWarnings, WarningCounts
from heldout.learners.threads import one_thread
from heldout.losses import Loss, Losses
from heldout.losses.choice import spec_of
from heldout.losses.tested_losses import ShardMargins
from heldout.notebook.progress import FitBar
from heldout.running import make
from heldout.running.content import digest_of
from heldout.running.isolation import Isolation
from heldout.running.store import MemoryStore, Store
from heldout.schemes import SchemeName
from heldout.schemes.design import Design, Evidence
from heldout.shortcuts.scheme_losses import ExactLosses
from heldout.unlabelled.half_model_controls import Controls, why_none

Made = tuple[str | None, Mapping[str, Any]]  # the reason of a failure, and what was stored in memory, by its address


@dataclass(frozen=True)
class Digests:
    """Those of the rows, with and without labels, of a learner and of the loss; None for what nobody can tell from
    another.
    """

    rows: str | None = None
    unlabeled: str | None = None
    learner: str | None = None
    loss: str | None = None

    @property
    def lack(self) -> str | None:
        """What has none; None for nothing."""
        if None in (self.rows, self.unlabeled, self.loss):
            return "its rows or the loss have"
        return "its learner has" if self.learner is None else None


def digests_of(
    candidates: Mapping[str, Any], X: Any, y: NDArray[np.generic], unlabeled: Any, loss: Loss
) -> dict[str, Digests]:
    """Those of each candidate on the rows X with the labels y."""
    of_loss = digest_of((spec_of(loss), loss.name, loss.needs))
    labels = y.tolist() if y.dtype.kind in "OU" else y  # alike as strings and as objects, as a saved result has them
    rows = None if of_loss is None else digest_of((X, labels))
    if rows is None:
        return dict.fromkeys(candidates, Digests())
    others = digest_of(unlabeled)
    return {name: Digests(rows, others, digest_of(learner), of_loss) for name, learner in candidates.items()}


@dataclass(frozen=True, eq=False)
class CandidateFits:
    """One candidate on the rows X, shape (N, p), of a design, and on rows `unlabeled`, None for none.

    Fits are made `how` it says, and kept in `store`; where a shortcut gave the losses, hypotheses are fitted when
    someone asks for them. `warned` has an item for each hypothesis, fitted or not; `bar` counts them. `pace` has the
    seconds that the first fit took for a training row, where it was made here. `jobs` threads compare half models. With
    `isolation` fits are made in processes of their own, where the limit of `how` holds; after one that ended its
    process, no other is made: `ended` has the reason.
    """

    name: str
    learner: Any
    X: Any
    design: Design
    how: How
    bar: FitBar
    digests: Digests = Digests()
    store: Store = field(default_factory=MemoryStore)
    jobs: int = 1
    unlabeled: Any = None
    isolation: Isolation | None = None
    warned: list[FitWarnings] = field(default_factory=list)
    pace: list[float] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    _spared: dict[SchemeName, str] = field(default_factory=dict)  # where the losses are that needed no fits
    _updated: dict[SchemeName, list[Any]] = field(default_factory=dict)
    _exact: list[ExactLosses] = field(default_factory=list)

    @cached_property
    def controls(self) -> Controls | str:
        """The controls of all rows by the half models, or the reason why there are none."""
        design = self.design
        half_models = "covalidation" in schemes_of(design)
        reason = why_none(design, unlabeled=self.unlabeled is not None, half_models=half_models)
        if reason is not None:
            return reason
        try:
            halves = self.hypotheses("covalidation")
            with one_thread():
                return Controls.of(halves, self.X, self.unlabeled, design.halves, np.unique(design.y))
        except FitFailure as failure:
            return f"the half models do not answer: {failure}"

    @property
    def updated_once(self) -> bool:
        """Whether the learner is updated once with each block."""
        return one_pass.is_updated_once(self.learner)

    @property
    def final_rows(self) -> None:
        """The labelled rows of E_in's hypothesis are all."""

    @property
    def warnings(self) -> WarningCounts:
        """What the fits of `evidence` warned of."""
        return WarningCounts.of(self.warned)

    def may_skip(self, scheme: SchemeName) -> bool:
        """Whether the losses of a scheme may be had without its fits."""
        keep = bool(self.design.set_metrics_in(scheme)) or (scheme == "covalidation" and self._compares())
        fits, use = len(self.design.splits(scheme)), self.how.shortcuts
        return may_skip_fits(self.learner, scheme, fits, keep=keep, use=use)

    def losses_without_fits(self, scheme: SchemeName) -> Sequence[Losses] | None:
        """The losses of a scheme without its fits, kept for `evidence`; None where it needs them.

        What schemes share is kept until `release`. Raises FitFailure, with the candidate's name.
        """
        address = self._specs.exact_address(scheme)
        if not self.store.has(address):
            self._make(spare, scheme)
        found: SchemeLosses | None = self.store.load(address)
        if found is None:
            return None
        self._spared[scheme] = address
        self.bar.advance(self.name, len(found.losses))
        return found.losses

    def losses(self, scheme: SchemeName, numbers: Sequence[int]) -> Sequence[Losses]:
        """The losses of some hypotheses of a scheme, whose fits are kept for `evidence`.

        Raises FitFailure, with the candidate's name.
        """
        return [self.store.load(address).losses for address in self._fitted(scheme, numbers)]

    def missing(self, scheme: SchemeName, numbers: Sequence[int]) -> list[int]:
        """Those of some fits that are not made."""
        specs, keep = self._specs, keeps_hypotheses(scheme)
        return [number for number in numbers if not make.is_made(self.store, specs.address(scheme, number), keep=keep)]

    def evidence(self, schemes: Sequence[SchemeName], failed: Mapping[str, str]) -> Evidence:
        """The losses of the `schemes`, but for those in which it `failed`, with the reasons."""
        losses: dict[SchemeName, Sequence[Losses]] = {}
        training: Sequence[Losses] = []
        terms: dict[str, dict[SchemeName, Sequence[Losses]]] = {name: {} for name in self.design.set_metrics}
        for scheme in schemes:
            if scheme in failed:
                continue
            found = self._found(scheme)
            self.warned.extend(found.warned)
            losses[scheme], training = found.losses, found.training or training
            for name, of in found.terms.items():
                terms[name][scheme] = of
        return Evidence(losses, training, None, terms, failed)

    def shards(self) -> ShardMargins | None:
        """How far the half models of `evidence` disagree on the unlabelled rows; None where nobody asks for it.

        Raises FitFailure, with the candidate's name.
        """
        if not self._compares():
            return None
        loss, rows = self.design.loss, self.unlabeled.shape[0]
        halves = self._fitted("covalidation", range(len(self.design.splits("covalidation"))))
        spec = CompareSpec(tuple(halves), self.digests.unlabeled or "the unlabelled rows")
        if not self.store.has(str(spec.key)):
            with self._named(), one_thread():
                make.compare(spec, self.unlabeled, loss, [rows], self.store, How(), self.jobs)
        by_pair, by_row = self.store.load(str(spec.key))
        return ShardMargins.of(by_pair, by_row, [rows])

    def hypotheses(self, scheme: SchemeName) -> list[Any]:
        """The hypotheses of a scheme of `evidence`, each fitted at most once. Raises FitFailure."""
        if scheme in self._spared and one_pass.is_updated_once(self.learner):
            if scheme not in self._updated:
                with self._named():
                    self._updated[scheme] = [*one_pass.shared_update_hypotheses(self._specs.exact(scheme))]
            return self._updated[scheme]
        addresses = self._fitted(scheme, range(len(self.design.splits(scheme))))
        with self._named():
            return make.hypotheses(addresses, self.store)

    def alone(self) -> "CandidateFits":
        """What another process needs: no results, no unlabelled rows, and a design that draws again."""
        store = MemoryStore() if isinstance(self.store, MemoryStore) else self.store
        bar, design = FitBar(shown=False), replace(self.design)
        return replace(
            self,
            bar=bar,
            design=design,
            store=store,
            unlabeled=None,
            isolation=None,
            warned=[],
            _spared={},
            _updated={},
            _exact=[],
        )

    def halved(self, design: Design) -> "CandidateFits":
        """The same with a `design` of fewer halvings: its hypotheses of the others were not made, or are left out."""
        return replace(self, design=design)

    def kept(self, store: Store, known: Digests) -> "CandidateFits":
        """The same, whose fits are kept in `store` if those `known` tell them from others."""
        return self if known.lack else replace(self, store=store, digests=known)

    def release(self) -> None:
        """Let go of what schemes without fits share: as large as a Gram matrix, which not every candidate may keep."""
        self._exact.clear()

    def take(self, made: Made) -> None:
        """Keep what another process made."""
        for address, value in made[1].items():
            self.store.save(address, value)

    def __getstate__(self) -> dict[str, Any]:
        """All but the records, which are made of the rest."""
        return {name: value for name, value in self.__dict__.items() if name != "_specs"}

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Raise a FitFailure of the block with the candidate's name."""
        try:
            yield
        except FitFailure as failure:
            raise FitFailure(f"{self.name}: {failure}") from failure

    def _fitted(self, scheme: SchemeName, numbers: Sequence[int]) -> list[str]:
        """Where some fits of a scheme are stored, which are made if they are not. Raises FitFailure."""
        if missing := self.missing(scheme, numbers):
            self._make(fit, scheme, missing)
        specs = self._specs
        return [specs.address(scheme, number) for number in numbers]

    def _make(self, function: Callable[..., Made], *arguments: Any) -> None:
        """Have something made, here or in a process of its own. Raises FitFailure, with the candidate's name."""
        with self._named(), one_thread():
            if self.isolation is None:
                reason, _ = function(self, *arguments)
            else:
                made = self._isolated(self.isolation, function, *arguments)
                self.take(made)
                reason, _ = made
            if reason is not None:
                raise FitFailure(reason)

    def _isolated(self, isolation: Isolation, function: Callable[..., Made], *arguments: Any) -> Made:
        """What `function` of this candidate returns in a process of its own. Raises FitFailure."""
        if self.ended:
            raise TaskFailed(self.ended[0])
        try:
            made: Made = isolation.result(function, self.alone(), *arguments)
        except TaskFailed as failure:
            self.ended.append(str(failure))
            raise
        return made

    @cached_property
    def _specs(self) -> Specs:
        """The records of all fits; without digests those of this run alone."""
        rows = Known(lambda: Labeled(self.X, self.design.y), self.digests.rows)
        splits = KnownSplits(self.design, keyed=self.digests.rows is not None)
        return Specs(self.name, rows, Known(lambda: self.learner, self.digests.learner), self.digests.loss, splits)

    def _shared(self, scheme: SchemeName) -> ExactLosses:
        """What a scheme shares with others, made once and kept until `release`. Raises Declined."""
        if not self._exact:
            self._exact.append(exact_losses(self._specs.exact(scheme)))
        return self._exact[0]

    def _compares(self) -> bool:
        """Whether the half models answer the unlabelled rows."""
        return self.unlabeled is not None and any(estimate in self.design.estimates for estimate in OF_UNLABELED)

    def _found(self, scheme: SchemeName) -> SchemeLosses:
        """The losses of every fit of a scheme, and what came with them."""
        count = len(self.design.splits(scheme))
        if scheme in self._spared:
            spared: SchemeLosses = self.store.load(self._spared[scheme])
            return spared.first(count) if count < len(spared.losses) else spared
        results = [self.store.load(address) for address in self._fitted(scheme, range(count))]
        training = [result.training for result in results if result.training is not None]
        terms = {name: [result.terms[name] for result in results] for name in self.design.set_metrics_in(scheme)}
        return SchemeLosses(
            [result.losses for result in results], training, [result.warned for result in results], terms
        )


def fit(of: CandidateFits, scheme: SchemeName, numbers: Sequence[int]) -> Made:
    """Make some fits of a scheme, in this process."""
    how = replace(of.how, keep=keeps_hypotheses(scheme))

    def noted(spec: FitSpec, seconds: float, _hypothesis: Any) -> None:
        of.bar.advance(of.name)
        if not of.pace:
            of.pace.append(seconds / max(1, len(spec.split.value.train)))

    reason = make.make_fits(of._specs, scheme, numbers, of.store, how, noted)
    return reason, of.store.values if isinstance(of.store, MemoryStore) else {}


def spare(of: CandidateFits, scheme: SchemeName) -> Made:
    """Make the losses of a scheme without its fits, in this process."""
    reason = make.make_exact(of._specs, scheme, of.store, of.how, lambda: of._shared(scheme))
    return reason, of.store.values if isinstance(of.store, MemoryStore) else {}


def keeps_hypotheses(scheme: SchemeName) -> bool:
    """Whether an estimate is about the hypotheses of a scheme."""
    return any(estimate.scheme == scheme for estimate in ESTIMATES.values())
