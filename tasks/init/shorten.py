"""Values of a shorter run, written into a file of parameters; its comments stay."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tasks.init import edit_params
from tasks.params import load
from tasks.runtime.errors import UserError


def shorten(path: Path, wanted: Mapping[str, Any]) -> Iterator[str]:
    """Write what the file has otherwise, and yield a line for each key.

    Raises UserError, with the file as it was, for values that do not go together with the others there.
    """
    now = load(path).model_dump()
    changes: dict[str, Any] = {}
    for key, value in wanted.items():
        before = now
        for part in key.split("."):
            before = before[part]
        after = {**(before or {}), **value} if isinstance(value, dict) else value
        if before != after and (key != "intervals" or value is not None):
            changes[key] = before, after
    values = {tuple(key.split(".")): after for key, (_, after) in changes.items()}
    text = edit_params.fill(path.read_text(encoding="utf-8"), values)
    trial = path.with_name(f".{path.name}.new")
    trial.write_text(text, encoding="utf-8")
    try:
        load(trial)
        trial.replace(path)
    except UserError as error:
        raise UserError(str(error).replace(str(trial), str(path))) from None
    finally:
        trial.unlink(missing_ok=True)
    for key, (before, after) in changes.items():
        yield f"wrote     {path.name}: {key}: {_shown(before)} -> {_shown(after)}"


def _shown(value: Any) -> str:
    return "null" if value is None else str(value)
