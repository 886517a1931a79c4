"""The comments of params.yaml: above each key the words that the model describes it with."""

import re
import textwrap
from collections.abc import Mapping

WIDTH = 120
_KEY = re.compile(r"^( *)(\w+):")


def with_comments(text: str, described: Mapping[str, str]) -> str:
    """The text of params.yaml, with the comment above each key a.b of `described` written again from its description.

    The comments of other keys, items of lists, and lines for an editor (# yaml-language-server) stay as they are.
    """
    lines: list[str] = []
    parents: list[str] = []
    for line in text.splitlines():
        key = _KEY.match(line)
        if key:
            parents[len(key[1]) // 2 :] = [key[2]]
            description = described.get(".".join(parents))
            if description is not None:
                while lines and lines[-1].startswith(f"{key[1]}# ") and not lines[-1].startswith("# yaml-"):
                    lines.pop()
                lines += _comment(description, key[1])
        lines.append(line)
    return "\n".join(lines) + "\n"


def _comment(description: str, indent: str) -> list[str]:
    """The lines of the comment above a key."""
    start = f"{indent}# "
    return textwrap.wrap(
        description,
        WIDTH,
        initial_indent=start,
        subsequent_indent=start,
        break_long_words=False,
        break_on_hyphens=False,
    )
