"""A loss, an interval, a rule, an estimate, a shortcut and a kind of columns for heldout: an example."""
