"""The forms in which a winner can be delivered: what answers a query, and which estimate is about it."""

from collections.abc import Mapping
from dataclasses import dataclass

from heldout.schemes.cross_validation import TARGET as K_FOLD
from heldout.schemes.holdout import TARGET_FINAL
from heldout.schemes.progressive import TARGET as PROGRESSIVE


@dataclass(frozen=True)
class Form:
    """One form of delivery: its target as in estimates.csv, what answers a query, and which estimate is about it.

    `untested` says the latter where there is no E_test.
    """

    target: str
    says: str
    about: str
    untested: str


FORMS: Mapping[str, Form] = {
    "final": Form(
        TARGET_FINAL,
        "the winner retrained on all rows",
        "E_test alone is about it; E_val, E_cv and E_prog are about hypotheses trained on fewer rows",
        "no estimate is about exactly it, because no test set was opened; E_val, E_cv and E_prog are about hypotheses "
        "trained on fewer rows",
    ),
    "k_fold": Form(
        K_FOLD,
        "one of the k hypotheses of cross-validation, drawn for each query",
        "E_cv is about exactly this hypothesis; E_val and E_prog only stand for it",
        "E_cv is about exactly this hypothesis; E_val and E_prog only stand for it",
    ),
    "progressive": Form(
        PROGRESSIVE,
        "one of the hypotheses along the steps, drawn for each query",
        "E_prog is about exactly this hypothesis; E_val and E_cv only stand for it",
        "E_prog is about exactly this hypothesis; E_val and E_cv only stand for it",
    ),
    "vote": Form(
        "the vote of the k hypotheses",
        "what most of the k hypotheses say, for numbers their mean",
        "E_test alone is about it; E_cv is about one of its members drawn at random, and only stands for their vote",
        "no estimate is about exactly it, because no test set was opened; E_cv is about one of its members drawn at "
        "random, and only stands for their vote",
    ),
}
