"""The schemes of a run: how their fits are grouped into tasks, and how a person calls them."""

from collections.abc import Sequence
from dataclasses import dataclass

from heldout import shortcuts, updated
from heldout.design import Design
from heldout.records import Split
from heldout.seeds import SchemeName
from tasks.params import Candidate, Deliver, Settings

_SECONDS_A_TASK = 1.0  # of work: less would be lost in the telling, more would leave a worker idle at the end
_TASKS_A_SCHEME = 100  # about, for a candidate
_FITS_A_TASK = 10  # while nobody knows how long one takes
# whose hypotheses a form of delivery is made of
_DELIVERED: dict[SchemeName, tuple[Deliver, ...]] = {
    "final": ("final", "k_fold", "progressive", "vote"),  # shown beside the others
    "cross_validation": ("k_fold", "vote"),
    "progressive": ("progressive",),
}
# what one fit is called, and one of several; a repeat of co-validation has two fits
_CALLED: dict[SchemeName, str] = {
    "holdout": "hold-out",
    "final": "all rows",
    "cross_validation": "fold",
    "progressive": "block",
    "covalidation": "repeat",
    "subsamples": "subsample",
    "repeated_folds": "further fold",
    "half_subsamples": "subsample of a half",
    "fold_pairs": "pair of folds",
    "copies_together": "fold with copies together",
}


@dataclass(frozen=True, eq=False)
class Scheme:
    """A list of splits, and what is kept of a fit beside its losses."""

    name: SchemeName
    splits: Sequence[Split]
    keep: bool  # the hypothesis is needed later
    training: bool  # and its losses on the rows that it was trained on

    def spares(self, settings: Settings, candidate: Candidate) -> bool:
        """Whether the fits of a candidate may be spared: no hypothesis is needed later, and there are several.

        Those of a candidate that is updated always are where a scheme's hypotheses share their updates.
        """
        if candidate.update is not None:
            return self.name in updated.SCHEMES
        wanted = settings.execution.shortcuts == "auto" and len(self.splits) > 1 and not self.keep
        return wanted and shortcuts.known(candidate.learner())

    def seconds_a_fit(self, seconds_a_row: float | None) -> float | None:
        """What a fit is thought to take: in proportion to the rows of the first split; None where that is unknown."""
        return None if seconds_a_row is None else seconds_a_row * len(self.splits[0].train)

    def fits_a_task(self, seconds: float | None) -> int:
        """How many fits of so many seconds make a task."""
        least = len(self.splits) // _TASKS_A_SCHEME
        wanted = _FITS_A_TASK if seconds is None else round(_SECONDS_A_TASK / max(seconds, 1e-6))
        return max(1, least, wanted)

    def label(self, numbers: Sequence[int]) -> str:
        """What a person reads: fold 3/10, repeats 1-10/30."""
        called = _CALLED[self.name]
        if self.name in ("holdout", "final"):
            return called
        fits = 2 if self.name == "covalidation" else 1
        first, last, count = min(numbers) // fits + 1, max(numbers) // fits + 1, len(self.splits) // fits
        return f"{called} {first}/{count}" if first == last else f"{called}s {first}-{last}/{count}"


def scheme(design: Design, name: SchemeName, deliver: Deliver) -> Scheme:
    """The scheme called `name` over the rows of `design`."""
    splits = design.splits(name)
    halves = name == "covalidation"
    return Scheme(name, splits, keep=halves or deliver in _DELIVERED.get(name, ()), training=halves)


def further_schemes(design: Design) -> list[SchemeName]:
    """The schemes beyond the folds that intervals of E_cv, or nested selection, ask for."""
    own = ("final", "holdout", "cross_validation", "progressive", "covalidation")
    return [name for name in design.schemes() if name not in own]
