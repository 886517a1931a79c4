"""Empty databases of Prefect and MLflow: seconds of migrations for the first of this user, a copy for all others."""

import asyncio
import contextlib
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

from heldout.running.private_files import private_opener
from heldout.running.secret import user_folder


def begin(database: Path, name: str, make: Callable[[], None], *, private: bool = False) -> None:
    """Make a database that is missing: a copy of the empty one that this user's folder has under a name.

    The first is made by `make` and kept there, and so is each one where that folder cannot be used. Nobody else may
    enter the folder, since a database says what its program runs. A `private` one is for this user alone, too.
    """
    with contextlib.suppress(OSError, sqlite3.Error):
        kept = user_folder() / name
        if kept.exists():
            _copy(kept, database, private=private)
            return
    make()
    with contextlib.suppress(OSError, sqlite3.Error):
        _copy(database, user_folder() / name, private=True)


def prepare() -> None:
    """Make the database of this process's server, where it is a SQLite file that is missing.

    The server's own start brings any database up to date, so that a copy which cannot be made costs time alone.
    """
    import prefect
    from prefect.server.database import provide_database_interface
    from prefect.settings import PREFECT_API_DATABASE_CONNECTION_URL
    from sqlalchemy.engine import make_url

    url = make_url(PREFECT_API_DATABASE_CONNECTION_URL.value())
    if url.get_backend_name() != "sqlite" or not url.database or url.database == ":memory:":
        return
    database = Path(url.database)
    if database.exists():
        return
    with contextlib.suppress(OSError, sqlite3.Error):
        database.parent.mkdir(parents=True, exist_ok=True)
        begin(
            database,
            f"prefect-{prefect.__version__}.db",
            lambda: asyncio.run(provide_database_interface().create_db()),
            private=True,
        )


def _copy(source: Path, to: Path, *, private: bool) -> None:
    """Copy a database that nobody uses; it appears complete."""
    draft = to.with_name(f"{to.name}.{os.getpid()}")
    try:
        with contextlib.closing(sqlite3.connect(source)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with source.open("rb") as file, open(draft, "wb", opener=private_opener if private else None) as copy:
            shutil.copyfileobj(file, copy)
        draft.replace(to)
    finally:
        draft.unlink(missing_ok=True)
