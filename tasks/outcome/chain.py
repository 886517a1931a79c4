"""A chain of entries, each with the hash of the one before: what was changed, taken out or moved is found.

Sources: S. Haber, W. S. Stornetta, How to time-stamp a digital document, Journal of Cryptology 3 (1991); the text that
is hashed is JSON in one form, as in RFC 8785 (keys sorted, no spaces, UTF-8).

A chain shows nothing against somebody who may write to it and makes all later entries again. Against this helps a
`Head` that was told to somebody else: an entry's hash holds for all entries before it.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from tasks.runtime.errors import UserError

FIRST = 1  # the number of the first entry
MOST_LETTERS = 6000  # of a stored entry: of a parameter of MLflow
_SHOWN = 16  # hexadecimal digits of a hash, where people read it


@dataclass(frozen=True)
class Head:
    """The number of an entry and the beginning of its hash: what others keep to know a chain again."""

    number: int
    hash: str

    @classmethod
    def parsed(cls, text: str) -> "Head":
        """From what `str` gave. Raises UserError for another text."""
        number, _, digits = text.strip().partition(" ")
        if not (number.isdigit() and len(digits) >= _SHOWN and {*digits} <= {*"0123456789abcdef"}):
            raise UserError(f"{text!r} is no head of a ledger; write its number and hash, as in '12 3f9a1c22b07d4e85'")
        return cls(int(number), digits)

    def __str__(self) -> str:
        return f"{self.number} {self.hash[:_SHOWN]}"


@dataclass(frozen=True)
class Entry:
    """One entry: what is `said`, of which `kind`, who said it when and by which version of heldout, in UTC.

    `before` is the hash of the entry before, empty for the first; by `draw` two equal entries differ.
    """

    number: int
    before: str
    time: str
    who: str
    version: str
    kind: str
    said: Mapping[str, Any]
    draw: str = ""
    hash: str = ""

    @property
    def head(self) -> Head:
        """What others keep of it."""
        return Head(self.number, self.hash)

    def text(self) -> str:
        """As it is stored."""
        return _canonical(asdict(self))

    @classmethod
    def parsed(cls, text: str) -> "Entry":
        """From what `text` gave. Raises ValueError for anything else."""
        try:
            found = cls(**json.loads(text))
        except (TypeError, RecursionError) as error:
            raise ValueError(str(error)) from None
        if found.text() != text:
            raise ValueError("not in the one form")
        return found

    def made_hash(self) -> str:
        """The hash of everything else in it."""
        values = asdict(self)
        del values["hash"]
        return hashlib.sha256(_canonical(values).encode()).hexdigest()


def following(last: Entry | None, entry: Entry) -> Entry:
    """`entry` as the one after `last`, or as the first. Raises ValueError if it cannot be stored."""
    number, before = (FIRST, "") if last is None else (last.number + 1, last.hash)
    placed = replace(entry, number=number, before=before)
    made = replace(placed, hash=placed.made_hash())
    if len(made.text()) > MOST_LETTERS:
        raise ValueError(f"an entry {made.kind!r} has {len(made.text())} letters; at most {MOST_LETTERS} are stored")
    return made


def faults(stored: Mapping[str, str]) -> Iterator[str]:
    """What is wrong with stored entries by their names, of which `name_of` gives that of each number."""
    last: Entry | None = None
    numbers = [int(name) for name in stored if name.isdigit()]
    for name in sorted({*stored} - {name_of(number) for number in numbers}):
        yield f"{name!r} is no name of an entry"
    for number in range(FIRST, max(numbers, default=0) + 1):
        text = stored.get(name_of(number))
        if text is None:
            yield f"entry {number} is missing"
            last = None
            continue
        try:
            entry = Entry.parsed(text)
        except ValueError as error:
            yield f"entry {number} cannot be read ({error})"
            last = None
            continue
        if entry.number != number:
            yield f"entry {entry.number} is at the place of entry {number}"
        if entry.hash != entry.made_hash():
            yield f"entry {number} ({entry.kind}, {entry.time}) was changed: its hash is another"
        if number == FIRST and entry.before:
            yield f"entry {number} names an entry before it"
        if last is not None and entry.before != last.hash:
            yield f"entry {number} ({entry.kind}, {entry.time}) does not follow entry {number - 1}: one was replaced"
        last = entry


def name_of(number: int) -> str:
    """The name under which an entry is stored: names sort as numbers do."""
    return f"{number:08d}"


def entries_of(stored: Mapping[str, str]) -> tuple[Entry, ...]:
    """The entries that can be read, in turn."""
    found = []
    for name in sorted(stored):
        try:
            found.append(Entry.parsed(stored[name]))
        except ValueError:  # which `faults` reports
            continue
    return tuple(found)


def does_not_hold(head: Head, entries: Sequence[Entry]) -> str:
    """Why the chain is not the one of which a head was kept; empty if it is."""
    found = next((entry for entry in entries if entry.number == head.number), None)
    if found is None:
        return f"entry {head.number} is not there"
    return "" if found.hash.startswith(head.hash) else f"entry {head.number} is another one"


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
