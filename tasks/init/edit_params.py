"""New values in a params.yaml, in place of the old values; its comments stay where they are.

ruamel.yaml keeps a comment with the value before it: a list that is replaced takes the comment of the next key along.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from tasks.params import read_yaml

KeyPath = tuple[str, ...]
_KEY = re.compile(r"(?P<indent> *)(?P<key>[A-Za-z_]\w*):(?P<rest>.*)")


@dataclass(frozen=True)
class Commented:
    """A value with a comment on its first line."""

    value: Any
    comment: str


@dataclass(frozen=True)
class CommentedItems:
    """A list whose items are followed by a comment each."""

    items: Sequence[tuple[Any, str]]


def fill(template: str, values: Mapping[KeyPath, Any]) -> str:
    """`template` with `values` at keys of one or two parts; a key that it lacks goes to the end of its section.

    A template that is not in block style, where a value would not be read at its key, is written again, without
    comments.
    """
    lines = template.splitlines()
    for path, value in values.items():
        lines = _with(lines, path, value)
    filled = "\n".join(lines) + "\n"
    wanted = read_yaml.read(template) or {}
    for path, value in values.items():
        section = wanted
        for part in path[:-1]:
            section[part] = section.get(part) or {}
            section = section[part]
        section[path[-1]] = plain(value)
    try:
        kept = read_yaml.read(filled) == wanted
    except yaml.YAMLError:
        kept = False
    return filled if kept else _dump(wanted)


def _with(lines: list[str], path: KeyPath, value: Any) -> list[str]:
    found = {key: (start, end) for key, start, end in _places(lines)}
    indent = "  " * (len(path) - 1)
    new = [indent + line for line in _dump({path[-1]: value}).splitlines()]
    if path in found:
        start, end = found[path]
        return lines[:start] + new + lines[end:]
    if len(path) == 1:
        return [*lines, "", *new]
    if path[:1] not in found:
        return [*lines, "", f"{path[0]}:", *new]
    inside = [end for key, _, end in _places(lines) if key[:1] == path[:1] and len(key) == 2]
    end = max(inside, default=found[path[:1]][0] + 1)
    return lines[:end] + new + lines[end:]


def _places(lines: Sequence[str]) -> Iterator[tuple[KeyPath, int, int]]:
    """Each key of one or two parts, the line where it starts, and the line after its value."""
    section = ""
    for start, line in enumerate(lines):
        match = _KEY.fullmatch(line)
        if match is None or len(match["indent"]) not in (0, 2):
            continue
        depth = len(match["indent"])
        if depth == 0:
            section = match["key"]
        yield ((section,) if depth == 0 else (section, match["key"])), start, _end(lines, start, depth)


def _end(lines: Sequence[str], start: int, depth: int) -> int:
    for place in range(start + 1, len(lines)):
        line = lines[place]
        deeper = line.startswith(" " * (depth + 1)) or line[depth:].startswith("- ")
        if not line.strip() or not deeper:
            return place
    return len(lines)


class _Dumper(read_yaml.Dumper):
    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        super().increase_indent(flow, False)  # items are indented below their key


def _string(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    """A string with line breaks on one line, escaped: an empty line would end the value for `_end`."""
    style = '"' if text and text.splitlines() != [text] else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style)


_Dumper.add_representer(str, _string)


def plain(value: Any) -> Any:
    """The value without its comments."""
    if isinstance(value, CommentedItems):
        return [item for item, _ in value.items]
    return value.value if isinstance(value, Commented) else value


def _dump(value: Mapping[str, Any]) -> str:
    if len(value) == 1:
        ((key, single),) = value.items()
        if isinstance(single, CommentedItems) and single.items:
            lines = [f"  {_with_comment(_dump_plain([item]), comment)}" for item, comment in single.items]
            return "\n".join([f"{key}:", *lines]) + "\n"
        if isinstance(single, Commented):
            return _with_comment(_dump_plain({key: single.value}), single.comment) + "\n"
    return _dump_plain({key: plain(item) for key, item in value.items()})


def _with_comment(text: str, comment: str) -> str:
    first, end, rest = text.rstrip("\n").partition("\n")
    return first + (f"  # {_printable(comment)}" if comment else "") + end + rest


def _dump_plain(value: Any) -> str:
    text: str = yaml.dump(
        value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=10**6, default_flow_style=False
    )
    return text


def _printable(comment: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in comment)
