"""What each candidate is next to the winner by `selection.margin`, for selection.json."""

from typing import Any

from heldout.notebook.result import Validation
from heldout.selection.margin import WORDS
from tasks.params import Settings


def described(settings: Settings, validation: Validation) -> dict[str, Any]:
    """The entries of selection.json; none without a margin.

    By each word those against which it is said of the winner, the baseline too.
    """
    if settings.selection.margin is None:
        return {}
    differences = validation.differences(None, validation.compared_by)
    said = {word: [one.against for one in differences if one.by_margin == word] for word in WORDS}
    return {"margin": settings.selection.margin, "by_margin": said}
