"""The table of schemes: a scheme is a list of splits, and its fits are the evidence of some estimates.

A new scheme is a name and a line here, and its seeds come from its name. A scheme that one estimate alone needs stands
in the file of the estimate (`Definition.own_schemes`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from heldout import seeds
from heldout.schemes import resampling

SchemeName = str  # a name in SCHEMES


@dataclass(frozen=True)
class Scheme:
    """What holds for every fit of a scheme.

    `fit_label` is the reader's name of one fit, or of `fits_per_unit` fits together. `forms` are the forms of delivery
    (`heldout.schemes.delivery`) that are made of the hypotheses. `draw` draws the splits of fits beyond the k folds.
    `updates_shared`: the hypotheses of an incremental learner share their updates. `repeats_rows`: a row may be trained
    on several times, which no shortcut knows.
    """

    fit_label: str
    forms: tuple[str, ...] = ()
    draw: Callable[..., resampling.Resampling] | None = None
    fits_per_unit: int = 1
    updates_shared: bool = False
    repeats_rows: bool = False


SCHEMES: dict[SchemeName, Scheme] = {
    "holdout": Scheme("hold-out"),
    # the final hypothesis is shown next to every form of delivery
    "final": Scheme("all rows", forms=("final", "k_fold", "progressive", "vote")),
    "cross_validation": Scheme("fold", forms=("k_fold", "vote"), updates_shared=True),
    "progressive": Scheme("block", forms=("progressive",), updates_shared=True),
    "covalidation": Scheme("repeat", fits_per_unit=2),
    "subsamples": Scheme("subsample", draw=resampling.subsamples),
    "repeated_folds": Scheme("further fold", draw=resampling.repeated_folds, updates_shared=True),
    "fold_pairs": Scheme("pair of folds", draw=resampling.fold_pairs),
    "copies_together": Scheme("fold with copies together", updates_shared=True),
    "copies_apart": Scheme("fold with copies apart", updates_shared=True),
}
OF_COPIES: tuple[SchemeName, ...] = ("copies_together", "copies_apart")
# the schemes whose place here is part of their seeds, half_subsamples of `studies.intervals` too: never reorder
_PLACES: tuple[SchemeName, ...] = (
    "holdout",
    "final",
    "cross_validation",
    "progressive",
    "covalidation",
    "subsamples",
    "repeated_folds",
    "half_subsamples",
    "fold_pairs",
    "copies_together",
    "copies_apart",
)


def label_of_fits(name: SchemeName, numbers: Sequence[int], fits: int) -> str:
    """What a person reads of some of the fits of a scheme: fold 3/10, repeats 1-10/30."""
    scheme = SCHEMES[name]
    if fits == 1:
        return scheme.fit_label
    each = scheme.fits_per_unit
    first, last, count = min(numbers) // each + 1, max(numbers) // each + 1, fits // each
    return f"{scheme.fit_label} {first}/{count}" if first == last else f"{scheme.fit_label}s {first}-{last}/{count}"


def fit_state(seed: int, scheme: SchemeName, number: int) -> int:
    """The `random_state` of a learner that leaves it open, in fit `number` of one scheme."""
    if scheme in _PLACES:
        return seeds.random_state(seed, "fit", _PLACES.index(scheme), number)
    return int(seeds.named(seed, scheme, number).generate_state(1)[0])
