#!/usr/bin/env bash
# Prefect 3.9.1 on its default database, SQLite: how long a request takes that meets another writer.
#
# Expected: two runs that are recorded at once wait for each other some milliseconds; busy_timeout is a minute.
# Seen: with eight clients 17 of 345 answers are 503; a request takes 24 ms, and up to 33 s. A transaction of the API begins
# as deferred, reads, and is refused by SQLite when it writes after another one has written (SQLITE_BUSY_SNAPSHOT, for
# which no timeout counts). The server answers 503 without Retry-After and logs nothing; the client sleeps 2 seconds before
# it asks again, then 4, then 8.
# What it would do to a user: flows of a few seconds take 2 to 15 seconds more, at random, and no log says why. A proxy
# that adds `Retry-After: 0.1` to these answers is enough.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check 'prefect==3.9.1'
cd "$work"
export PATH="$work/env/bin:$PATH" PREFECT_HOME="$work/home" DO_NOT_TRACK=1 PREFECT_LOGGING_LEVEL=ERROR
cat >runs.py <<'PY'
import asyncio
import os
import socket
import subprocess
import time

with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = str(probe.getsockname()[1])
os.environ["PREFECT_API_URL"] = f"http://127.0.0.1:{port}/api"

import httpx
import prefect
from prefect import flow, task
from prefect.client.orchestration import get_client

statuses, slept = [], []


async def main():
    async with get_client() as client:
        send, sleep = httpx.AsyncClient.send, asyncio.sleep

        async def noted(self, request, *args, **kwargs):
            answer = await send(self, request, *args, **kwargs)
            statuses.append(answer.status_code)
            return answer

        httpx.AsyncClient.send = noted

        @flow
        def nothing():
            pass

        async def many(number):
            for place in range(20):
                begun = time.perf_counter()
                await client.create_flow_run(nothing, name=f"{number}-{place}")
                slept.append(time.perf_counter() - begun)

        for _ in range(10):
            await asyncio.gather(*[many(number) for number in range(8)])
            if statuses.count(503) > 2:
                break


command = ["prefect", "server", "start", "--host", "127.0.0.1", "--port", port]
with open("server.log", "w") as log:
    server = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
try:
    for _ in range(300):
        try:
            httpx.get(f"{os.environ['PREFECT_API_URL']}/health").raise_for_status()
            break
        except httpx.HTTPError:
            time.sleep(0.5)
    asyncio.run(main())
finally:
    os.killpg(server.pid, 15)
    server.wait()
took = sorted(slept)
print(
    f"prefect {prefect.__version__}: {statuses.count(503)} of {len(statuses)} answers were 503; "
    f"a request took {took[len(took) // 2]:.3f} s, the longest {took[-1]:.1f} s"
)
assert statuses.count(503) > 0 and took[-1] > 1.5, "the behaviour has changed"
PY
python runs.py
