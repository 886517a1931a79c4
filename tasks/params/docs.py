"""What is made from the model of params.yaml: params.schema.json, docs/params.md, the comments of params.yaml."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tasks.params import by_name
from tasks.params.comments import with_comments
from tasks.params.settings import Settings

SCHEMA = Path("params.schema.json")
PAGE = Path("docs/params.md")
PARAMS = Path("params.yaml")
_HEAD = """\
# The keys of params.yaml

Made by `make docs` from the models in `tasks/params/`, like `params.schema.json`: an editor with a YAML language server
uses the schema to check the file while you type. A key that is left out has its default, one without a default is
required. Errors are reported before any fit, at most ten at once, with the file (and `--set`), the key, its value and
the allowed values.

"""
_TYPES = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "null": "null",
    "object": "mapping",
}


def schema() -> str:
    """The JSON schema, as the file holds it."""
    made = {"$schema": "https://json-schema.org/draft/2020-12/schema", **Settings.model_json_schema()}
    by_name.describe_each(made)
    return json.dumps(_without_titles(made), indent=2, ensure_ascii=False) + "\n"


def page() -> str:
    """docs/params.md: a line for each key, with what may stand there, its default and its meaning."""
    whole = json.loads(schema())
    lines = ["| key | values | default | meaning |", "|---|---|---|---|"]
    for key, place, required in _keys(whole, whole):
        none: dict[str, Any] | None = {} if "properties" in place else None
        default = "" if required else f"`{json.dumps(place.get('default', none), ensure_ascii=False)}`"
        cells = [f"`{key}`", _values(place, whole), default or "–", place.get("description", "")]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return _HEAD + "\n".join(lines) + "\n"


def commented(text: str) -> str:
    """The text of params.yaml with its comments made again; the comments inside `candidates` are written by hand."""
    whole = json.loads(schema())
    return with_comments(
        text,
        {
            key: place["description"]
            for key, place, _ in _keys(whole, whole)
            if "description" in place and "properties" not in place and not key.startswith("candidates")
        },
    )


def keys() -> list[str]:
    """Every key of the model, as a.b; those of a list's items as a[].b."""
    whole = json.loads(schema())
    return [key for key, _, _ in _keys(whole, whole)]


def write() -> None:
    """Write both files, and the comments of params.yaml."""
    SCHEMA.write_text(schema(), encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")
    PARAMS.write_text(commented(PARAMS.read_text(encoding="utf-8")), encoding="utf-8")


def _without_titles(node: Any) -> Any:
    """pydantic's titles are the keys again, with capitals."""
    if isinstance(node, list):
        return [_without_titles(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {name: _without_titles(item) for name, item in node.items() if name != "title" or isinstance(item, dict)}


def _keys(section: Any, whole: Any, prefix: str = "") -> Iterator[tuple[str, Any, bool]]:
    """Each key below a section, what the schema says of it, and whether it has to be written."""
    for name, place in section.get("properties", {}).items():
        yield f"{prefix}{name}", _resolved(place, whole), name in section.get("required", ())
        for inner in (place, *place.get("anyOf", ())):
            below = f"{prefix}{name}."
            if "items" in inner:
                inner, below = inner["items"], f"{prefix}{name}[]."
            yield from _keys(_resolved(inner, whole), whole, below)


def _resolved(place: Any, whole: Any) -> Any:
    if "$ref" not in place:
        return place
    found = whole
    for name in place["$ref"].removeprefix("#/").split("/"):
        found = found[name]
    return {**found, **{key: value for key, value in place.items() if key != "$ref"}}


def _values(place: Any, whole: Any) -> str:
    """What may stand at a place, in words."""
    if "anyOf" in place:
        return " or ".join(dict.fromkeys(_values(member, whole) for member in place["anyOf"]))
    if "$ref" in place:
        return _values(_resolved(place, whole), whole)
    if "enum" in place:
        return ", ".join(f"`{value}`" for value in place["enum"] if value is not False)
    if "const" in place:
        return f"`{place['const']}`"
    if isinstance(place.get("type"), list):
        return " or ".join(_values({**place, "type": kind}, whole) for kind in place["type"])
    if place.get("type") == "array":
        least = f" of at least {place['minItems']}" if place.get("minItems", 0) > 1 else ""
        return f"list{least}: {_values(place.get('items', {}), whole)}"
    if isinstance(place.get("additionalProperties"), dict):
        return f"mapping to {_values(place['additionalProperties'], whole)}"
    values = _TYPES.get(place.get("type", ""), "any value")
    limits = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    return values + ",".join(f" {sign} {place[limit]:g}" for limit, sign in limits.items() if limit in place)


if __name__ == "__main__":
    write()
