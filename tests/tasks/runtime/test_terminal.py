"""Output in a terminal that knows ASCII alone."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = "from tasks.runtime.terminal import write_everywhere; write_everywhere(); print('0.2–4.5 … “é”')"


@pytest.mark.fault("environment")
@pytest.mark.parametrize(("encoding", "shown"), [("ascii", '0.2-4.5 ... "?"'), ("utf-8", "0.2–4.5 … “é”")])
def test_every_text_is_written_with_the_letters_that_there_are(encoding, shown):
    own = {"PYTHONIOENCODING": encoding, "PYTHONPATH": str(Path(__file__).parents[3])}
    run = subprocess.run([sys.executable, "-c", PROGRAM], env=own, capture_output=True, check=True)
    assert shown == run.stdout.decode("utf-8").strip()
