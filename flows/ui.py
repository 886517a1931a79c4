"""`make ui`: the MLflow pages of the store that params.yaml names."""

import sys

import uvicorn

from tasks.params import load
from tasks.runtime import environment
from tasks.runtime.errors import UserError, without_secrets
from tasks.track import pages

HOST, PORT = "127.0.0.1", 5000


def main() -> int:
    """Show the pages until Ctrl-C; returns the exit code."""
    try:
        environment.enter()
        settings = load()
        if settings.tracking.uri.startswith("http"):
            print(f"a server keeps the runs; open {without_secrets(settings.tracking.uri)}")
            return 0
        application = pages.application(settings)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"the runs: http://{HOST}:{PORT}", flush=True)
    uvicorn.run(application, host=HOST, port=PORT, log_level="warning")
    return 0


if __name__ == "__main__":
    sys.exit(main())
