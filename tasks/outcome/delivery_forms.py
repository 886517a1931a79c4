"""The forms in which a winner can be shipped, and which estimate is about each."""

from collections.abc import Mapping
from dataclasses import dataclass

from heldout.cross_validation import TARGET as K_FOLD
from heldout.holdout import TARGET_FINAL
from heldout.progressive import TARGET as PROGRESSIVE
from tasks.params.settings import Deliver


@dataclass(frozen=True)
class Form:
    """One form of delivery: what it is, and which estimate is about it."""

    target: str
    about: str


FORMS: Mapping[Deliver, Form] = {
    "final": Form(
        TARGET_FINAL, "E_test alone is about it; E_val, E_cv and E_prog are about hypotheses trained on fewer rows"
    ),
    "k_fold": Form(K_FOLD, "E_cv is about exactly this hypothesis; E_val and E_prog only stand for it"),
    "progressive": Form(PROGRESSIVE, "E_prog is about exactly this hypothesis; E_val and E_cv only stand for it"),
    "vote": Form(
        "the vote of the k hypotheses",
        "E_test alone is about it; E_cv is about one of its members drawn at random, and only stands for their vote",
    ),
}
