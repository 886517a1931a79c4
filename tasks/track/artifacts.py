"""MLflow's artifacts on this disk stay below the checkout or next to the store, whatever folder a store names."""

from pathlib import Path
from typing import Any

from tasks.runtime.errors import UserError

_WRITE = ("log_artifact", "log_artifact_from_stream", "log_artifacts", "delete_artifacts")
_roots: list[Path] = []  # set by `keep_below`


def keep_below(*folders: Path) -> None:
    """Have MLflow write local files of artifacts below these folders alone."""
    from mlflow.exceptions import MlflowException
    from mlflow.store.artifact.artifact_repository_registry import _artifact_repository_registry as known
    from mlflow.store.artifact.local_artifact_repo import LocalArtifactRepository

    _roots[:] = [folder.resolve() for folder in folders]

    def guarded(method: str) -> Any:
        unguarded = getattr(LocalArtifactRepository, method)

        def write(repository: LocalArtifactRepository, *arguments: Any, **more: Any) -> Any:
            if outside := _outside(repository.artifact_uri):
                raise MlflowException(f"the store names the folder {outside} for artifacts, outside of this checkout")
            return unguarded(repository, *arguments, **more)

        return write

    inside = type("Inside", (LocalArtifactRepository,), {method: guarded(method) for method in _WRITE})
    for scheme in ("", "file"):
        known.register(scheme, inside)  # type: ignore[no-untyped-call]


def check_location(uri: str) -> None:
    """Raise UserError if the artifacts of an experiment would lie elsewhere on this disk."""
    if outside := _outside(uri):
        raise UserError(
            f"tracking.uri: its experiment keeps artifacts in {outside}, a folder of this machine outside of the "
            "checkout, where nothing is written; have the server keep them (mlflow server --artifacts-destination), "
            "and name a new tracking.experiment"
        )


def _outside(uri: str) -> Path | None:
    """The folder of this disk that a location names, if it is not below the roots."""
    from mlflow.utils.file_utils import local_file_uri_to_path
    from mlflow.utils.uri import is_local_uri

    if not is_local_uri(uri):  # type: ignore[no-untyped-call]
        return None
    folder = Path(local_file_uri_to_path(uri)).resolve()  # type: ignore[no-untyped-call]
    return None if any(folder.is_relative_to(root) for root in _roots) else folder
