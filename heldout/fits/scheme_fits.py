"""How the losses of a record are made: without fits of their own where that is exact, else fit by fit.

`heldout.validate` and the worker processes of a run both come here, so that a notebook and a run do the same work.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from heldout import shortcuts
from heldout.errors import FitFailure
from heldout.fits import one_pass
from heldout.fits.metric_terms import metric_terms
from heldout.fits.specs import ExactSpec, FitSpec, How, UseShortcuts
from heldout.learners.fit_warnings import FitWarnings
from heldout.learners.fitting import fit_and_test, test
from heldout.losses import Losses
from heldout.schemes import SCHEMES, SchemeName
from heldout.shortcuts import Declined, support_vectors
from heldout.shortcuts.scheme_losses import (
    ExactLosses,
    accelerated,
    check_independent,
    fit_and_test_accelerated,
)
from heldout.shortcuts.support_vectors import SupportVectors

log = logging.getLogger("heldout")


def may_skip_fits(learner: Any, scheme: SchemeName, fits: int, *, keep: bool, use: UseShortcuts) -> bool:
    """Whether `learner` may need none of the `fits` of a scheme: several, whose hypotheses nobody has to `keep`.

    A learner that is updated once needs none where the hypotheses of a scheme share their updates, whatever `use`
    says: its refit is another learner.
    """
    if one_pass.is_updated_once(learner):
        return SCHEMES[scheme].updates_shared
    return use == "auto" and fits > 1 and not keep and not SCHEMES[scheme].repeats_rows and shortcuts.known(learner)


def share_work(learner: Any, scheme: SchemeName, use: UseShortcuts) -> bool:
    """Whether several fits of a scheme, made together, take less than each alone."""
    return use == "auto" and not SCHEMES[scheme].repeats_rows and support_vectors.known(learner)


@dataclass(frozen=True, eq=False)
class SchemeLosses:
    """The losses of each split of a scheme, and what each of its hypotheses, fitted or not, warned of.

    `training` are the losses of the half models on the rows that they were trained on; empty in other schemes. `terms`
    are those of metrics of a set, by the estimate.
    """

    losses: Sequence[Losses]
    training: Sequence[Losses]
    warned: Sequence[FitWarnings]
    terms: Mapping[str, Sequence[Losses]] = field(default_factory=dict)

    def first(self, count: int) -> "SchemeLosses":
        """Those of the first `count` splits."""
        return SchemeLosses(self.losses[:count], self.training[:count], self.warned[:count])


@dataclass(frozen=True, eq=False)
class FitResult:
    """What a fit leaves next to its hypothesis: the losses on the rows that it was tested on, shape (n_validation,).

    `training` are those on the rows that it was trained on, where the record asks for them; `warned` and `terms` as in
    `heldout.learners.fitting.Fitted`.
    """

    losses: Losses
    training: Losses | None = None
    warned: FitWarnings = ()
    terms: Mapping[str, Losses] = field(default_factory=dict)


def losses_without_fits(spec: ExactSpec, exact: Callable[[], ExactLosses] | None = None) -> SchemeLosses:
    """The losses of a scheme for a learner that may skip its fits, and what its updates warned of.

    `exact` gives what the schemes of a learner share, for a caller that asks for several. Raises Declined where the
    learner has to be fitted, and FitFailure for a learner that is updated once and fails.
    """
    losses: Sequence[Losses]
    training: Sequence[Losses] = ()
    warned: FitWarnings = ()
    if one_pass.is_updated_once(spec.learner.value):
        losses, warned = one_pass.shared_update_losses(spec)
    else:
        try:
            made = exact_losses(spec) if exact is None else exact()
            losses, training = made.on(spec.splits.value)
        except FitFailure as failure:  # a fit reports which one fails
            raise Declined(str(failure)) from failure
    return SchemeLosses(losses, training, [warned] * len(losses))


def exact_losses(spec: ExactSpec) -> ExactLosses:
    """What the schemes of a learner share. Raises Declined where the learner has to be fitted."""
    check_independent(spec.splits.value)
    rows = spec.rows.value
    return ExactLosses.of(spec.learner.value, rows.X, rows.y, spec.loss.value, spec.weights.value)


class Fits:
    """Some fits of one learner in a `scheme`: accelerated, as long as that gives the same fits and pays."""

    def __init__(self, first: FitSpec, scheme: SchemeName, fits: int, how: How) -> None:
        """`first` is the record of one of the `fits`, which have the same rows, learner and weights."""
        self._accelerated: SupportVectors | None = None
        learner, rows = first.learner.value, first.rows.value
        if share_work(learner, scheme, how.shortcuts):
            try:
                self._accelerated = accelerated(learner, rows.X, rows.y, first.weights.value, fits)
            except Declined as reason:
                self._decline(reason, learner)

    def make(self, spec: FitSpec) -> tuple[Any, FitResult]:
        """The hypothesis of a fit, and what it leaves. Raises FitFailure."""
        learner, rows, split, loss = spec.learner.value, spec.rows.value, spec.split.value, spec.loss.value
        fit = None
        if self._accelerated is not None:
            try:
                fit = fit_and_test_accelerated(self._accelerated, rows.y, loss, split, spec.state, own=spec.own)
            except Declined as reason:
                self._decline(reason, learner)
            else:
                if not self._accelerated.pays(fit[0].hypothesis):
                    self._accelerated = None
        if fit is None:
            made = fit_and_test(
                learner, rows.X, rows.y, split, loss, spec.state, spec.weights.value, spec.dependence.value
            )
            fit = made, test(made.hypothesis, rows.X, rows.y, split.train, loss) if spec.own else None
        fitted, training = fit
        terms = metric_terms(fitted.hypothesis, spec)
        return fitted.hypothesis, FitResult(fitted.losses, training, fitted.warned, terms)

    def _decline(self, reason: Declined, learner: Any) -> None:
        self._accelerated = None
        log.debug("fits are not accelerated: %s %s", type(learner).__name__, reason)
