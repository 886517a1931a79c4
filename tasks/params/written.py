"""A file of parameters as it is written: its values, and what --set changes."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from tasks.params import by_name, read_yaml
from tasks.runtime.errors import Place, UserError, masked, one_line

_MOST_ERRORS = 10
_MOST_LETTERS = 4_000_000  # of a file


class Written:
    """The values of one file, and which of them come from --set."""

    def __init__(self, path: Path, keys: Iterable[str]) -> None:
        """Read `path`. Raises UserError for a file that is not a YAML mapping, with what the parser says."""
        self.path = path
        try:
            with path.open(encoding="utf-8") as file:
                text = file.read(_MOST_LETTERS + 1)
        except (OSError, ValueError) as error:
            raise UserError(
                f"{path}: cannot be read ({one_line(str(error))}); name a parameter file with --params"
            ) from None
        if len(text) > _MOST_LETTERS:
            raise UserError(f"{path}: has more than {_MOST_LETTERS} letters; write fewer")
        self._overrides: list[Place] = []
        try:
            value = read_yaml.read(text)
        except yaml.YAMLError as error:
            raise UserError(f"{path}: is not valid YAML: {one_line(str(error))}") from None
        if not isinstance(value, dict):
            raise UserError(f"{path}: must be a mapping with the keys {', '.join(keys)}")
        self.value: dict[Any, Any] = (
            {**value, by_name.KEY: by_name.listed(value[by_name.KEY])} if by_name.KEY in value else value
        )

    def override(self, text: str) -> None:
        """Set one key, written as a.b=c with c in YAML. Raises UserError for a text that sets nothing."""
        key, equals, written = text.partition("=")
        option = one_line(f"--set {masked(text)}")
        if not equals or not key:
            raise UserError(f"{option}: must have the form a.b=c, as in --set split.folds=5")
        *parents, last = key.split(".")
        node: Any = self.value
        place: list[str | int] = []
        try:
            for name in parents:
                if isinstance(node, dict) and node.get(name) is None:
                    node[name] = {}  # a key that is missing or null has nothing below it yet
                place.append(by_name.place(node, name))
                node = node[place[-1]]
            value = read_yaml.read(written)
            place.append(by_name.place(node, last))
            node[place[-1]] = by_name.listed(value) if place == [by_name.KEY] else value
        except yaml.YAMLError:
            raise UserError(f"{option}: {one_line(masked(repr(written)))} is not valid YAML") from None
        except (TypeError, AttributeError, ValueError, IndexError, RecursionError):
            raise UserError(
                f"{option}: there is nothing at {one_line('.'.join(parents) or key)} to set a key of"
            ) from None
        self._overrides.append(tuple(place))

    def where(self, place: Place) -> str:
        """The file, and --set if the value at `place`, a part of it or one around it comes from there."""
        for changed in self._overrides:
            shorter = min(len(changed), len(place))
            if shorter and changed[:shorter] == place[:shorter]:
                return f"{self.path}, --set"
        return str(self.path)


def first_errors(lines: list[str]) -> str:
    """The first ten errors, one a line, and the number of the others."""
    more = [f"… and {len(lines) - _MOST_ERRORS} more"] if len(lines) > _MOST_ERRORS else []
    return "\n".join(lines[:_MOST_ERRORS] + more)
