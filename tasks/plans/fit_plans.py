"""The schemes of a run: how their fits are grouped into tasks, and the labels that people read."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from heldout.estimates import schemes_of
from heldout.fits.scheme_fits import may_skip_fits
from heldout.schemes import SCHEMES, SchemeName, label_of_fits
from heldout.schemes.design import Design
from heldout.splits.split import Split
from tasks.params import Candidate, Deliver, Settings


@dataclass(frozen=True, eq=False)
class FitPlan:
    """A list of splits, and what is kept of a fit next to its losses."""

    name: SchemeName
    splits: Sequence[Split]
    keep: bool  # the hypothesis is needed later
    training: bool  # and its losses on the rows that it was trained on
    terms: tuple[str, ...] = ()  # and those of metrics of a set, by the estimates

    def first(self, count: int) -> "FitPlan":
        """The first splits alone."""
        return replace(self, splits=self.splits[:count])

    def may_skip_fits(self, settings: Settings, candidate: Candidate) -> bool:
        """Whether a candidate may need no fits, as `heldout.fits.scheme_fits.may_skip_fits`."""
        fits, use = len(self.splits), settings.execution.shortcuts
        return may_skip_fits(candidate.learner(), self.name, fits, keep=self.keep or bool(self.terms), use=use)

    def seconds_a_fit(self, seconds_a_row: float | None) -> float | None:
        """The expected seconds of a fit, in proportion to the rows of the first split; None where they are unknown."""
        return None if seconds_a_row is None else seconds_a_row * self.splits[0].n_train

    def label(self, numbers: Sequence[int]) -> str:
        """What a person reads: fold 3/10, repeats 1-10/30."""
        return label_of_fits(self.name, numbers, len(self.splits))


def scheme(design: Design, name: SchemeName, deliver: Deliver) -> FitPlan:
    """The scheme called `name` over the rows of `design`."""
    splits = design.splits(name)
    keep = name in ("holdout", "covalidation") or deliver in SCHEMES[name].forms
    terms = tuple(design.set_metrics_in(name))
    return FitPlan(name, splits, keep=keep, training=name == "covalidation", terms=terms)


def further_schemes(design: Design) -> list[SchemeName]:
    """The schemes beyond the folds that intervals of E_cv, or estimates, ask for."""
    return [name for name in schemes_of(design) if SCHEMES[name].draw is not None]


def every_scheme(design: Design) -> list[SchemeName]:
    """All schemes of a run."""
    return ["holdout", "final", "cross_validation", *further_schemes(design), "progressive", "covalidation"]
