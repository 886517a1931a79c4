"""Numbers of the shipped example that move without METHOD_VERSION fail: stages and stored fits would be out of date."""

import hashlib
import json
from pathlib import Path

import yaml

from heldout.digests import METHOD_VERSION

ROOT = Path(__file__).parents[2]
KNOWN = Path(__file__).with_name("outputs.json")
ALSO = ("data/results/losses.parquet", "reports/tables", "models/selected.skops")


def outputs() -> str:
    """The SHA-256 of the paths and hashes in dvc.lock of what holds numbers."""
    stages = yaml.safe_load((ROOT / "dvc.lock").read_text(encoding="utf-8"))["stages"].values()
    found = {out["path"]: out["md5"] for stage in stages for out in stage["outs"]}
    kept = sorted((path, md5) for path, md5 in found.items() if Path(path).match("reports/*.csv") or path in ALSO)
    return hashlib.sha256(json.dumps(kept).encode()).hexdigest()


def test_numbers_move_with_the_version_of_the_method_alone():
    now = {"METHOD_VERSION": METHOD_VERSION, "outputs": outputs()}
    assert now == json.loads(KNOWN.read_text(encoding="utf-8")), (
        "numbers or METHOD_VERSION changed: if numbers did, raise METHOD_VERSION in heldout/digests.py; then run "
        f"`dvc repro`, and write into tests/structure/outputs.json what this test finds then; now {json.dumps(now)}"
    )
