"""MLflow's artifacts go to one folder of this checkout, to the server, or to the bucket that `tracking` names.

A store may name any place for the artifacts of a run, so that this is a list of what is allowed: a file that lands
among the code, or where DVC looks for stages, would be run.
"""

import re
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tasks.runtime.errors import UserError, one_line
from tasks.runtime.vouched_hosts import Server

_WRITE = ("log_artifact", "log_artifact_from_stream", "log_artifacts", "delete_artifacts")
_OF_MLFLOW = ("models", "runs")  # names for places that are checked in turn
_SERVERS = ("http", "https", "mlflow-artifacts")  # which get the login of the store
_roots: list[Path] = []  # these three are set by `keep_in`
_buckets: list[str] = []
_stores: list[str] = []
_reading: list[bool] = []  # by `read_no_others`


def keep_in(folder: Path, bucket: str | None, store: str = "") -> None:
    """Have MLflow write artifacts in this folder and this bucket alone, and ask no server for any but the `store`.

    Raises UserError without a driver for the bucket.
    """
    if bucket is not None and find_spec("boto3") is None:
        raise UserError(f"tracking.artifacts is {bucket}, which needs the extra s3: pip install '.[s3]'")
    _roots[:] = [folder.resolve()]
    _buckets[:] = [] if bucket is None else [bucket]
    _stores[:] = [store]
    _guard()


def read_no_others() -> None:
    """Have this process read artifacts from the same places alone: what it reads it shows to others."""
    _reading[:] = [True]


def check_bucket(bucket: str) -> None:
    """Raise UserError if the bucket does not answer."""
    from mlflow.store.artifact.artifact_repository_registry import get_artifact_repository

    try:
        get_artifact_repository(bucket).list_artifacts(".answers")
    except Exception as error:  # botocore's, or MLflow's
        raise UserError(
            f"tracking.artifacts is {bucket}, which cannot be read ({one_line(str(error))}); its address and keys are "
            "in AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        ) from None


def check_location(uri: str) -> None:
    """Raise UserError if the artifacts of an experiment lie in a place that is not allowed."""
    if (outside := _outside(uri)) and _is_local(uri):
        raise UserError(
            f"tracking.uri: its experiment keeps artifacts in {outside}, a folder of this machine that is not "
            f"{_roots[0]}, where runs of this checkout keep theirs; name a new tracking.experiment, and have a server "
            "keep them (mlflow server --artifacts-destination) if several checkouts share it"
        )
    for bucket in _buckets:
        if not _is_in(uri, bucket):
            raise UserError(
                f"tracking.artifacts is {bucket}, but the experiment keeps artifacts in {uri}, for good; name a new "
                "tracking.experiment"
            )
    if outside:
        raise UserError(
            f"tracking.uri: its experiment keeps artifacts in {outside}, which tracking.artifacts does not name; write "
            "it there if it is a bucket (s3://) that you trust, or name a new tracking.experiment"
        )


@cache
def _guard() -> None:
    """Replace what MLflow writes artifacts with; reading stays as it is, but for servers that are not the store."""
    from mlflow.store.artifact.artifact_repository_registry import _artifact_repository_registry as known

    made = known.get_registered_artifact_repositories()  # type: ignore[no-untyped-call]
    for scheme, make in [*made.items()]:
        if scheme not in _OF_MLFLOW:
            known.register(scheme, _guarded(make))  # type: ignore[no-untyped-call]


def _guarded(make: Any) -> Callable[..., Any]:
    def checked(uri: str, write: Callable[..., Any]) -> Callable[..., Any]:
        def write_inside(*arguments: Any, **more: Any) -> Any:
            _check(uri)
            return write(*arguments, **more)

        return write_inside

    def repository(uri: str, *arguments: Any, **more: Any) -> Any:
        if _reading or _is_of_stranger(uri):
            _check(uri)
        made = make(uri, *arguments, **more)
        for name in _WRITE:
            if hasattr(made, name):
                setattr(made, name, checked(made.artifact_uri, getattr(made, name)))
        return made

    return repository


def _check(uri: str) -> None:
    from mlflow.exceptions import MlflowException

    if outside := _outside(uri):
        raise MlflowException(
            f"the store names {outside} for artifacts, which is neither the folder of this checkout's artifacts nor in "
            "tracking.artifacts"
        )


def _outside(uri: str) -> str:
    """The place that a location names, if it is not allowed."""
    from mlflow.utils.file_utils import local_file_uri_to_path

    if uri.partition(":")[0] in _SERVERS:
        return uri if _is_of_stranger(uri) else ""
    if any(_is_in(uri, bucket) for bucket in _buckets):
        return ""
    if not _is_local(uri):
        return uri
    folder = Path(local_file_uri_to_path(uri)).resolve()  # type: ignore[no-untyped-call]
    return "" if any(folder.is_relative_to(root) for root in _roots) else str(folder)


def _is_of_stranger(uri: str) -> bool:
    """Whether a location is on a server that is not the store: it would be sent the store's login."""
    scheme, _, place = uri.partition("://")
    if scheme not in _SERVERS or not place:  # mlflow-artifacts:/ names no server
        return False
    return Server.of(re.sub("^mlflow-artifacts", _stores[0].partition(":")[0], uri)) != Server.of(_stores[0])


def _is_local(uri: str) -> bool:
    from mlflow.utils.uri import is_local_uri

    return bool(is_local_uri(uri))  # type: ignore[no-untyped-call]


def _is_in(uri: str, bucket: str) -> bool:
    return f"{uri.rstrip('/')}/".startswith(f"{bucket}/")
