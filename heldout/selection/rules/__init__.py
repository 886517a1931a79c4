"""The rules that take one candidate by a criterion, a file a rule; `RULES` lists them by name."""

from collections.abc import Mapping
from importlib import import_module

from heldout import extensions
from heldout.selection.rules.rule import Compared, SelectionRule

__all__ = ["RULES", "Compared", "Rule", "SelectionRule"]

Rule = str  # a name in RULES
# a line a rule: the module of `heldout.selection.rules` that holds its RULE, in the order of messages and docs
_OWN: tuple[SelectionRule, ...] = tuple(
    import_module(f"heldout.selection.rules.{module}").RULE
    for module in (
        "minimum",
        "one_standard_error",
        "indistinguishable",
    )
)
_FROM_OUTSIDE = extensions.of("heldout.selection.rules", SelectionRule, _OWN)
RULES: Mapping[Rule, SelectionRule] = {rule.name: rule for rule in (*_OWN, *_FROM_OUTSIDE)}
