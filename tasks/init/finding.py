"""A line that `init` prints about a table, by its first word; docs/operations.md lists the words."""

from tasks.storage.finding import Finding as Finding


def percent(share: float) -> str:
    """A share as people read it."""
    return f"{100 * share:.3g} %"
