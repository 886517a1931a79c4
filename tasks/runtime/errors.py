"""Errors that the user can act on.

Exception
├── UserError       a mistake that the user can fix: message without traceback, exit code 2
│   ├── Held        the table lacks rows of the past: a person decides about it
│   └── Incomplete  all results are on disk: exit code 3
│       ├── NotSent      the tracking store was lost during the run
│       └── NotCompared  the champion gives no answers, so the winner could not be compared with it
└── ValueError
    └── Misplaced   one value of params.yaml, with the place where it is written
"""

import re

from heldout.printable import printable

Place = tuple[str | int, ...]
_MOST_CHARACTERS = 600
_ENDS = 450  # characters that stay at both ends of a line
_MOST_LINES = 20


class UserError(Exception):
    """What is wrong, where, which value, what is allowed, what to do; one line for each mistake.

    Every line can be printed, whatever a user's file puts into it; the middle of a long line is left out, and so are
    lines before the last where there are many, and a login in an address.
    """

    def __init__(self, text: str) -> None:
        lines = without_secrets(text).split("\n")
        if len(lines) > _MOST_LINES:
            lines = [*lines[: _MOST_LINES - 1], f"… and {len(lines) - _MOST_LINES} more", lines[-1]]
        super().__init__("\n".join(map(_readable, lines)))


class Held(UserError):
    """Rows of the past are not in the table as they were: no run uses it until it has them, or a person decides."""


class Incomplete(UserError):
    """All results are on disk, and what comes after them failed."""


class NotCompared(Incomplete):
    """The champion and the winner could not be compared: the champion stays until somebody does something."""


class NotSent(Incomplete):
    """The store was lost during the run: the results are complete, and it gets them when the run is run again."""


class Misplaced(ValueError):
    """What is wrong with a value of params.yaml; `place` are the keys that lead to it from the section checked.

    The text follows the key and does not repeat it, as in "is 3, but …". `key` is the key that it follows where that
    is not `place`.
    """

    def __init__(self, text: str, place: Place = (), key: Place | None = None) -> None:
        super().__init__(text)
        self.place = place
        self.key = place if key is None else key


def dotted(place: Place) -> str:
    """A place as people write it: candidates[0].params.C. A key that cannot be printed is escaped."""
    text = ""
    for part in place:
        name = part if str(part).isprintable() else repr(part)  # a message is one line
        text += f"[{part}]" if isinstance(part, int) and text else f".{name}"
    return text.removeprefix(".")


def masked(text: str) -> str:
    """The text up to the first address, which may contain a token or a password: https://…"""
    return re.sub(r"([\w+.-]+://).*", r"\1…", text, flags=re.DOTALL)


def without_login(url: str) -> str:
    """The address without the name and the password that it may contain."""
    return re.sub(r"//[^/]*@", "//", url)


def without_secrets(text: str) -> str:
    """The text without the names and passwords of the addresses in it: http://***@host?password=***."""
    text = re.sub(r"(\w://)[^/\s]+@", r"\1***@", text)
    return re.sub(r"([?&]\w*(?:password|token|secret)\w*=)[^&\s)'\"]+", r"\1***", text, flags=re.IGNORECASE)


def one_line(text: str) -> str:
    """The text as one printable line, cut after a limit."""
    text = printable(" ".join(text.split()))
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]} …"


def _readable(line: str) -> str:
    line = printable(line)
    return line if len(line) <= 2 * _ENDS else f"{line[:_ENDS]} … {line[-_ENDS:]}"
