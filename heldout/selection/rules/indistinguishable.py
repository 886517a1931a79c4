"""The simplest candidate not shown to err more than that of least value (`heldout.selection.comparison`)."""

from heldout.selection.rules.rule import SelectionRule

RULE = SelectionRule(
    "indistinguishable",
    "the first that is not shown to err more than that of the least value",
    needs_losses=True,
)
