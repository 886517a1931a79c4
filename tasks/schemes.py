"""How the fits of each scheme are grouped into tasks, and how a person calls them."""

from collections.abc import Sequence
from dataclasses import dataclass

from heldout import shortcuts, updated
from heldout.design import Design
from heldout.records import Split
from heldout.seeds import SchemeName
from tasks.params import Candidate, Deliver, Settings

_FITS_A_TASK = 10
REPEATS_A_TASK = 10
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
    """A list of splits, how many fits make a task, and what is kept of a fit beside its losses."""

    name: SchemeName
    splits: Sequence[Split]
    fits_a_task: int
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
    fits_a_task = {
        "holdout": 1,
        "final": 1,
        "cross_validation": max(1, len(splits) // 100),
        "covalidation": 2 * REPEATS_A_TASK,
    }.get(name, _FITS_A_TASK)
    halves = name == "covalidation"
    return Scheme(name, splits, fits_a_task, keep=halves or deliver in _DELIVERED.get(name, ()), training=halves)


def further_schemes(design: Design) -> list[SchemeName]:
    """The schemes beyond the folds that intervals of E_cv, or nested selection, ask for."""
    own = ("final", "holdout", "cross_validation", "progressive", "covalidation")
    return [name for name in design.schemes() if name not in own]
