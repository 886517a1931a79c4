"""Files of the store, for as long as they are read."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tasks.runtime.environment import CACHE
from tasks.runtime.errors import UserError, one_line


@contextmanager
def downloads() -> Iterator[Path]:
    """A folder for them, which only its owner can read, and which is gone afterwards."""
    with tempfile.TemporaryDirectory(dir=CACHE, prefix="mlflow-") as folder:
        yield Path(folder)


def download(folder: Path, address: str) -> Path:
    """A file of the store, below `folder`. Raises UserError where it is missing."""
    from mlflow.artifacts import download_artifacts
    from mlflow.exceptions import MlflowException

    try:
        return Path(download_artifacts(address, dst_path=str(folder)))
    except (MlflowException, OSError) as error:
        raise UserError(f"{address} cannot be read ({one_line(str(error))})") from None
