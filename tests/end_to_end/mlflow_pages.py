"""MLflow's pages of a checkout, as `make ui` shows them."""

import contextlib
import signal
import subprocess
import time
from collections.abc import Iterator

from tasks.runtime import server

PORT = 5000
ADDRESS = f"http://127.0.0.1:{PORT}"


@contextlib.contextmanager
def pages_of_mlflow(checkout, *arguments: str, port: int = PORT) -> Iterator[subprocess.Popen]:
    """`make ui`'s program, until the tests are done with it."""
    command = ("python", "-m", "flows.ui", "--port", str(port), *arguments)
    process = checkout.start(*command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 300
        while not server.answers(f"http://127.0.0.1:{port}"):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.3)
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
