"""What people look at, in a real browser: the MLflow pages; test_report_page.py has the report."""

import contextlib
import signal
import subprocess
import time
import urllib.request

import pytest

from tests.end_to_end.browser import CHROMIUM, page

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs the browser chromium on the PATH"),
]


@contextlib.contextmanager
def pages_of_mlflow(checkout):
    """`make ui`'s program, until the tests are done with it."""
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


def test_the_mlflow_pages_list_the_runs(reproduced, tmp_path):
    with pages_of_mlflow(reproduced) as address:
        seen = page(f"{address}/#/experiments/1/runs", tmp_path)
    assert "Training runs" in seen
    assert "labeled (" in seen  # the data set of the parent run, with its digest
