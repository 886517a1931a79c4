"""Sentences next to their names, in lines of a width."""

import textwrap
from collections.abc import Iterator, Mapping

from heldout.printable import printable

_WIDEST_LABEL, _LEAST_TEXT = 16, 30


def labelled_lines(texts: Mapping[str, str], width: int) -> Iterator[tuple[str, str]]:
    """Each text next to its name, in lines of a label and what follows it; a long name has a line of its own."""
    names = [printable(name) for name in texts]
    indent = 2 + max(len(name) for name in names if len(name) <= _WIDEST_LABEL)
    for name, text in zip(names, texts.values(), strict=True):
        wrapped = textwrap.wrap(
            printable(text), max(width - indent, _LEAST_TEXT), break_long_words=False, break_on_hyphens=False
        )
        if len(name) > _WIDEST_LABEL:
            yield name, ""
        else:
            yield name.ljust(indent), wrapped.pop(0) if wrapped else ""
        for line in wrapped:
            yield "", " " * indent + line
