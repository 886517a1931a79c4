"""The simplest candidate of the confidence set (`heldout.selection.confidence_set`)."""

from heldout.selection.rules.rule import SelectionRule

RULE = SelectionRule(
    "indistinguishable",
    "the first of those that the data cannot tell from the best",
    needs_losses=True,
)
