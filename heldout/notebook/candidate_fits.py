"""Everything that one candidate of `heldout.validate` is fitted for: its losses, its warnings and its hypotheses."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from heldout.errors import FitFailure
from heldout.estimates import ESTIMATES, OF_UNLABELED, schemes_of
from heldout.fits import one_pass
from heldout.fits.scheme_fits import Fits, UseShortcuts, losses_without_fits, may_skip_fits
from heldout.learners.fit_warnings import FitWarnings
from heldout.learners.fitting import Fitted
from heldout.learners.threads import one_thread
from heldout.losses import Losses
from heldout.notebook.progress import FitBar
from heldout.records import Estimate
from heldout.schemes import SchemeName, fit_state
from heldout.schemes.design import Design, Evidence
from heldout.shortcuts import Declined
from heldout.unlabelled.disagreement import ShardMargins, disagreements
from heldout.unlabelled.half_model_controls import Controls, why_none

Made = tuple[Fitted, Losses | None]  # a fit, and its losses on the rows that it was trained on
_PARTS_A_JOB = 4  # into which the fits of a scheme are divided for each process: one slow part delays less


@dataclass(frozen=True, eq=False)
class CandidateFits:
    """One candidate on the rows X, shape (N, p), of a design, and on rows `unlabeled`, None for none.

    Hypotheses are kept where they were fitted; where a shortcut gave the losses, they are fitted when someone asks for
    them. `warned` has an item for each hypothesis, fitted or not; `bar` counts them. `jobs` processes share the fits of
    a scheme.
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
    _hypotheses: dict[SchemeName, list[Any]] = field(default_factory=dict)

    @cached_property
    def controls(self) -> Controls | str:
        """The controls of all rows by the half models, or the reason why there are none."""
        design = self.design
        half_models = "covalidation" in schemes_of(design)
        reason = why_none(design, unlabeled=self.unlabeled is not None, half_models=half_models)
        if reason is not None:
            return reason
        halves = self.hypotheses("covalidation")
        try:
            with one_thread():
                return Controls.of(halves, self.X, self.unlabeled, design.halves, np.unique(design.y))
        except FitFailure as failure:
            return f"the half models do not answer: {failure}"

    def evidence(self, schemes: Sequence[SchemeName]) -> Evidence:
        """The losses of the `schemes`, and the disagreement on the unlabelled rows.

        Raises FitFailure, with the candidate's name.
        """
        losses: dict[SchemeName, Sequence[Losses]] = {}
        training: list[Losses] = []
        disagreement = None
        try:
            for scheme in schemes:
                if scheme == "covalidation":
                    losses[scheme], training = self._halves()
                else:
                    losses[scheme] = self._losses(scheme)
            if "covalidation" in losses and self.unlabeled is not None and self._compares():
                halves, loss = self._hypotheses["covalidation"], self.design.loss
                with one_thread():
                    margins = ShardMargins.of(*disagreements(halves, self.unlabeled, loss), [self.unlabeled.shape[0]])
                disagreement = margins.pooled(loss, self.design.seed)
        except FitFailure as failure:
            raise FitFailure(f"{self.name}: {failure}") from failure
        return Evidence(losses, training, disagreement)

    def hypotheses(self, scheme: SchemeName) -> list[Any]:
        """The hypotheses of a scheme of `evidence`, each fitted at most once. Raises FitFailure."""
        if scheme not in self._hypotheses:
            try:
                if self._may_skip(scheme) and one_pass.is_updated_once(self.learner):
                    state = fit_state(self.design.seed, scheme, 0)
                    made = one_pass.shared_update_hypotheses(self.learner, self.X, self.design, scheme, state)
                    self._hypotheses[scheme] = made
                else:
                    self._fit(scheme)
            except FitFailure as failure:
                raise FitFailure(f"{self.name}: {failure}") from failure
        return self._hypotheses[scheme]

    def stated(self, record: Estimate) -> Estimate:
        """The record of an estimate of this candidate: also that its learner is updated once."""
        if not one_pass.is_updated_once(self.learner):
            return record
        return replace(record, target=one_pass.updated_once(record.target))

    def _compares(self) -> bool:
        return any(estimate in self.design.estimates for estimate in OF_UNLABELED)

    def _losses(self, scheme: SchemeName) -> Sequence[Losses]:
        if self._may_skip(scheme):
            try:
                state = fit_state(self.design.seed, scheme, 0)
                losses, warned = losses_without_fits(self.learner, self.X, self.design, scheme, state)
            except Declined:
                pass
            else:
                self.warned.extend([warned] * len(losses))
                self.bar.advance(self.name, len(losses))
                return losses
        made = self._fit(scheme)
        self.warned.extend(fitted.warned for fitted, _ in made)
        return [fitted.losses for fitted, _ in made]

    def _halves(self) -> tuple[list[Losses], list[Losses]]:
        """The losses of the half models on the other halves, and on their training rows."""
        made = self._fit("covalidation", training=True)
        self.warned.extend(fitted.warned for fitted, _ in made)
        return [fitted.losses for fitted, _ in made], [losses for _, losses in made if losses is not None]

    def _may_skip(self, scheme: SchemeName) -> bool:
        fits = len(self.design.splits(scheme))
        return may_skip_fits(self.learner, scheme, fits, keep=False, use=self.use)

    def _fit(self, scheme: SchemeName, *, training: bool = False) -> list[Made]:
        """Every fit of a scheme; the hypotheses that an estimate is about are kept."""
        made: list[Made] = []
        for some in self._parts_of(scheme, training=training):
            made += some
            self.bar.advance(self.name, len(some))
        if any(estimate.scheme == scheme for estimate in ESTIMATES.values()):
            self._hypotheses[scheme] = [fitted.hypothesis for fitted, _ in made]
        return made

    def _parts_of(self, scheme: SchemeName, *, training: bool) -> Iterator[Sequence[Made]]:
        """The fits of a scheme in their order, some at a time: one by one, or as they come from other processes."""
        count = len(self.design.splits(scheme))
        if self.jobs == 1 or count == 1:
            for fit in _made(self.learner, self.X, self.design, scheme, range(count), self.use, training=training):
                yield [fit]
            return
        from joblib import Parallel, delayed

        size = -(-count // (_PARTS_A_JOB * self.jobs))
        yield from Parallel(self.jobs, return_as="generator")(
            delayed(_list_made)(self.learner, self.X, self.design, scheme, numbers, self.use, training=training)
            for numbers in (range(count)[first : first + size] for first in range(0, count, size))
        )


def _made(
    learner: Any, X: Any, design: Design, scheme: SchemeName, numbers: range, use: UseShortcuts, *, training: bool
) -> Iterator[Made]:
    """The fits of some splits of a scheme, one by one."""
    splits = design.splits(scheme)
    with one_thread():
        fits = Fits(learner, X, design, scheme, len(splits), use)
        for number in numbers:
            yield fits.make(splits[number], fit_state(design.seed, scheme, number), training=training)


def _list_made(*arguments: Any, training: bool) -> list[Made]:
    return list(_made(*arguments, training=training))
