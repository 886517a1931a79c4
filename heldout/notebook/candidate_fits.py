"""Everything that one candidate of `heldout.validate` is fitted for: its losses, its warnings and its hypotheses."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from heldout.errors import FewOfAClass, FitFailure, TaskFailed
from heldout.estimates import ESTIMATES, OF_UNLABELED, schemes_of
from heldout.fits import one_pass
from heldout.fits.scheme_fits import FitResult, Fits, SchemeLosses, exact_losses, losses_without_fits, may_skip_fits
from heldout.fits.specs import ExactSpec, How, Known, KnownSplits, Labeled, Specs, UseShortcuts
from heldout.learners.fit_warnings import FitWarnings
from heldout.learners.threads import one_thread
from heldout.losses import Losses
from heldout.losses.tested_losses import RepeatedByRow
from heldout.notebook.progress import FitBar
from heldout.records import Estimate
from heldout.running.isolation import Isolation, time_limit
from heldout.schemes import SCHEMES, SchemeName, label_of_fits
from heldout.schemes.design import Design, Evidence
from heldout.shortcuts import Declined
from heldout.shortcuts.scheme_losses import ExactLosses
from heldout.unlabelled.disagreement import ShardMargins, disagreements
from heldout.unlabelled.half_model_controls import Controls, why_none

Made = tuple[Any, FitResult]  # a hypothesis, None where no estimate is about it, and what its fit left


@dataclass(frozen=True, eq=False)
class CandidateFits:
    """One candidate on the rows X, shape (N, p), of a design, and on rows `unlabeled`, None for none.

    Hypotheses are kept where they were fitted; where a shortcut gave the losses, they are fitted when someone asks for
    them. `warned` has an item for each hypothesis, fitted or not; `bar` counts them. Fits that were made before their
    scheme is asked for (`heldout.notebook.shared_fits`) are in `ready`, by scheme and number; `pace` has the seconds
    that the first of them took for a training row. `jobs` threads compare half models.

    With `isolation` fits are made in processes of their own. There `fit_timeout` are the seconds that each may take;
    None is no limit. After one that ended its process, no other is made: `ended` has the reason.
    """

    name: str
    learner: Any
    X: Any
    design: Design
    use: UseShortcuts
    bar: FitBar
    jobs: int = 1
    unlabeled: Any = None
    warned: list[FitWarnings] = field(default_factory=list)
    ready: dict[SchemeName, dict[int, Made]] = field(default_factory=dict)
    pace: list[float] = field(default_factory=list)
    isolation: Isolation | None = None
    fit_timeout: float | None = None
    ended: list[str] = field(default_factory=list)
    _without_fits: dict[SchemeName, SchemeLosses] = field(default_factory=dict)
    _exact: list[ExactLosses] = field(default_factory=list)
    _hypotheses: dict[SchemeName, list[Any]] = field(default_factory=dict)

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

    def may_skip(self, scheme: SchemeName) -> bool:
        """Whether the losses of a scheme may be had without its fits."""
        keep = bool(self.design.part_losses_in(scheme)) or (scheme == "covalidation" and self._compares())
        return may_skip_fits(self.learner, scheme, len(self.design.splits(scheme)), keep=keep, use=self.use)

    def losses_without_fits(self, scheme: SchemeName) -> Sequence[Losses] | None:
        """The losses of a scheme without its fits, kept for `evidence`; None where it needs them.

        What schemes share is kept until `release`. Raises FitFailure, with the candidate's name.
        """
        with self._named(), one_thread():
            isolation = self.isolation
            found = self._spared(scheme) if isolation is None else self._isolated(isolation, _spared_there, scheme)
        if found is None:
            return None
        self._without_fits[scheme] = found
        self.bar.advance(self.name, len(found.losses))
        return found.losses

    def losses(self, scheme: SchemeName, numbers: Sequence[int]) -> Sequence[Losses]:
        """The losses of some hypotheses of a scheme, whose fits are kept for `evidence`.

        Raises FitFailure, with the candidate's name.
        """
        ready = self.ready.setdefault(scheme, {})
        with self._named():
            self._make(scheme, numbers, ready)
        return [ready[number][1].losses for number in numbers]

    def evidence(self, schemes: Sequence[SchemeName], failed: Mapping[str, str]) -> Evidence:
        """The losses of the `schemes`, but for those in which it `failed`, with the reasons."""
        losses: dict[SchemeName, Sequence[Losses]] = {}
        training: Sequence[Losses] = []
        terms: dict[str, dict[SchemeName, Sequence[Losses]]] = {name: {} for name in self.design.part_losses}
        for scheme in schemes:
            if scheme in failed:
                continue
            found = self._without_fits.get(scheme) or self._fitted(scheme)
            self.warned.extend(found.warned)
            losses[scheme], training = found.losses, found.training or training
            for name, of in found.terms.items():
                terms[name][scheme] = of
        return Evidence(losses, training, None, terms, failed)

    def disagreement(self) -> RepeatedByRow | None:
        """The disagreement of the half models of `evidence` on the unlabelled rows; None where nobody asks for it.

        Raises FitFailure, with the candidate's name.
        """
        if not self._compares():
            return None
        with self._named(), one_thread():
            halves, loss = self._hypotheses["covalidation"], self.design.loss
            compared = disagreements(halves, self.unlabeled, loss, jobs=self.jobs)
            return ShardMargins.of(*compared, [self.unlabeled.shape[0]]).pooled(loss, self.design.seed)

    def alone(self) -> "CandidateFits":
        """What another process needs: no results, no unlabelled rows, and a design that draws again."""
        bar, design = FitBar(shown=False), replace(self.design)
        limit = None if self.isolation is None else self.isolation.fit_timeout
        return replace(
            self,
            bar=bar,
            design=design,
            unlabeled=None,
            warned=[],
            ready={},
            isolation=None,
            fit_timeout=limit,
            _without_fits={},
            _exact=[],
            _hypotheses={},
        )

    def halved(self, design: Design) -> "CandidateFits":
        """The same with a `design` of fewer halvings: its hypotheses of the others were not made, or are left out."""
        of = replace(self, design=design)
        count = len(design.splits("covalidation"))
        if (spared := of._without_fits.get("covalidation")) is not None:
            of._without_fits["covalidation"] = spared.first(count)
        return of

    def release(self) -> None:
        """Let go of what schemes without fits share: as large as a Gram matrix, which not every candidate may keep."""
        self._exact.clear()

    def hypotheses(self, scheme: SchemeName) -> list[Any]:
        """The hypotheses of a scheme of `evidence`, each fitted at most once. Raises FitFailure."""
        if scheme not in self._hypotheses:
            with self._named():
                if one_pass.is_updated_once(self.learner) and SCHEMES[scheme].updates_shared:
                    self._hypotheses[scheme] = [*one_pass.shared_update_hypotheses(self._specs.exact(scheme))]
                else:
                    self._fitted(scheme)
        return self._hypotheses[scheme]

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Raise a FitFailure of the block with the candidate's name."""
        try:
            yield
        except FitFailure as failure:
            raise FitFailure(f"{self.name}: {failure}") from failure

    def stated(self, record: Estimate) -> Estimate:
        """The record of an estimate of this candidate: also that its learner is updated once."""
        if not one_pass.is_updated_once(self.learner):
            return record
        return replace(record, target=one_pass.updated_once(record.target))

    def made(self, scheme: SchemeName, numbers: Sequence[int]) -> Iterator[Made]:
        """Some fits of a scheme, one by one, of which `ready` has none. Raises FitFailure."""
        if not len(numbers):
            return
        if self.isolation is not None:
            yield from self._isolated(self.isolation, _made_there, scheme, numbers)
            return
        specs, kept = self._specs, _keeps_hypotheses(scheme)
        with one_thread():
            fits = Fits(specs.fit(scheme, numbers[0]), scheme, len(numbers), How(self.use))
            for number in numbers:
                try:
                    with time_limit(self.fit_timeout):
                        hypothesis, result = fits.make(specs.fit(scheme, number))
                except FewOfAClass as failure:
                    count = len(self.design.splits(scheme))
                    raise FitFailure(f"{label_of_fits(scheme, [number], count)}: {failure}") from failure
                yield hypothesis if kept else None, result

    def _make(self, scheme: SchemeName, numbers: Sequence[int], ready: dict[int, Made]) -> None:
        """Make those of some fits that are not `ready`. Raises FitFailure."""
        missing = [number for number in numbers if number not in ready]
        for number, made in zip(missing, self.made(scheme, missing), strict=True):
            ready[number] = made
            self.bar.advance(self.name)

    def _isolated(self, isolation: Isolation, function: Callable[..., Any], *arguments: Any) -> Any:
        """What `function` of this candidate returns in a process of its own. Raises FitFailure."""
        if self.ended:
            raise TaskFailed(self.ended[0])
        try:
            return isolation.result(function, self.alone(), *arguments)
        except TaskFailed as failure:
            self.ended.append(str(failure))
            raise

    def _spared(self, scheme: SchemeName) -> SchemeLosses | None:
        """The losses of a scheme without its fits; None where it needs them. Raises FitFailure."""
        try:
            with time_limit(self.fit_timeout, len(self.design.splits(scheme))):
                spec = self._specs.exact(scheme)
                return losses_without_fits(spec, lambda: self._exact_losses(spec))
        except Declined:
            return None

    def _exact_losses(self, spec: ExactSpec) -> ExactLosses:
        """What the schemes share, made once and kept until `release`. Raises Declined."""
        if not self._exact:
            self._exact.append(exact_losses(spec))
        return self._exact[0]

    @property
    def _specs(self) -> Specs:
        """The records of all fits, without digests: nothing is stored."""
        rows = Known(lambda: Labeled(self.X, self.design.y), None)
        return Specs(self.name, rows, Known(lambda: self.learner, None), None, KnownSplits(self.design, keyed=False))

    def _compares(self) -> bool:
        """Whether the half models answer the unlabelled rows."""
        return self.unlabeled is not None and any(estimate in self.design.estimates for estimate in OF_UNLABELED)

    def _fitted(self, scheme: SchemeName) -> SchemeLosses:
        """The losses of every fit of a scheme; the hypotheses that an estimate is about are kept."""
        ready = self.ready.pop(scheme, {})
        self._make(scheme, range(len(self.design.splits(scheme))), ready)
        fits = [ready[number] for number in sorted(ready)]
        if _keeps_hypotheses(scheme):
            self._hypotheses[scheme] = [hypothesis for hypothesis, _ in fits]
        results = [result for _, result in fits]
        training = [result.training for result in results if result.training is not None]
        terms = {name: [result.terms[name] for result in results] for name in self.design.part_losses_in(scheme)}
        return SchemeLosses(
            [result.losses for result in results], training, [result.warned for result in results], terms
        )


def _made_there(of: CandidateFits, scheme: SchemeName, numbers: Sequence[int]) -> list[Made]:
    return [*of.made(scheme, numbers)]


def _spared_there(of: CandidateFits, scheme: SchemeName) -> SchemeLosses | None:
    return of._spared(scheme)


def _keeps_hypotheses(scheme: SchemeName) -> bool:
    """Whether an estimate is about the hypotheses of a scheme."""
    return any(estimate.scheme == scheme for estimate in ESTIMATES.values())
