"""The table of schemes: a scheme is a list of splits, and its fits are the evidence of some estimates.

A new scheme is a name and a line here, at the end: the position of a scheme is part of every seed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

SchemeName = Literal[
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
]


@dataclass(frozen=True)
class Scheme:
    """What holds for every fit of a scheme.

    `fit_label` is the reader's name of one fit, or of `fits_per_unit` fits together. `stage` is the step of a
    validation that makes the fits, and `table` the table of that stage that holds their losses. `estimates` are the
    estimates whose target is the scheme's hypotheses, and `forms` the forms of delivery (`heldout.delivery`) that are
    made of the hypotheses. `evidence_field` is the field of `CrossValidated` that its losses fill, for fits beyond the
    k folds. `updates_shared`: the hypotheses of an incremental learner share their updates.
    """

    fit_label: str
    stage: str
    table: str = "losses"
    estimates: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()
    evidence_field: str | None = None
    fits_per_unit: int = 1
    updates_shared: bool = False


SCHEMES: Mapping[SchemeName, Scheme] = {
    "holdout": Scheme("hold-out", "holdout", estimates=("E_val",)),
    "final": Scheme(
        "all rows",
        "holdout",
        "in_sample",
        estimates=("E_in",),
        forms=("final", "k_fold", "progressive", "vote"),  # shown next to the other forms
    ),
    "cross_validation": Scheme(
        "fold",
        "cross_validation",
        estimates=("E_cv", "E_bbc", "E_nested"),
        forms=("k_fold", "vote"),
        updates_shared=True,
    ),
    "progressive": Scheme("block", "progressive", estimates=("E_prog",), forms=("progressive",), updates_shared=True),
    "covalidation": Scheme(
        "repeat",
        "covalidation",
        estimates=("E_2cv", "E_train", "disagreement", "E_dis", "E_maxdt"),
        fits_per_unit=2,
    ),
    "subsamples": Scheme("subsample", "cross_validation", "subsamples", evidence_field="subsample_errors"),
    "repeated_folds": Scheme(
        "further fold",
        "cross_validation",
        "repeated_folds",
        evidence_field="repeated_errors",
        updates_shared=True,
    ),
    "half_subsamples": Scheme(
        "subsample of a half", "cross_validation", "half_subsamples", evidence_field="half_errors"
    ),
    "fold_pairs": Scheme("pair of folds", "cross_validation", "fold_pairs", evidence_field="pair_losses"),
    "copies_together": Scheme("fold with copies together", "cross_validation", "copies_together", updates_shared=True),
    "copies_apart": Scheme("fold with copies apart", "cross_validation", "copies_apart", updates_shared=True),
}
# the four schemes whose losses are in losses.parquet: each is a stage
STAGES: tuple[SchemeName, ...] = tuple(name for name, scheme in SCHEMES.items() if scheme.stage == name)
# fits beyond the k folds, for the interval of E_cv or for nested selection
FURTHER: tuple[SchemeName, ...] = tuple(name for name, scheme in SCHEMES.items() if scheme.evidence_field is not None)
OF_COPIES: tuple[SchemeName, ...] = ("copies_together", "copies_apart")
SCHEME_OF: Mapping[str, SchemeName] = {
    estimate: name for name, scheme in SCHEMES.items() for estimate in scheme.estimates
}
