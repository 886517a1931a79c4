"""The start with a user's table: looked at, brought below data/raw, and params.yaml written; all of it or nothing."""

import itertools
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet
import yaml

from tasks.data import prepare_tables, read_source
from tasks.init import describe, edit_params, import_raw, profile, propose_params
from tasks.params import load, read_yaml
from tasks.runtime.errors import UserError

PARAMS = Path("params.yaml")
SHIPPED = Path(__file__).parents[2] / PARAMS
_MOST_NEIGHBOURS = 50


def start(source: str, target: str, unlabeled: str | None, here: Path) -> list[str]:
    """Write params.yaml for `source`, and return what was found, in lines; relative paths are seen from `here`.

    Raises UserError, with params.yaml and data/raw as they were.
    """
    given = [_seen_from(here, path) for path in (source, unlabeled) if path is not None]
    if unlabeled is not None and not Path(given[1]).exists():
        read_source.unlabeled_files(given[1])  # refuses what is neither a path nor a glob
    found = profile.look(read_source.read_table(given[0]), target)
    places = [import_raw.place(given[0])]
    places += [import_raw.place(path, places) for path in given[1:]]
    old = _template()
    refusals: list[UserError] = []
    for values in _attempts(propose_params.decide(found, places[0], places[1] if unlabeled is not None else None)):
        text = edit_params.fill(old, propose_params.named(values, read_yaml.read(old)))
        refusal = _refusal(text, given[0])
        if refusal is None:
            break
        refusals.append(refusal)
    else:
        raise refusals[0]
    with import_raw.brought(given, places):
        kept = _replace(text)
    lines = list(describe.lines(found, values, Path(source).name))
    lines += [f"plan      changed, since `prepare` refuses the first one: {refusal}" for refusal in refusals[:1]]
    lines += [f"beside    {name} has the same columns, and is not used" for name in _alike(given[0])]
    before = f"; the one before it is {kept}" if kept else ""
    return [*lines, f"wrote     {PARAMS}, for {places[0]}{before}", "next      dvc repro"]


def _seen_from(here: Path, path: str) -> str:
    return os.path.normpath(here / path) if import_raw.is_path(path) else path


def _template() -> str:
    """The params.yaml of the current folder; the one that came with the code where there is none."""
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
    raise UserError(f"there is no {PARAMS}, here or beside the code; `git checkout {PARAMS}` brings it back")


def _attempts(values: Mapping[edit_params.KeyPath, Any]) -> Iterator[Mapping[edit_params.KeyPath, Any]]:
    """What was decided; should `prepare` refuse it, without what it may refuse."""
    loose: dict[edit_params.KeyPath, Any] = {
        ("split", "stratify"): False,
        ("split", "folds"): min(5, values[("split", "folds")]),
    }
    unordered: dict[edit_params.KeyPath, Any] = {("data", "time"): None}
    yield from (values, {**values, **loose}, {**values, **unordered}, {**values, **loose, **unordered})


def _refusal(text: str, source: str) -> UserError | None:
    """What `prepare` has against these parameters, the table read from where it lies now."""
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


def _replace(text: str) -> Path | None:
    """Write params.yaml in one step, and return where the one before it is kept."""
    kept = None
    if PARAMS.exists():
        if PARAMS.read_text(encoding="utf-8") == text:
            return None
        numbers = itertools.chain([""], (f".{number}" for number in itertools.count(2)))
        kept = next(path for number in numbers if not (path := Path(f"{PARAMS}.old{number}")).exists())
        shutil.copy2(PARAMS, kept)
    fresh = PARAMS.with_name(f".{PARAMS.name}.new")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(PARAMS)
    return kept


def _alike(source: str) -> Iterator[str]:
    """Files beside `source` with the same columns."""
    path = Path(source)
    if not import_raw.is_path(source) or not path.is_file():
        return
    header = _header(path)
    for other in sorted(path.parent.glob("*"))[:_MOST_NEIGHBOURS]:
        if other != path and other.is_file() and header and _header(other) == header:
            yield other.name


def _header(path: Path) -> list[str]:
    try:
        if path.suffix == ".parquet":
            return list(pyarrow.parquet.read_schema(path).names)
        return list(map(str, pd.read_csv(path, nrows=0).columns)) if path.name.endswith((".csv", ".csv.gz")) else []
    except (ValueError, OSError):
        return []
