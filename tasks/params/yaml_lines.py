"""params.yaml as it is written: its values, the line of each, and what --set changes."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from tasks.params import by_name, read_yaml
from tasks.runtime.errors import Place, UserError, masked, one_line

_MOST_ERRORS = 10
_MOST_LETTERS = 4_000_000  # of a file
_MOST_VALUES = 100_000  # aliases are short to write, and may stand for more values than fit in memory


class Written:
    """The values of one file, and for each value its line, or the --set that it comes from."""

    def __init__(self, path: Path, keys: Iterable[str]) -> None:
        """Read `path`. Raises UserError for a file that is not a YAML mapping, and for keys written twice."""
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
        self._root, value = _parse(path, text)
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
        """The file, and the line of the deepest part of `place` that is written in it; or --set."""
        for changed in reversed(self._overrides):
            shorter = min(len(changed), len(place))
            if shorter and changed[:shorter] == place[:shorter]:
                return f"{self.path}, --set"
        node, line = self._root, self._root.start_mark.line
        for part in place:
            below = _below(node, part)
            if below is None:
                break
            node, line = below
        return f"{self.path}, line {line + 1}"


def first_errors(lines: list[str]) -> str:
    """The first ten errors, one a line, and the number of the others."""
    more = [f"… and {len(lines) - _MOST_ERRORS} more"] if len(lines) > _MOST_ERRORS else []
    return "\n".join(lines[:_MOST_ERRORS] + more)


def _parse(path: Path, text: str) -> tuple[Any, Any]:
    """The root node, which knows its lines, and the value that it stands for."""
    try:
        loader = read_yaml.Loader(text)
        root = loader.get_single_node()
        if root is None:
            return None, None
        duplicates = [f"{path}, line {line}: {message}" for line, message in _duplicates(loader, root)]
        if duplicates:
            raise UserError(first_errors(duplicates))
        if _values(root, {}) > _MOST_VALUES:
            raise UserError(f"{path}: its aliases (*name) stand for more than {_MOST_VALUES} values; write fewer")
        return root, loader.construct_document(root)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = "" if mark is None else f", line {mark.line + 1}"
        raise UserError(f"{path}{line}: is not valid YAML: {one_line(str(error))}") from None
    except read_yaml.VALUE_ERRORS as error:
        raise UserError(f"{path}: is not valid YAML: {one_line(str(error))}") from None
    except RecursionError:
        raise UserError(f"{path}: is nested too deeply, or an alias (*name) is inside its own anchor") from None


def _duplicates(loader: Any, root: Any) -> Iterator[tuple[int, str]]:
    """The line and the message of each key that is written twice in its mapping."""
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            waiting += reversed(node.value)
        elif isinstance(node, yaml.MappingNode):
            first: dict[Any, int] = {}
            for key, _ in node.value:
                if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                    name, line = loader.construct_object(key), key.start_mark.line + 1
                    if name in first:
                        yield (
                            line,
                            f"{one_line(repr(name))} is written twice, first in line {first[name]}; remove one",
                        )
                    first.setdefault(name, line)
            waiting += reversed([value for _, value in node.value])


def _values(node: Any, known: dict[int, int]) -> int:
    """The number of values that a node stands for, each alias counted in full."""
    if id(node) in known:
        if not known[id(node)]:
            raise RecursionError
        return known[id(node)]
    known[id(node)] = 0  # being counted
    inner: list[Any] = []
    if isinstance(node, yaml.SequenceNode):
        inner = node.value
    elif isinstance(node, yaml.MappingNode):
        inner = [value for _, value in node.value]
    known[id(node)] = 1 + sum(_values(item, known) for item in inner)
    return known[id(node)]


def _below(node: Any, part: str | int) -> tuple[Any, int] | None:
    """The node at a key or index of `node`, and the line where it is written."""
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part], node.value[part].start_mark.line
    if isinstance(node, yaml.MappingNode):
        for key, value in reversed(node.value):  # merged keys (<<) come first
            if isinstance(key, yaml.ScalarNode) and key.value == str(part):
                return value, key.start_mark.line
        if isinstance(part, int) and part < len(node.value):  # a mapping that is read as a list
            key, value = node.value[part]
            return value, key.start_mark.line
    return None
