"""The simplest candidate within half a standard error of the best: between the minimum and one standard error."""

from heldout.selection.rules.rule import SelectionRule


def _largest(least, standard_error):
    return least + standard_error / 2


RULE = SelectionRule(
    "half_standard_error",
    "the first candidate within half a standard error of the least",
    needs_losses=True,
    largest=_largest,
)
