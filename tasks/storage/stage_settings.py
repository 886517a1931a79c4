"""The settings that each stage leaves next to its results, and the refusal of results of other settings.

A stage keeps the settings that dvc.yaml names for it and no others, so that its output changes only where DVC runs it
again; the hashes of the prepared files that it read, and of the user's modules that these settings reach.

Before all stages, DVC has the settings of each written below data/settings, on which the stage depends: defaults too.
"""

import functools
import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from heldout import extensions
from tasks.params import Settings
from tasks.runtime import own_code
from tasks.runtime.errors import UserError, masked
from tasks.storage import files
from tasks.storage.atomic import replacing

OF_DVC = Path("data/settings")
_PIPELINE = own_code.FOLDER / "dvc.yaml"
_META, _KEYS = "meta", "settings"  # where dvc.yaml names the keys of a stage
_NAME = "settings.json"
_OF = {"select": ("prepare", "fit"), "report": ("prepare", "fit", "select")}  # the stages whose results each reads
_FOLDERS = {"prepare": files.PREPARED, "fit": files.FITS, "select": files.REPORTS}
_MOST_SHOWN = 10  # differences
_LONGEST = 60  # letters of a value that is shown
_LEFT_OUT = object()


def place(stage: str) -> Path:
    """Where the record of a stage is, below its outputs."""
    return _FOLDERS[stage] / _NAME


def write(stage: str, settings: Settings) -> None:
    """Leave the record of a stage that has ended; the report is read by no other stage."""
    if stage != "report":
        files.write_text(place(stage), _in_json(_record(stage, settings)))


def write_for_dvc(settings: Settings) -> None:
    """Leave what each stage depends on: the settings that dvc.yaml names for it, in a file of its own."""
    with replacing(OF_DVC) as folder:
        for stage in _stages():
            (folder / f"{stage}.json").write_text(_in_json(_values(stage, settings)) + "\n", encoding="utf-8")


def forget(stage: str) -> None:
    """Remove the record of `select`, which is about to replace its files one by one; the others replace a folder."""
    if stage == "select":
        place(stage).unlink(missing_ok=True)


def check(stage: str, settings: Settings) -> None:
    """Raise UserError where `stage` would read results of other settings, or of other prepared rows."""
    found: dict[str, str] = {}
    for earlier in _OF.get(stage, ()):
        stored, here = files.read_json(place(earlier)), _record(earlier, settings)
        for key, now, then in _differences("", here["settings"], stored["settings"]):
            found.setdefault(key, f"{key} is {_shown(now)} here and {_shown(then)} there")
        if here.get("extensions") != stored.get("extensions"):
            found.setdefault(
                "extensions", f"the packages of extensions are not those that made {place(earlier).parent}"
            )
        now, then = (record.get("code", {}) for record in (here, stored))
        for module in sorted({name for name in {**now, **then} if now.get(name) != then.get(name)}):
            found.setdefault(
                module,
                f"the module {module} is not the one that made {place(earlier).parent}; where DVC runs the stages, it "
                "must be in their deps in dvc.yaml",
            )
        for path, digest in here["inputs"].items():
            if digest != stored["inputs"].get(path):
                found.setdefault(path, f"{path} is not the file from which {place(earlier).parent} was made")
    if found:
        lines = [*found.values()]
        more = [f"and {len(lines) - _MOST_SHOWN} more"] if len(lines) > _MOST_SHOWN else []
        raise UserError(
            f"{stage}: the results on disk are of other settings: {'; '.join([*lines[:_MOST_SHOWN], *more])}. Nothing "
            f"was written. Make them again with `dvc repro` or `{own_code.COMMAND} validate`, or give the settings "
            "that they were made with (--params, --set)"
        )


def made_with(stage: str, settings: Settings, *, any_rows: bool = False) -> bool:
    """Whether the results of a stage are there, and of these settings and rows; with `any_rows` of these settings."""
    if not place(stage).exists():
        return False
    stored, here = files.read_json(place(stage)), _record(stage, settings)
    if any_rows:
        stored, here = ({**record, "inputs": None} for record in (stored, here))
    return bool(stored == here)


def read_by_these_extensions() -> bool:
    """Whether the packages that add kinds of columns to this process are those that read the prepared rows."""
    here = extensions.identity(("heldout.column_kinds",))
    return {*here} <= {*files.read_json(place("prepare")).get("extensions", ())}


def _record(stage: str, settings: Settings) -> dict[str, Any]:
    """The settings of a stage and the hashes of what it reads of data/prepared, as JSON gives them back."""
    values = _values(stage, settings)
    read = [Path(dep) for dep in _stages()[stage]["deps"] if Path(dep).parent == files.PREPARED]
    record: dict[str, Any] = {"settings": values, "inputs": {str(path): _digest(path) for path in read}}
    if code := settings.own_code(of_candidates="candidates" in values):
        record["code"] = code
    if used := extensions.identity():
        record["extensions"] = used
    copied: dict[str, Any] = json.loads(json.dumps(record, default=str))
    return copied


def _values(stage: str, settings: Settings) -> dict[str, Any]:
    """The settings that dvc.yaml names for a stage, by their keys."""
    written = settings.model_dump()
    return {key: functools.reduce(dict.__getitem__, key.split("."), written) for key in _stages()[stage][_META][_KEYS]}


def _in_json(record: Mapping[str, Any]) -> str:
    return json.dumps(record, indent=1, ensure_ascii=False, default=str)


@functools.cache
def _stages() -> Any:
    """The stages of dvc.yaml that have settings."""
    stages = yaml.safe_load(_PIPELINE.read_text(encoding="utf-8"))["stages"]
    return {name: stage for name, stage in stages.items() if _KEYS in stage.get(_META, ())}


def _digest(path: Path) -> str:
    """The hash of a prepared file, or of all files of a folder."""
    if not files.existing(path).is_dir():
        return files.file_hash(path)
    inside = sorted(file for file in path.iterdir() if file.is_file())
    return hashlib.sha256("".join(f"{file.name} {files.file_hash(file)}\n" for file in inside).encode()).hexdigest()


def _differences(key: str, now: Any, then: Any) -> Iterator[tuple[str, Any, Any]]:
    """The innermost keys at which two values differ, with both; a candidate is found by its name."""
    if key == "candidates":
        now, then = ({candidate["name"]: candidate for candidate in side} for side in (now, then))
        if [*now] != [*then]:
            yield key, [*now], [*then]
        shared = [name for name in now if name in then]
        now, then = ({name: side[name] for name in shared} for side in (now, then))
    if isinstance(now, dict) and isinstance(then, dict):
        for name in {**now, **then}:
            inner = f"{key}.{name}".removeprefix(".")
            yield from _differences(inner, now.get(name, _LEFT_OUT), then.get(name, _LEFT_OUT))
    elif repr(now) != repr(then):  # a NaN is equal to itself here
        yield key, now, then


def _shown(value: Any) -> str:
    return "left out" if value is _LEFT_OUT else masked(json.dumps(value, ensure_ascii=False))[:_LONGEST]
