"""MLflow's pages of a checkout, as `make ui` shows them."""

import contextlib
import signal
import subprocess
import time
import urllib.request
from collections.abc import Iterator


@contextlib.contextmanager
def pages_of_mlflow(checkout) -> Iterator[str]:
    """`make ui`'s program, until the tests are done with it; its address."""
    process = checkout.start("python", "-m", "flows.ui", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 90
        while True:
            try:
                urllib.request.urlopen("http://127.0.0.1:5000/health", timeout=2).close()
                break
            except OSError:
                assert process.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.3)
        yield "http://127.0.0.1:5000"
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
