"""Ten candidates' answers to a million rows in a file: `compare` next to polars reading it and taking ten means.

Each is a process of its own, with its imports; seconds are of the processor, and memory is the largest of the process
and of those that it started. Both take turns.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median

import numpy as np
import polars

from benchmarks.measured import Row, compared

_TIMES, _BAR = 3, 3.0
_MEANS = (
    "import polars, sys; table = polars.read_parquet(sys.argv[1]); "
    "print(table.select([(polars.col(f'm{j}') != polars.col('label')).mean().alias(f'm{j}') for j in range(10)]))"
)
_PEER = f"polars {version('polars')}"


def rows(scale: int) -> Iterator[Row]:
    """The rows of this work; sizes are divided by `scale`."""
    n = 1_000_000 // scale
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "answers.parquet"
        _write(path, n)
        names = [f"m{j}" for j in range(10)]
        ours = ["-m", "flows", "compare", str(path), "--answer", *names, "--label", "label", "--row", "none"]
        theirs = ["-c", _MEANS, str(path)]
        spent = [(_spent(ours), _spent(theirs)) for _ in range(_TIMES)]
    work = "python -m flows compare, 10 candidates in one Parquet file"
    for place, (what, peer) in enumerate((("processor time", "reading it and ten means"), ("peak memory", "the same"))):
        of_us, of_them = (median(one[side][place] for one in spent) for side in (0, 1))
        row = compared(f"{work}: {what}", n, f"{peer}, {_PEER}", of_us, of_them, bar=_BAR)
        yield row if place == 0 else Row(**{**vars(row), "unit": "of the peer's memory"})


def _write(path: Path, n: int) -> None:
    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, n)
    answers = {f"m{j}": np.where(rng.random(n) < 0.1 + 0.01 * j, 1 - label, label) for j in range(10)}
    polars.DataFrame({"label": label, **answers}).write_parquet(path)


def _spent(arguments: Sequence[str]) -> tuple[float, float]:
    """The seconds of the processor that a process and its children took, and its peak memory in GB."""
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL)  # noqa: S603
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, process.args)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1e6
