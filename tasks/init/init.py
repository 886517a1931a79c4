"""The start with a user's table: profiled, copied below data/raw, params.yaml written; all of it or nothing."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet
import yaml

from tasks.data import file_formats, prepare_tables, read_source
from tasks.data.text_form import USUAL, TextForm
from tasks.init import describe, edit_params, find_form, import_raw, profile, propose_params
from tasks.init.fetch import fetched
from tasks.params import load, read_yaml
from tasks.runtime.environment import CACHE
from tasks.runtime.errors import UserError

PARAMS = Path("params.yaml")
SHIPPED = Path(__file__).parents[2] / PARAMS
_KEPT = Path("params.yaml.old")
_WRITTEN = CACHE / "init-params.yaml"  # the last file that init wrote, to recognise an edit
_MOST_NEIGHBOURS = 50


def initialize(source: str, target: str, unlabeled: str | None, here: Path, text: TextForm = USUAL) -> list[str]:
    """Write params.yaml for `source`, and return the findings as lines; relative paths start at `here`.

    `text` is how the user says that its text is written; what it leaves open is found, or refused if it must be known.
    Raises UserError, with params.yaml and data/raw as they were.
    """
    with ExitStack() as copies:
        paths = [copies.enter_context(fetched(path)) for path in (source, unlabeled) if path is not None]
        return _initialize([_absolute(here, path) for path in paths], target, text)


def _initialize(sources: list[str], target: str, text_form: TextForm) -> list[str]:
    unlabeled = sources[1] if len(sources) > 1 else None
    if unlabeled is not None and not Path(sources[1]).exists():
        read_source.unlabeled_files(sources[1])  # refuses what is neither a path nor a glob
    read = find_form.read(sources[0], text_form)
    profiled = profile.look(read.table, target, read.text)
    places = [import_raw.place(sources[0])]
    places += [import_raw.place(path, places) for path in sources[1:]]
    old = _template()
    refusals: list[UserError] = []
    proposed = propose_params.decide(profiled, places[0], places[1] if unlabeled is not None else None)
    for values in _attempts({**proposed, **{("data", key): value for key, value in asdict(read.text).items()}}):
        text = edit_params.fill(old, propose_params.named(values, read_yaml.read(old)))
        refusal = _refusal(text, sources[0])
        if refusal is None:
            break
        refusals.append(refusal)
    else:
        raise refusals[0]
    with import_raw.copied(sources, places):
        old_file = _replace(text)
    lines = [*read.lines, *describe.lines(profiled, values, Path(sources[0]).name)]
    lines += [f"plan      changed, since `prepare` refuses the first plan: {refusal}" for refusal in refusals[:1]]
    lines += [f"next to   {name} has the same columns, and is not used" for name in _alike(sources[0], read.text)]
    return [*lines, f"wrote     {PARAMS}, for {places[0]}{old_file}", "next      dvc repro"]


def _absolute(here: Path, path: str) -> str:
    return os.path.normpath(here / path) if import_raw.is_path(path) else path


def _template() -> str:
    """The params.yaml of the current folder; if there is none, the file that is shipped with the code."""
    for path in (PARAMS, SHIPPED):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            try:
                if isinstance(read_yaml.read(text), dict):
                    return text
            except yaml.YAMLError as error:
                raise UserError(
                    f"{path} is not valid YAML, so its comments and settings cannot be kept ({error}); move it away"
                ) from None
    raise UserError(f"there is no {PARAMS}, here or next to the code; `git checkout {PARAMS}` restores it")


def _attempts(values: Mapping[edit_params.KeyPath, Any]) -> Iterator[Mapping[edit_params.KeyPath, Any]]:
    """The proposed values; then, in case `prepare` refuses them, without what it may refuse."""
    loose: dict[edit_params.KeyPath, Any] = {
        ("split", "stratify"): False,
        ("split", "folds"): min(5, values[("split", "folds")]),
    }
    unordered: dict[edit_params.KeyPath, Any] = {("data", "time"): None}
    yield from (values, {**values, **loose}, {**values, **unordered}, {**values, **loose, **unordered})


def _refusal(text: str, source: str) -> UserError | None:
    """The error of `prepare` with these parameters, on the table in its present place."""
    trial = PARAMS.with_name(f".{PARAMS.name}.new")
    trial.write_text(text, encoding="utf-8")
    try:
        quoted = yaml.dump(source, Dumper=read_yaml.Dumper, width=10**6).splitlines()[0]
        prepare_tables.prepare(load(trial, [f"data.source={quoted}", "data.unlabeled=null"]))
    except UserError as error:
        return UserError(str(error).replace(f"{trial}: ", ""))
    finally:
        trial.unlink()
    return None


def _replace(text: str) -> str:
    """Write params.yaml in one step; returns a clause that says where the old file is, empty if none was replaced."""
    clause = ""
    if PARAMS.exists():
        old = PARAMS.read_bytes()
        if old == text.encode():
            return ""
        if _committed(PARAMS) == old:
            clause = "; the old file is in git"
        elif not _WRITTEN.exists() or _WRITTEN.read_bytes() != old:  # somebody has edited it
            shutil.copy2(PARAMS, _KEPT)
            clause = f"; the old file is {_KEPT}"
    _WRITTEN.parent.mkdir(exist_ok=True)
    for path in (_WRITTEN, PARAMS):
        fresh = path.with_name(f".{PARAMS.name}.new")
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(path)
    return clause


def _committed(path: Path) -> bytes | None:
    """The file in git's last commit, None if it is not there."""
    ran = subprocess.run(["git", "show", f"HEAD:./{path}"], capture_output=True, check=False)  # noqa: S603, S607
    return None if ran.returncode else ran.stdout


def _alike(source: str, text: TextForm) -> Iterator[str]:
    """Files next to `source` with the same columns."""
    path = Path(source)
    if not import_raw.is_path(source) or not path.is_file():
        return
    header = _header(path, text)
    for other in sorted(path.parent.glob("*"))[:_MOST_NEIGHBOURS]:
        if other != path and other.is_file() and header and _header(other, text) == header:
            yield other.name


def _header(path: Path, text: TextForm) -> list[str]:
    try:
        if path.suffix == ".parquet":
            return list(pyarrow.parquet.read_schema(path).names)
        if file_formats.is_text(path):
            with file_formats.open_unpacked(path) as file:
                return list(map(str, pd.read_csv(file, nrows=0, sep=file_formats.separator(path, text)).columns))
    except (ValueError, OSError):
        pass
    return []
