"""A disk that is full while a file is written: one line with the file, and what was there before is as it was."""

import resource
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

from tasks.runtime import full_disk
from tasks.runtime.checkout_lock import checkout_lock
from tasks.runtime.errors import UserError
from tasks.storage import files, fit_cache, model_file

pytestmark = pytest.mark.fault("disk full")
LIMIT = 20_000  # bytes of a file: the system refuses the rest as it does on a full disk


@contextmanager
def full():
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def losses(rows: int) -> pd.DataFrame:
    loss = np.random.default_rng(0).random(rows)
    return pd.DataFrame({"candidate": "a", "scheme": "holdout", "unit": 0, "row": range(rows), "loss": loss})


def neighbours(rows: int) -> KNeighborsClassifier:
    return KNeighborsClassifier(1).fit(np.random.default_rng(0).random((rows, 2)), np.arange(rows) % 2)


def write_fits(table: pd.DataFrame) -> None:
    with files.writing_fits({"paths": table}, None) as folder:
        folder.mkdir()


WRITERS = {
    "reports/a.csv": lambda path, rows: files.write_csv(path, losses(rows)),
    "reports/a.json": lambda path, rows: files.write_json(path, losses(rows).to_dict("list")),
    "reports/report.html": lambda path, rows: files.write_text(path, "word " * 10 * rows),
    "data/results/losses.parquet": lambda _, rows: files.write_losses([losses(rows)]),
    "data/results/fits": lambda _, rows: write_fits(losses(rows)),
    "models/selected.skops": lambda path, rows: model_file.save(neighbours(rows), path),
    ".cache/tasks/ab/abc": lambda _, rows: fit_cache.store.save("abc", losses(rows)),
}


def tree() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(Path().rglob("*")) if path.is_file()}


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_the_old_file_and_is_told_with_its_name(name):
    Path(".cache").mkdir()
    WRITERS[name](Path(name), 10)
    before = tree()
    with full(), pytest.raises(UserError, match=f"^{name} could not be written: no space"):
        WRITERS[name](Path(name), 5000)
    assert before == tree()  # no draft either
    WRITERS[name](Path(name), 5000)
    assert before != tree()


def test_a_run_does_not_begin_without_space(monkeypatch):
    monkeypatch.setattr(full_disk, "_LEAST_BYTES", 1 << 62)
    with pytest.raises(UserError, match=rf"^\./: \d+ bytes are free .* needs {1 << 62}"), checkout_lock():
        pytest.fail("it began")
