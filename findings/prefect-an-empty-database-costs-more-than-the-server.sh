#!/usr/bin/env bash
# prefect 3.9.1 (sqlalchemy 2.0.58): the first start of a server whose SQLite database does not exist.
#
# Expected: a file of a megabyte with empty tables is made in a moment.
# Seen: its migrations run one after the other, and take more of the processor than all else of the start together: 3 to
# 4 s, next to 2.4 s for the imports of Prefect and its server. On a database that is there the same call takes .1 s.
# `create_all` of its tables is no shorter way: it ends in an error, since one index is there twice.
# What it would do to a user: every temporary server of a test, a container or a fresh checkout pays it again, which a
# copy of an empty database does not.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check 'prefect==3.9.1' 'sqlalchemy==2.0.58'
cat >"$work/start.py" <<'PY'
import asyncio
import sys
import time

import prefect.server.api.server  # noqa: F401
from prefect.server.database import provide_database_interface

imports = time.process_time()
asyncio.run(provide_database_interface().create_db())
made = time.process_time() - imports
print(f"imports {imports:.2f} s, database {made:.2f} s of the processor", file=sys.stderr)
print(imports, made)
PY
export PREFECT_HOME="$work/home" PREFECT_SERVER_ANALYTICS_ENABLED=false PREFECT_LOGGING_LEVEL=CRITICAL
mkdir "$work/home"
cd "$work"
first=$(env/bin/python start.py)
second=$(env/bin/python start.py)
create_all=$(
  PREFECT_HOME="$work/other" env/bin/python - <<'PY'
import asyncio

from prefect.server.database import provide_database_interface


async def main() -> str:
    interface = provide_database_interface()
    engine = await interface.engine()
    async with engine.begin() as connection:
        try:
            await connection.run_sync(interface.Base.metadata.create_all)
        except Exception as error:  # what SQLAlchemy raises
            return type(error).__name__
    return "none"


print(asyncio.run(main()))
PY
)
env/bin/python - $first $second "$create_all" <<'PY'
import sys

imports, made, _, again = map(float, sys.argv[1:5])
print(f"create_all: {sys.argv[5]}", file=sys.stderr)
assert made > 0.8 * imports and again < 0.2 * made, "the behaviour has changed"
assert sys.argv[5] != "none", "create_all works now"
PY
