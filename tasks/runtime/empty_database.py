"""An empty database of Prefect: seconds of migrations for the first server of this user, and a copy for all others."""

import asyncio
import contextlib
import os
import shutil
import sqlite3
from pathlib import Path

from heldout.running.private_files import private_opener
from heldout.running.secret import user_folder


def prepare() -> None:
    """Make the database of this process's server, where it is a SQLite file that is missing.

    It begins as a copy of the one that the first server of this version of Prefect left, in a folder that only this
    user may enter, since a database says what Prefect runs. The server's own start brings any database up to date, so
    that a copy which cannot be made costs time alone.
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
        kept = user_folder() / f"prefect-{prefect.__version__}.db"
        if not kept.exists():
            database.parent.mkdir(parents=True, exist_ok=True)
            asyncio.run(provide_database_interface().create_db())
            _copy(database, kept)
        else:
            _copy(kept, database)


def _copy(source: Path, to: Path) -> None:
    """Copy a database that nobody uses; it appears complete."""
    draft = to.with_name(f"{to.name}.{os.getpid()}")
    try:
        with contextlib.closing(sqlite3.connect(source)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with source.open("rb") as file, open(draft, "wb", opener=private_opener) as copy:
            shutil.copyfileobj(file, copy)
        draft.replace(to)
    finally:
        draft.unlink(missing_ok=True)
