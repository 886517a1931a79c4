"""A line that `init` prints about a table, by its first word; docs/operations.md lists the words."""

import json
import re
from collections.abc import Sequence

from tasks.storage.finding import Finding as Finding

_MOST_NAMES = 5  # in one line


def percent(share: float) -> str:
    """A share as people read it."""
    return f"{100 * share:.3g} %"


def known_before(columns: Sequence[str]) -> str:
    """The question whether columns are known before the label, and what to write in params.yaml if they are not."""
    asked = "is it known before the label?" if len(columns) == 1 else "are they known before the label?"
    if len(columns) > _MOST_NAMES:
        return f"{asked} If not, name them in data.known_after"
    return f"{asked} If not: data.known_after: [{', '.join(map(_in_a_list, columns))}]"


def _in_a_list(name: str) -> str:
    """A name as it is written in a list of params.yaml."""
    return name if re.fullmatch(r"[^\W\d]\w*", name) else json.dumps(name, ensure_ascii=False)
