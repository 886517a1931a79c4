"""Keys that params.yaml lacks and dvc.yaml names: DVC would end a run with them, after all fits."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from tasks.params import read_yaml
from tasks.params.messages import Problem
from tasks.runtime.errors import dotted

_PARAMS, _STAGES = Path("params.yaml"), Path("dvc.yaml")


def of_stages(path: Path, written: Mapping[Any, Any]) -> list[str]:
    """The keys, as a.b, that dvc.yaml names and the parameters `written` in `path` lack.

    Of params.yaml of the present folder alone: DVC asks no other file for a key, so that its default holds there.
    """
    if path.resolve() != _PARAMS.resolve() or not _STAGES.is_file():
        return []
    try:
        stages = (read_yaml.read(_STAGES.read_text(encoding="utf-8")) or {}).get("stages") or {}
    except yaml.YAMLError:  # which DVC says
        return []
    named = dict.fromkeys(key for stage in stages.values() for key in stage.get("params", ()) if isinstance(key, str))
    return [key for key in named if not _has(written, key)]


def problems(missing: Sequence[str], known: Sequence[Problem]) -> list[Problem]:
    """A problem for each of the `missing` keys that is at no place of the `known` problems, nor below one."""
    told = [f"{dotted(one.place)}." for one in known]
    return [
        Problem(tuple(key.split(".")), f"{key} is missing; write it: a stage of dvc.yaml depends on it")
        for key in missing
        if not f"{key}.".startswith(tuple(told))
    ]


def _has(written: Any, key: str) -> bool:
    for name in key.split("."):
        if not isinstance(written, Mapping) or name not in written:
            return False
        written = written[name]
    return True
