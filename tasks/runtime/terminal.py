"""Output in a terminal that knows ASCII alone: letters that it lacks are written as the nearest that it has."""

import codecs
import io
import sys

_NEAREST = {
    "–": "-",
    "—": "-",
    "…": "...",
    "·": ".",
    "“": '"',
    "”": '"',
    "’": "'",
    "≤": "<=",
    "≥": ">=",
    "×": "x",
    "─": "-",
}


def write_everywhere() -> None:
    """Have standard output and error take every text."""
    codecs.register_error("nearest", _nearest)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="nearest")


def _nearest(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(_NEAREST.get(letter, "?") for letter in error.object[error.start : error.end]), error.end
