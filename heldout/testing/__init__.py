"""The contract tests of what other packages add (`heldout.extensions`), as functions that raise AssertionError.

heldout's own losses, intervals, … pass the same: its tests call the laws that are listed here. No pytest is needed.

    from heldout.testing import check_interval
    check_interval(METHOD)
"""

from heldout.testing.column_kinds import check_column_kind
from heldout.testing.estimates import check_estimate
from heldout.testing.intervals import check_interval
from heldout.testing.losses import check_loss
from heldout.testing.rules import check_rule
from heldout.testing.shortcuts import check_shortcut

__all__ = ["check_column_kind", "check_estimate", "check_interval", "check_loss", "check_rule", "check_shortcut"]
