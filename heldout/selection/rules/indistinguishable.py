"""The simplest candidate of the model confidence set (`heldout.selection.confidence_set`)."""

from heldout.selection.rules.rule import Compared, SelectionRule


def _admits(name: str, compared: Compared) -> bool:
    return name in compared.indistinguishable


RULE = SelectionRule(
    "indistinguishable",
    "the first of those that the data cannot tell from the best",
    needs_losses=True,
    admits=_admits,
)
