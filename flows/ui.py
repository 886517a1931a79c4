"""`make ui`: the MLflow pages of the store that params.yaml names."""

import os
import sys

from tasks.params import load
from tasks.runtime import environment
from tasks.runtime.errors import UserError

HOST, PORT = "127.0.0.1", 5000


def main() -> int:
    """Replace this process by MLflow's server; returns only if there is nothing to start."""
    try:
        environment.enter()
        uri = load().tracking.uri
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if uri.startswith("http"):
        print(f"a server keeps the runs; open {uri}")
        return 0
    print(f"the runs: http://{HOST}:{PORT}", flush=True)
    command = [sys.executable, "-m", "mlflow", "ui", "--backend-store-uri", uri, "--host", HOST, "--port", str(PORT)]
    return os.execv(sys.executable, command)  # noqa: S606


if __name__ == "__main__":
    sys.exit(main())
