"""The candidate with the least value."""

from heldout.selection.rules.rule import Compared, SelectionRule

_ROUNDING = 1e-12  # sums of the same errors in another order are a tie


def _admits(name: str, compared: Compared) -> bool:
    return compared.values[name] <= compared.values[compared.best] * (1 + _ROUNDING)


RULE = SelectionRule("minimum", "the least value, a tie goes to the first", needs_losses=False, admits=_admits)
