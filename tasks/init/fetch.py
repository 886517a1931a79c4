"""A table in an object store, fetched once by `init`; every run reads the copy."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tasks.data.file_formats import ENDINGS, NAMED_ENDINGS
from tasks.runtime.environment import CACHE
from tasks.runtime.errors import UserError, one_line

_STORES = {"s3": "s3fs", "gs": "gcsfs", "file": "fsspec"}  # the protocols, and the package that reads each


@contextmanager
def fetched(source: str) -> Iterator[str]:
    """The path of a copy of `source`, removed at the end; a source without a protocol is yielded as it is.

    Raises UserError for other protocols than s3, gs and file, a file that cannot be read, or a missing package.
    """
    protocol, mark, place = source.partition("://")
    if not mark:
        yield source
        return
    if protocol not in _STORES or "::" in source:
        allowed = ", ".join(f"{name}://" for name in _STORES)
        raise UserError(f"{source} is none of {allowed} and no path; download the file, and give its path")
    name = place.rsplit("/", 1)[-1]
    if not name.endswith(ENDINGS):
        raise UserError(f"{source} must end in {NAMED_ENDINGS}")
    import fsspec

    CACHE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        copy = Path(folder) / name
        try:
            with fsspec.open(source, "rb") as remote, copy.open("wb") as local:
                shutil.copyfileobj(remote, local)
        except ImportError:
            package = _STORES[protocol]
            raise UserError(
                f"{source}: {protocol}:// needs the package {package}, which is not installed: "
                f"`.venv/bin/uv pip install {package}`, or download the file"
            ) from None
        except Exception as error:  # each store has errors of its own
            raise UserError(f"{source} cannot be read: {one_line(str(error) or type(error).__name__)}") from None
        yield str(copy.absolute())
