"""What `python -m flows` asks of DVC: the outputs of a run that DVC did not start, and the tables below data/raw."""

import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from tasks.params import Settings, load
from tasks.runtime import vouched_hosts
from tasks.runtime.errors import UserError, one_line
from tasks.runtime.own_code import COMMAND
from tasks.storage import stage_settings

# one file for all tables: git tracks it from the start, so `dvc exp run` takes it along before any commit
TABLES = Path("data/raw.dvc")
_COMMENT = f"""\
# The tables below data/raw that DVC has; `{COMMAND} init` adds them. Commit it together with params.yaml.
"""
# they decide how the numbers are computed and where they are reported, not the numbers
NO_PART_OF_RESULTS = {"execution", "operations", "tracking"}

log = logging.getLogger("heldout")

_ENDPOINTS = ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3")
# addresses that name no server of their own, and keys of a remote that do, or that name a file which may
_OF_A_PROVIDER = ("s3", "gs", "azure", "gdrive", "oss", "file", "remote")
_LEADS = ("endpointurl", "oss_endpoint", "account_name", "connection_string", "configpath")


def commit(settings: Settings) -> bool:
    """Commit the outputs and the changed tables with DVC if they are those of params.yaml; returns whether they are.

    So a clone gets the rows of the last night, as after `dvc repro`. Outputs of other parameters (--params, --set) stay
    uncommitted, and `dvc status` reports them.
    """
    if not Path(".dvc").is_dir():
        return False
    try:
        shipped = load("params.yaml").model_dump(exclude=NO_PART_OF_RESULTS)
    except UserError:  # it is wrong, or names other extensions than this run has: it did not make the outputs
        return False
    if settings.model_dump(exclude=NO_PART_OF_RESULTS) != shipped:
        return False
    stage_settings.write_for_dvc(settings)
    # most of what it imports is here already, unlike in a process of its own
    from dvc.repo import Repo  # type: ignore[import-untyped]

    logging.getLogger("dvc").setLevel(logging.CRITICAL)
    with Repo() as repo:
        # not all at once: DVC would write `TABLES` again, without its empty list
        for path in ("dvc.yaml", *_changed_tables(repo)):
            repo.commit(path, force=True)
    return True


def _changed_tables(repo: Any) -> Iterator[str]:
    """The .dvc files of data/raw with a table that has changed; not where another of its tables is missing."""
    for path in map(str, (TABLES, *sorted(TABLES.with_suffix("").glob("*.dvc")))):
        found = [one for one in repo.status([path]).get(path, ()) if isinstance(one, dict)]  # others are about the file
        changed = {name: how for one in found for name, how in one.get("changed outs", {}).items()}
        if missing := [name for name, how in changed.items() if how == "deleted"]:
            log.warning("%s is missing: DVC does not get the tables of %s; `dvc checkout %s`", missing[0], path, path)
        elif changed:
            yield path


def pointer(path: Path) -> Path:
    """The .dvc file that `dvc add` makes for `path`."""
    return path.with_name(f"{path.name}.dvc")


def has(path: Path) -> bool:
    """Whether DVC has the file or folder `path` of data/raw: in `TABLES`, or by a user's `dvc add`."""
    return pointer(path).exists() or _name(path) in {out["path"] for out in _outs()}


def track(paths: Sequence[Path]) -> None:
    """Store `paths`, files and folders directly below data/raw, in DVC, if DVC is in use.

    Raises UserError with DVC's message, and for another table of the list that is not there.
    """
    if not Path(".dvc").is_dir():
        return
    outs = _outs()
    outs += [{"path": _name(path)} for path in paths if not has(path)]
    missing = [name for out in outs if not (name := TABLES.parent / out["path"]).exists()]
    if missing:
        raise UserError(
            f"{TABLES} names {missing[0]}, which is missing; restore it with `dvc checkout` or `dvc pull`, or remove "
            f"its entry from {TABLES}"
        )
    TABLES.write_text(_COMMENT + yaml.safe_dump({"outs": outs}, sort_keys=False, allow_unicode=True), encoding="utf-8")
    files = [TABLES, *(file for path in paths if (file := pointer(path)).exists())]
    ran = _dvc("commit", "--force", "--quiet", *map(str, files))
    if ran.returncode:
        raise UserError(f"dvc commit {TABLES}: {' '.join(ran.stderr.split()) or 'failed'}")


def get(path: Path, revision: str, target: Path) -> Path:
    """Write the file that `path` was at a git revision to `target`, from git, DVC's cache or its remote.

    Raises UserError with DVC's message, and for a remote for which the user does not vouch.
    """
    _check_remotes(revision)
    ran = _dvc("get", "--quiet", f"--rev={revision}", f"--out={target}", ".", path.as_posix())
    if ran.returncode:
        reason = one_line(ran.stderr.partition("Having any troubles")[0]) or "dvc get failed"
        raise UserError(
            f"{path} of revision {revision!r} cannot be read: {reason}. Its outputs must be in DVC's cache or remote: "
            f"run `dvc repro` there, or `dvc pull`; git must have the revision"
        )
    return target


def _check_remotes(revision: str) -> None:
    """Raise UserError if a remote of the project leads to a server for which the user does not vouch.

    DVC reads the configuration of the revision and of this folder. The environment's logins would go to its remotes.
    """
    from dvc.config import Config  # type: ignore[import-untyped]

    known = Config(dvc_dir=".dvc", validate=False).files
    user = [text for level in ("system", "global", "local") for _, _, text in _servers(Path(known[level]))]
    own = [*user, *map(os.environ.get, _ENDPOINTS)]
    with tempfile.NamedTemporaryFile() as of_revision:
        git = ["git", "show", f"{revision}:./.dvc/config"]
        subprocess.run(git, stdout=of_revision, stderr=subprocess.DEVNULL, check=False)  # noqa: S603  # it may have none
        for name, key, text in (*_servers(Path(known["repo"])), *_servers(Path(of_revision.name))):
            vouched_hosts.check(
                f"{key} of the remote {name} in .dvc/config",
                text,
                own,
                remedy=f"write it into your own configuration: `dvc remote modify --local {name} {key} {text}`",
                gets="DVC would send it the logins of your environment",
            )


def _servers(config: Path) -> Iterator[tuple[str, str, str]]:
    """What leads to a server in a file of DVC's configuration: the name of the remote, the key and its text."""
    from dvc.config import Config

    for name, remote in Config.load_file(config)["remote"].items() if config.is_file() else ():
        for key, value in remote.items():
            scheme, _, place = str(value).partition("://")
            if key in _LEADS or (key == "url" and place and scheme not in _OF_A_PROVIDER):
                yield name, key, str(value)


def _outs() -> list[dict[str, Any]]:
    """The entries of `TABLES`."""
    read = yaml.safe_load(TABLES.read_text(encoding="utf-8")) if TABLES.exists() else None
    return list((read or {}).get("outs") or [])


def _name(path: Path) -> str:
    return path.relative_to(TABLES.parent).as_posix()


def _dvc(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603
        [sys.executable, "-m", "dvc", *arguments], capture_output=True, text=True, check=False
    )
