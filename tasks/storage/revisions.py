"""Revisions of this repository: a commit of git, an experiment of DVC, or the files that are there now."""

import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from tasks.runtime.errors import UserError
from tasks.storage.dvc_commands import get

WORKSPACE = "workspace"  # as DVC calls the files that are there now


def commit_of(name: str) -> str | None:
    """The commit that a name means to git, or to DVC as the name of an experiment; None if there is none."""
    if name.startswith("-") or not name:
        return None
    said = _git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}") or _git(
        "for-each-ref", "--format=%(objectname)", f"refs/exps/*/*/{name}"
    )
    return said.split()[0] if said else None


@contextmanager
def files_at(name: str, paths: Sequence[Path]) -> Iterator[list[Path]]:
    """Copies of outputs as a revision has them, or the outputs themselves, for as long as they are read.

    Raises UserError where neither git, DVC's cache nor its remote has them.
    """
    if name == WORKSPACE:
        if missing := [path for path in paths if not path.exists()]:
            raise UserError(f"{missing[0]} is missing; run `dvc repro`, or `dvc checkout`")
        yield [*paths]
        return
    commit = commit_of(name) or name
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(len(paths)) as each:
        yield [*each.map(lambda path: get(path, commit, Path(folder) / path.name), paths)]


def settings_at(name: str) -> dict[str, Any]:
    """The values of params.yaml by their keys with dots, of a list by the names of its items."""
    params = Path("params.yaml")
    text = params.read_text(encoding="utf-8") if name == WORKSPACE else _git("show", f"{commit_of(name)}:./{params}")
    return dict(_flat(yaml.safe_load(text) or {}))


def _flat(value: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, list) and value and all(isinstance(one, Mapping) and "name" in one for one in value):
        value = {one["name"]: {key: of for key, of in one.items() if key != "name"} for one in value}
    if isinstance(value, Mapping) and value:
        for key, of in value.items():
            yield from _flat(of, f"{prefix}.{key}" if prefix else str(key))
    else:
        yield prefix, value


def _git(*arguments: str) -> str:
    """What git says; empty where it fails, or is not installed."""
    try:
        ran = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)  # noqa: S603, S607
    except OSError:
        return ""
    return ran.stdout if not ran.returncode else ""
