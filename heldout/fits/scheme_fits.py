"""How the losses of a scheme are made: without fits of its own where that is exact, else fit by fit.

`heldout.validate` and the worker processes of a run both come here, so that a notebook and a run do the same work.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from heldout import shortcuts
from heldout.errors import FitFailure
from heldout.fits import one_pass
from heldout.fits.part_terms import NOT_UPDATED, part_terms
from heldout.learners.fit_warnings import FitWarnings
from heldout.learners.fitting import Fitted, fit_and_test, test
from heldout.losses import Losses
from heldout.parts.splits import Split
from heldout.schemes import SCHEMES, SchemeName
from heldout.schemes.design import Design
from heldout.shortcuts import Declined, support_vectors
from heldout.shortcuts.scheme_losses import ExactLosses, accelerated, fit_and_test_accelerated
from heldout.shortcuts.support_vectors import SupportVectors

UseShortcuts = Literal["auto", "off"]

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
    are those of losses of whole parts, by the estimate.
    """

    losses: Sequence[Losses]
    training: Sequence[Losses]
    warned: Sequence[FitWarnings]
    terms: Mapping[str, Sequence[Losses]] = field(default_factory=dict)

    def first(self, count: int) -> "SchemeLosses":
        """Those of the first `count` splits."""
        return SchemeLosses(self.losses[:count], self.training[:count], self.warned[:count])


def losses_without_fits(
    learner: Any,
    X: Any,
    design: Design,
    scheme: SchemeName,
    state: int,
    exact: Callable[[], ExactLosses] | None = None,
) -> SchemeLosses:
    """The losses of a scheme for a learner that may skip its fits, and what its updates warned of.

    X is an array, a data frame or a sparse matrix of shape (N, p); `state` is the seed of all updates. `exact` gives
    what its schemes share, for a caller that asks for several. Raises Declined where the learner has to be fitted, and
    FitFailure for a learner that is updated once and fails.
    """
    losses: Sequence[Losses]
    training: Sequence[Losses] = ()
    warned: FitWarnings = ()
    if one_pass.is_updated_once(learner):
        if asked := design.part_losses_in(scheme):
            raise FitFailure(f"{' and '.join(asked)}: {NOT_UPDATED}")
        losses, warned = one_pass.shared_update_losses(learner, X, design, scheme, state)
    else:
        try:
            made = ExactLosses.of(learner, X, design) if exact is None else exact()
            losses, training = made.of_scheme(scheme)
        except FitFailure as failure:  # a fit reports which one fails
            raise Declined(str(failure)) from failure
    return SchemeLosses(losses, training, [warned] * len(losses))


class Fits:
    """The fits of one learner in a scheme: accelerated, as long as that gives the same fits and pays."""

    def __init__(self, learner: Any, X: Any, design: Design, scheme: SchemeName, fits: int, use: UseShortcuts) -> None:
        self._learner, self._X, self._design, self._scheme = learner, X, design, scheme
        self._accelerated: SupportVectors | None = None
        if share_work(learner, scheme, use):
            try:
                self._accelerated = accelerated(learner, X, design, fits)
            except Declined as reason:
                self._decline(reason)

    def make(self, split: Split, state: int, *, training: bool) -> tuple[Fitted, Losses | None]:
        """One fit, tested, and if `training` its losses on the rows that it was trained on. Raises FitFailure."""
        X, design = self._X, self._design
        if self._accelerated is not None:
            try:
                fit = fit_and_test_accelerated(self._accelerated, design, split, state, training=training)
            except Declined as reason:
                self._decline(reason)
            else:
                if not self._accelerated.pays(fit[0].hypothesis):
                    self._accelerated = None
                return self._with_terms(fit[0], split), fit[1]
        fitted = fit_and_test(self._learner, X, design.y, split, design.loss, state, design.weights)
        fitted = self._with_terms(fitted, split)
        if not training:
            return fitted, None
        return fitted, test(fitted.hypothesis, X, design.y, split.train, design.loss)

    def _with_terms(self, fitted: Fitted, split: Split) -> Fitted:
        terms = part_terms(fitted.hypothesis, self._X, self._design, split, self._scheme)
        return replace(fitted, terms=terms) if terms else fitted

    def _decline(self, reason: Declined) -> None:
        self._accelerated = None
        log.debug("fits are not accelerated: %s %s", type(self._learner).__name__, reason)
