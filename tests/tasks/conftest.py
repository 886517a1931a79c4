"""Every test of tasks/ runs in a checkout of its own: a temporary folder, and an import path that is put back."""

import contextlib
import shutil
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.fits import executor
from tasks.params import load

SHIPPED = Path(__file__).parents[2] / "params.yaml"


@pytest.fixture(autouse=True)
def checkout(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])  # `load` adds the folder of the parameters
    return tmp_path


@pytest.fixture(scope="session")
def shipped():
    """The path of the parameters that the project ships."""
    return SHIPPED


@pytest.fixture(scope="session")
def settings_with():
    """The shipped parameters, with changes of the form a.b=c."""
    return lambda *changes: load(SHIPPED, changes)


def table_of_rows():
    x = np.random.default_rng(5).normal(size=60)
    return pd.DataFrame({"id": range(60), "x": x, "kind": ["won" if id % 3 == 0 else "lost" for id in range(60)]})


@pytest.fixture
def rows(checkout):
    """rows.csv: 60 rows numbered by `id`, a feature `x`, and in `kind` 40 times lost and 20 times won."""
    frame = table_of_rows()
    frame.to_csv("rows.csv", index=False)
    return frame


@pytest.fixture
def fresh_workers(checkout, settings_with):
    """The workers of the test, which start in its checkout, end with it."""
    yield
    executor.stop()


OF_ROWS = ["data.source=rows.csv", "data.target=kind", "data.positive=null", "data.labeled_rows=null"]


@pytest.fixture(scope="session")
def settings_of_rows(settings_with):
    """Settings for rows.csv without a test set, every label kept, 5 folds, 3 repeats; with changes."""
    base = [*OF_ROWS, "split.test_fraction=0", "split.folds=5", "covalidation.repeats=3"]
    return lambda *changes: settings_with(*base, *changes)


@pytest.fixture(scope="session")
def prepared_once(tmp_path_factory, settings_of_rows):
    """A folder with what `prepare` leaves for `rows`."""
    folder = tmp_path_factory.mktemp("prepared")
    with contextlib.chdir(folder):
        table_of_rows().to_csv("rows.csv", index=False)
        write_prepared(prepare(settings_of_rows()))
    return folder


@pytest.fixture
def prepared(rows, checkout, prepared_once, settings_of_rows):
    """data/prepared from rows.csv; returns settings for it, with changes that leave these files alone."""
    shutil.copytree(prepared_once, checkout, dirs_exist_ok=True)
    return settings_of_rows
