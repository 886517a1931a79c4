"""Links lead to the pages that are shown, and to the usual port without them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tasks.runtime import pages_address
from tasks.runtime.environment import CACHE


def test_without_pages_it_is_the_usual_port(checkout):
    assert "http://127.0.0.1:5000" == pages_address.current()


def test_the_last_process_that_shows_them_counts_and_one_that_died_does_not(checkout):
    pages_address.note("http://127.0.0.1:7411")
    assert "http://127.0.0.1:7411" == pages_address.current()
    said = "from tasks.runtime import pages_address as p; p.note('http://127.0.0.1:7412'); print(p.current())"
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    other = subprocess.run([sys.executable, "-c", said], env=here, capture_output=True, text=True, check=True)
    assert "http://127.0.0.1:7412" == other.stdout.strip()
    assert pages_address.USUAL == pages_address.current()


@pytest.mark.parametrize("left", [b"", b"7411", b"\xff", b"1:0.0 javascript:alert(1)"])
def test_a_note_that_says_nothing_is_none(checkout, left):
    CACHE.mkdir()
    (CACHE / "pages").write_bytes(left)
    assert pages_address.USUAL == pages_address.current()
