"""Candidates are a mapping from names, by which DVC shows and sets single settings, or a list; read as a list."""

from typing import Any

from tasks.runtime.errors import UserError, one_line

KEY = "candidates"


def listed(candidates: Any) -> Any:
    """The list that a mapping from names stands for; anything else as it is. Raises UserError for a second name."""
    if not isinstance(candidates, dict):
        return candidates
    for name, each in candidates.items():
        if isinstance(each, dict) and "name" in each:
            raise UserError(
                f"{KEY}: {one_line(repr(name))} has the name {one_line(repr(each['name']))} too; leave the second out"
            )
    return [{"name": name, **each} if isinstance(each, dict) else each for name, each in candidates.items()]


def place(node: Any, name: str) -> str | int:
    """Where `name` leads to in a node: a key; in a list an item of this name, or else its number."""
    if not isinstance(node, list):
        return name
    names = [each.get("name") if isinstance(each, dict) else None for each in node]
    return names.index(name) if name in names else int(name)


def allow_both(schema: dict[str, Any]) -> None:
    """An editor allows both forms."""
    schema |= {"type": ["array", "object"], "minProperties": 1, "additionalProperties": {"type": "object"}}


def describe_each(whole: dict[str, Any]) -> None:
    """What stands below a name in the mapping is what an item of the list has, without the name."""
    item = whole["$defs"]["Candidate"]
    named = {key: of for key, of in item["properties"].items() if key != "name"}
    required = [key for key in item["required"] if key != "name"]
    of_each = {**item, "properties": named, "required": required}
    names = {key: item["properties"]["name"][key] for key in ("pattern", "minLength", "maxLength")}
    whole["properties"][KEY] |= {"additionalProperties": of_each, "propertyNames": names}
