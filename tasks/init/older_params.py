"""A params.yaml of an older version with what this version adds: the user's lines, order and comments stay.

Nothing that the file names is imported: it is compared with the model of the parameters as text.
"""

import copy
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from heldout import intervals
from tasks.init.edit_params import KeyPath, fill, places
from tasks.params import docs, read_yaml
from tasks.params.comments import comment
from tasks.params.yaml_lines import Written, first_errors
from tasks.runtime.errors import UserError, one_line

_METHODS = "intervals"
_VALUES = ("candidates[]", "candidates.", "loss.")  # parts of one value, which `load` checks


@dataclass(frozen=True)
class Change:
    """One key that is `added` with the value which it has where it is not written, or `removed`."""

    kind: str
    key: str
    value: Any
    why: str = ""

    def __str__(self) -> str:
        text = f"{self.key}: {json.dumps(self.value, ensure_ascii=False)}"
        return f"{self.kind:10}{one_line(f'{text} ({self.why})' if self.why else text)}"


@dataclass(frozen=True)
class Migrated:
    """What the file becomes: `before` and `after` are its texts."""

    before: str
    after: str
    changes: tuple[Change, ...]

    @property
    def added(self) -> frozenset[str]:
        """The keys that are added."""
        return frozenset(change.key for change in self.changes if change.kind == "added")


def migrated(path: Path) -> Migrated:
    """The file at `path` as this version writes it.

    Raises UserError for a file that is no mapping or lacks what no version leaves out, for keys that no version knows,
    and for one that is not in block style, so that lines cannot be added to it.
    """
    known = {key: (place, required) for key, place, required in docs.described() if not key.startswith(_VALUES)}
    written = Written(path, ()).value
    _check_keys(path, written, known)
    text = path.read_bytes().decode("utf-8")
    end = "\r\n" if "\r\n" in text else "\n"
    lines, wanted = text.replace("\r\n", "\n").split("\n"), copy.deepcopy(written)
    changes = [*_left_methods(written)]
    for change in changes:
        lines = _without(lines, (_METHODS, change.key.partition(".")[2]))
        del wanted[_METHODS][change.key.partition(".")[2]]
    if changes and not wanted[_METHODS]:
        start, stop = _place(lines, (_METHODS,))
        lines, wanted[_METHODS] = [*lines[:start], f"{_METHODS}: null", *lines[stop:]], None
    order = [tuple(key.split(".")) for key, (place, _) in known.items() if not _is_around(key, known)]
    for key in order:
        if not _has(wanted, key):
            place, _ = known[".".join(key)]
            lines = _with(lines, key, place, order)
            _set(wanted, key, place["default"])
            changes.append(Change("added", ".".join(key), place["default"]))
    after = "\n".join(lines)
    if not changes:
        return Migrated(text, text, ())
    _check_written(path, after, wanted, changes)
    return Migrated(text, after.replace("\n", end), tuple(changes))


def _check_keys(path: Path, written: Mapping[Any, Any], known: Mapping[str, tuple[Any, bool]]) -> None:
    """Raise UserError for keys of which no version knows, and for those that each version needs."""
    wrong = []
    of_sections = {key.partition(".")[0] for key in known if "." in key}
    for section, inside in written.items():
        names = [f"{section}.{name}" for name in inside] if _is_section(section, inside, of_sections) else [section]
        wrong += [f"{path}: {one_line(str(name))} is not known; remove it" for name in names if name not in known]
    for key, (_, required) in known.items():
        if required and not _has(written, tuple(key.split("."))) and _has(written, tuple(key.split(".")[:-1])):
            wrong.append(f"{path}: {key} is missing; write it: no number has a default in the code")
    if wrong:
        raise UserError(first_errors(wrong))


def _is_section(name: Any, inside: Any, of_sections: set[str]) -> bool:
    return name in of_sections and isinstance(inside, Mapping)


def _left_methods(written: Mapping[Any, Any]) -> Iterator[Change]:
    """The interval methods that left the package."""
    chosen = written.get(_METHODS)
    for estimate, name in (chosen if isinstance(chosen, Mapping) else {}).items():
        if isinstance(name, str) and (left := intervals.retired(name)) is not None:
            why = f"it left the package, and the default takes its place; or write {left[1]}"
            yield Change("removed", f"{_METHODS}.{estimate}", name, why)


def _is_around(key: str, known: Iterable[str]) -> bool:
    """Whether the key is a section, with keys below it."""
    return any(other.startswith(f"{key}.") for other in known)


def _with(lines: Sequence[str], path: KeyPath, place: Mapping[str, Any], order: Sequence[KeyPath]) -> list[str]:
    """The lines with a key, under its comment: after the key that comes before it in the order."""
    indent = "  " * (len(path) - 1)
    value = fill("", {path[-1:]: place["default"]}).strip().splitlines()
    new = [*comment(place["description"], indent), *(indent + line for line in value)]
    found = {key: (start, end) for key, start, end in places(lines)}
    if len(path) == 2 and path[:1] in found:
        before = [key for key in order[: order.index(path)] if key[0] == path[0] and key in found]
        start = found[before[-1]][1] if before else found[path[:1]][0] + 1
        return [*lines[:start], *new, *lines[start:]]
    before = [key[:1] for key in order[: order.index(path)] if key[:1] in found]
    start = max((end for key, (_, end) in found.items() if before and key[0] == before[-1][0]), default=len(lines))
    header = [f"{path[0]}:"] if len(path) == 2 else []
    return [*lines[:start], "", *header, *new, *lines[start:]]


def _without(lines: Sequence[str], path: KeyPath) -> list[str]:
    start, end = _place(lines, path)
    return [*lines[:start], *lines[end:]]


def _place(lines: Sequence[str], path: KeyPath) -> tuple[int, int]:
    """The line where a key begins, and the line after its value; the end of the file for one that is not in a line."""
    return next(((start, end) for key, start, end in places(lines) if key == path), (len(lines), len(lines)))


def _has(written: Any, path: KeyPath) -> bool:
    for name in path:
        if not isinstance(written, Mapping) or name not in written:
            return False
        written = written[name]
    return True


def _set(written: dict[Any, Any], path: KeyPath, value: Any) -> None:
    for name in path[:-1]:
        written[name] = written.get(name) or {}
        written = written[name]
    written[path[-1]] = value


def _check_written(path: Path, text: str, wanted: Any, changes: Sequence[Change]) -> None:
    """Raise UserError if the text does not stand for the old values and the changes."""
    try:
        read = read_yaml.read(text)
    except yaml.YAMLError:
        read = None
    if read != wanted:
        lines = "; ".join(str(change) for change in changes)
        raise UserError(f"{path} is not written with a key a line, so do it by hand: {lines}")
