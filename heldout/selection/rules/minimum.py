"""The candidate with the least value."""

import numpy as np

from heldout.selection.rules.rule import SelectionRule, Values

_ROUNDING = 1e-12  # sums of the same errors in another order are a tie


def _largest(least: Values, standard_error: Values) -> Values:  # noqa: ARG001
    return least * (1 + np.sign(least) * _ROUNDING)  # of a profit the error is below 0


RULE = SelectionRule("minimum", "the least value, a tie goes to the first", needs_losses=False, largest=_largest)
