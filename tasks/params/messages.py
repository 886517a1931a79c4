"""What pydantic finds wrong with params.yaml, as people read it: key, value, what is allowed, what is nearest."""

import difflib
import re
import reprlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from heldout.errors import BadArgument
from tasks.runtime.errors import Misplaced, Place, dotted, masked, one_line

_ONE_OF_A_UNION = "input should be "
_COMPARED = 100  # letters of an unknown key


@dataclass(frozen=True)
class Problem:
    """One mistake: its place in the parameters, and what a user reads after the file and line."""

    place: Place
    text: str


def problems(error: ValidationError, model: type[BaseModel], raw: Any) -> list[Problem]:
    """One problem for each place, in the order of the model; a value that fits no member of a union is one problem."""
    by_place: dict[Place, list[Any]] = {}
    for problem in error.errors():
        by_place.setdefault(_place(problem, raw), []).append(problem)
    return [_explain(place, errors, model) for place, errors in by_place.items()]


def _place(problem: Any, raw: Any) -> Place:
    """The keys that lead to a problem: pydantic's location without the members of unions that it passed."""
    place: list[str | int] = []
    value = raw
    for number, part in enumerate(problem["loc"]):
        in_list = isinstance(value, list) and isinstance(part, int) and part < len(value)
        if in_list or (isinstance(value, dict) and part in value):
            value = value[part]
        elif problem["type"] != "missing" or number + 1 < len(problem["loc"]):
            continue
        place.append(part)
    return tuple(place)


def _explain(place: Place, errors: Sequence[Any], model: type[BaseModel]) -> Problem:
    kind, value = errors[0]["type"], errors[0]["input"]
    key = dotted(place)
    if kind == "value_error":
        return _of_validator(place, errors[0]["ctx"]["error"])
    if kind == "extra_forbidden":
        text = f"{key} is not known; did you mean {_nearest(key, model)}?"
    elif kind == "missing":
        text = f"{key} is missing; write it"
    elif kind == "none_required":
        text = f"{key} is {masked(_SHORT.repr(value))}, but is not offered yet; leave it out"
    else:
        text = f"{key} is {masked(_SHORT.repr(value))}: {_allowed(errors)}{_hint(errors, value)}"
    return Problem(place, one_line(text))


def _of_validator(place: Place, error: ValueError) -> Problem:
    """A problem that one of our validators found: its text follows the key."""
    if not isinstance(error, Misplaced):
        return Problem(place, one_line(f"{dotted(place)}: {error}"))
    key, text = dotted((*place, *error.key)), str(error)
    return Problem((*place, *error.place), one_line(f"{key}{text}" if text.startswith((":", ".")) else f"{key} {text}"))


def of_argument(error: BadArgument, place: Place = (), key: Place | None = None) -> Misplaced:
    """What heldout refuses, as a value of params.yaml: its message begins with the argument, which is at `key`."""
    return Misplaced(str(error).removeprefix(error.argument).removeprefix(" "), place, key)


def with_key(key: str, error: BadArgument) -> str:
    """The message of heldout with `key` in place of the argument; in front of a message that does not begin with it."""
    text = str(error)
    return re.sub(rf"^{error.argument}\b", key, text) if text.startswith(error.argument) else f"{key}: {text}"


def _allowed(errors: Sequence[Any]) -> str:
    """What may stand at a place: the messages of all members of a union, joined."""
    texts: list[str] = list(dict.fromkeys(error["msg"][0].lower() + error["msg"][1:] for error in errors))
    if not all(text.startswith(_ONE_OF_A_UNION) for text in texts):
        return texts[0]
    return _ONE_OF_A_UNION + " or ".join(text.removeprefix(_ONE_OF_A_UNION) for text in texts)


def _hint(errors: Sequence[Any], value: Any) -> str:
    """The allowed word that is most like the word written, if any is; how a number is written as text."""
    if [error["type"] for error in errors] == ["string_type"] and type(value) in (int, float):
        return f'; write it in quotes: "{value}"'
    words = [word for error in errors for word in re.findall(r"'([^']*)'", error.get("ctx", {}).get("expected", ""))]
    near = difflib.get_close_matches(value, words, n=1) if isinstance(value, str) else []
    return f"; did you mean {near[0]!r}?" if near else ""


def _nearest(key: str, model: type[BaseModel]) -> str:
    """The known key whose last part is most like that of `key`, its neighbours before others."""
    section, _, name = re.sub(r"\[\d+\]", "", key).rpartition(".")

    def likeness(known: str) -> float:
        other_section, _, other = known.rpartition(".")
        return difflib.SequenceMatcher(None, name[:_COMPARED], other).ratio() + 0.3 * (section == other_section)

    return max(_known_keys(model), key=likeness)


def _known_keys(model: type[BaseModel], prefix: str = "") -> list[str]:
    keys: list[str] = []
    for name, field in model.model_fields.items():
        section = _section(field.annotation)
        place = f"{prefix}{name}"
        keys += [place] if section is None else [place, *_known_keys(section, f"{place}.")]
    return keys


def _section(annotation: Any) -> Any:
    """The model inside an annotation: itself, or the model of a list's items; None for a plain value."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    inner = [section for item in getattr(annotation, "__args__", ()) if (section := _section(item))]
    return inner[0] if inner else None


class _Short(reprlib.Repr):
    """Values as they are written; a value that would fill the screen is shortened."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel, self.maxdict, self.maxlist, self.maxstring, self.maxother, self.maxlong = 4, 10, 20, 120, 80, 80


_SHORT = _Short()
