#!/usr/bin/env bash
# MLflow 3.17.2 with uvicorn 0.54.0 on Linux: the time of a call to a tracking server that does nothing else.
#
# Expected: `mlflow server` with its four workers answers a client no later than with one.
# Seen: each call of MLflow's own client takes 48 ms, and 5 ms with `--workers 1`. With several workers uvicorn binds
# the socket itself and leaves its protocol number at 0, so that asyncio does not set TCP_NODELAY, and the second part of
# an answer waits until the client has acknowledged the first (github.com/Kludex/uvicorn/issues/3149).
# What it would do to a user: a run that logs a thousand metrics one by one waits 40 s for nothing.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check 'mlflow==3.17.2' 'uvicorn==0.54.0'
cd "$work"
export PATH="$work/env/bin:$PATH" MLFLOW_DISABLE_TELEMETRY=true DO_NOT_TRACK=true
python - <<'PY'
import os
import socket
import subprocess
import time
import urllib.request

import mlflow


def milliseconds(name, *options):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    command = ["mlflow", "server", "--host", "127.0.0.1", "--port", port, "--backend-store-uri", f"sqlite:///{name}.db"]
    with open(f"{name}.log", "w") as log:
        server = subprocess.Popen([*command, *options], stdout=log, stderr=log, start_new_session=True)
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2)
                break
            except OSError:
                time.sleep(0.2)
        time.sleep(20)  # further workers start
        client = mlflow.MlflowClient(f"http://127.0.0.1:{port}")
        run = client.create_run("0").info.run_id
        took = []
        for _ in range(100):
            begun = time.perf_counter()
            client.get_run(run)
            took.append(1e3 * (time.perf_counter() - begun))
        return sorted(took)[len(took) // 4]  # a quarter of them: other work of the machine delays some
    finally:
        os.killpg(server.pid, 15)
        server.wait()


four, one = milliseconds("four"), milliseconds("one", "--workers", "1")
print(f"mlflow {mlflow.__version__}: a call takes {four:.1f} ms with four workers, {one:.1f} ms with one")
assert four - one > 30, "the behaviour has changed"
PY
