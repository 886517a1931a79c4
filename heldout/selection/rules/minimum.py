"""The candidate with the least value."""

from heldout.selection.rules.rule import SelectionRule, Values

_ROUNDING = 1e-12  # sums of the same errors in another order are a tie


def _largest(least: Values, standard_error: Values) -> Values:  # noqa: ARG001
    return least * (1 + _ROUNDING)


RULE = SelectionRule("minimum", "the least value, a tie goes to the first", needs_losses=False, largest=_largest)
