"""Whether params.yaml has the keys of this version: DVC asks in its own words, and after it removed outputs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tasks.params import read_yaml
from tasks.params.yaml_lines import Written
from tasks.runtime.errors import UserError, one_line
from tasks.runtime.own_code import COMMAND

PARAMS, STAGES = Path("params.yaml"), Path("dvc.yaml")
_SHOWN = 6


def check_current(params: str | Path = PARAMS) -> None:
    """Raise UserError if the checkout's params.yaml lacks a key that its dvc.yaml names, as a file of an older version.

    Nothing that the file names is imported. DVC asks no other file of parameters for a key: there its default holds.
    """
    if Path(params).resolve() != PARAMS.resolve():
        return
    missing = lacking(Written(PARAMS, ()).value, STAGES.read_text(encoding="utf-8"))
    if missing:
        more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
        raise UserError(
            f"{PARAMS} lacks {one_line(', '.join(missing[:_SHOWN]))}{more}, as a file of an older version does; "
            f"`{COMMAND} migrate` shows what this version changes, asks, and writes what is missing"
        )


def lacking(written: Mapping[Any, Any], stages: str) -> list[str]:
    """The keys, as a.b, that the text of a dvc.yaml names and the parameters do not have."""
    entries = read_yaml.read(stages)["stages"].values()
    named = dict.fromkeys(key for entry in entries for key in entry.get("params", ()))
    return [key for key in named if not _has(written, key)]


def _has(written: Any, key: str) -> bool:
    for name in key.split("."):
        if not isinstance(written, Mapping) or name not in written:
            return False
        written = written[name]
    return True
