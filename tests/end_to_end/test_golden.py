"""The numbers of runs of many kinds are those of tests/golden, to 1e-9: whatever is rebuilt, numbers stay.

`HELDOUT_GOLDEN=FOLDER python -m pytest -m "slow or long" tests/end_to_end/test_golden.py` also copies what it finds
to a folder outside of the checkout, for a change that moves numbers on purpose: its commit says why.
"""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.golden.configurations import CONFIGURATIONS, OPENED, TABLES, WITHOUT_CHANGES

GOLDEN = Path(__file__).parents[1] / "golden"
FILES = ("estimates.csv", "differences.csv", "selection.json")
RTOL = 1e-9
FOR_CI = ("opened", "customers", "time")
KEPT = os.environ.get("HELDOUT_GOLDEN")  # before each test's environment is cleaned


def folder(name: str) -> str:
    """Of a configuration."""
    return name.lower().replace(" ", "_")


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(name, marks=[pytest.mark.slow, *([] if name in FOR_CI else [pytest.mark.long])])
        for name in CONFIGURATIONS
    ],
)
def ran(request, clone, server, write_params) -> tuple[str, Path]:
    """The name of a configuration, and the reports of its run."""
    name, checkout = request.param, clone(server)
    changes = CONFIGURATIONS[name]
    if name in TABLES:
        path = checkout.path / "data/raw/own.csv"
        TABLES[name](np.random.default_rng(0)).to_csv(path, index=False)
        changes = {**changes, "data": {**changes["data"], "source": "data/raw/own.csv"}}
    if name != WITHOUT_CHANGES:
        write_params(checkout.path / "params.yaml", **changes)
    checkout.flow("validate")
    if name == OPENED:
        checkout.flow("open-test")
    reports = checkout.path / "reports"
    if KEPT:
        kept = Path(KEPT) / folder(name)
        kept.mkdir(parents=True, exist_ok=True)
        for one in FILES:
            shutil.copy2(reports / one, kept)
    return name, reports


def test_every_configuration_has_its_files_and_no_folder_is_without_one():
    found = {
        path.name: {one.name for one in path.iterdir()}
        for path in GOLDEN.iterdir()
        if path.is_dir() and path.name != "__pycache__"
    }
    assert found == {folder(name): {*FILES} for name in CONFIGURATIONS}


@pytest.mark.parametrize("file", FILES)
def test_the_file_is_as_it_was(ran, file):
    name, reports = ran
    before, now = GOLDEN / folder(name) / file, reports / file
    if file.endswith(".csv"):
        pd.testing.assert_frame_equal(pd.read_csv(now), pd.read_csv(before), rtol=RTOL, atol=RTOL)
    else:
        assert same(*(records(json.loads(path.read_text())) for path in (before, now))) == []


def records(selection: dict) -> dict:
    """The selection without its sentences: how many caveats there are, and not their words."""
    kept = {name: value for name, value in selection.items() if name not in ("advice", "others")}
    return {**kept, "caveats": len(selection["caveats"])}


def same(before, now, where: str = "") -> list[str]:
    """The places at which two JSON documents differ, numbers by more than rounding."""
    if isinstance(before, dict) and isinstance(now, dict):
        keys = [*dict.fromkeys([*before, *now])]
        return [place for key in keys for place in same(before.get(key, ...), now.get(key, ...), f"{where}/{key}")]
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        return [
            place
            for number, pair in enumerate(zip(before, now, strict=True))
            for place in same(*pair, f"{where}/{number}")
        ]
    if isinstance(before, float) and isinstance(now, float | int) and not isinstance(now, bool):
        return [] if now == pytest.approx(before, rel=RTOL, abs=RTOL) else [f"{where}: {before} is {now}"]
    return [] if before == now else [f"{where}: {before} is {now}"]
