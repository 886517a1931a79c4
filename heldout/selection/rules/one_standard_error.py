"""The one-standard-error rule: the simplest candidate that is as good as the best, up to the noise of its error.

Source: L. Breiman, J. Friedman, R. Olshen, C. Stone, Classification and regression trees (1984), section 3.4.3.
"""

from heldout.selection.rules.rule import SelectionRule, Values


def _largest(least: Values, standard_error: Values) -> Values:
    return least + standard_error


RULE = SelectionRule(
    "one_standard_error",
    "the first candidate within one standard error of the least",
    needs_losses=True,
    largest=_largest,
)
