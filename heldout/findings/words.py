"""Words that several findings share: a share, and whether columns are known before the label."""

import json
import re
from collections.abc import Sequence

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


def leave_out(columns: Sequence[str]) -> str:
    """The same question where there is no params.yaml."""
    if len(columns) == 1:
        return "is it known before the label? If not, leave it out of X"
    return "are they known before the label? If not, leave them out of X"


def _in_a_list(name: str) -> str:
    """A name as it is written in a list of params.yaml."""
    return name if re.fullmatch(r"[^\W\d]\w*", name) else json.dumps(name, ensure_ascii=False)
