"""A loss, an interval, a rule, an estimate and a shortcut for heldout: an example."""
