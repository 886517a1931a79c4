"""A key that changes the outputs of a stage is named for it in dvc.yaml; else `dvc repro` keeps stale results.

Each stage runs on the files that the stages before it left, once with every key that dvc.yaml does not name for it.
"""

import contextlib
import hashlib
import importlib
import json
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from tasks.fits import controls, half_model_disagreement, run_schemes
from tasks.params import docs
from tasks.runtime.errors import UserError

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
STAGES = yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))["stages"]
FITTED = ("prepare", "fit")
BASE = {
    "data.source": "rows.csv",
    "data.positive": None,
    "data.labeled_rows": 60,
    "data.drop": ["spare", "clock", "house", "heavy", "part"],
    "split.folds": 4,
    "covalidation.repeats": 2,
    "candidates": [
        {"name": "bayes", "estimator": "sklearn.naive_bayes.GaussianNB"},
        {"name": "tree", "estimator": "sklearn.tree.DecisionTreeClassifier", "params": {"max_depth": 2}},
    ],
}
IN_TIME = {"data.drop": ["spare", "house", "heavy", "part"], "data.time": "clock", "split.gap": 1}
# other values of the keys whose schema does not give some
OTHERS = {
    "split.stratify": [True, False],
    "seed": [1],
    "report.slices": [["house"]],
    "report.columns": [True, [["x", "z"]]],
    "data.source": ["others.csv"],
    "data.target": ["spare"],
    "data.positive": ["won"],
    "data.drop": [["clock", "house", "heavy", "part"]],
    "data.known_after": [["z"]],
    "data.columns": [{"x": "category"}],
    "data.missing": [["none"]],
    "data.read.separator": ["semicolon"],
    "data.read.decimal": ["comma"],
    "data.read.dayfirst": [True],
    "data.key": ["clock"],
    "data.groups": ["house"],
    "data.time": ["clock"],
    "data.weight": ["heavy"],
    "data.label_probability": ["heavy"],
    "data.test_rows": ["part"],
    "data.labeled_rows": [50],
    "selection.finalists": [1],
    "selection.margin": [0.5],
    "data.unlabeled": ["others.csv"],
    "data.shards": [2],
    "split.folds": [5, "loo"],
    "split.rows": [50],
    "split.gap": [3],
    "split.repeats": [2],
    "progressive.block": [7, "auto"],
    "covalidation.repeats": [3],
    "candidates": [
        [{"name": "bayes", "estimator": "sklearn.naive_bayes.GaussianNB", "params": {"var_smoothing": 1.0}}]
    ],
    "loss": ["brier", "balanced"],
    "loss_max": [4.0],
    "intervals": [{"E_cv": "Bayle within folds"}, {"E_cv": "corrected repeated t"}, {"E_val": "Hoeffding"}],
}
SCHEMA = json.loads((ROOT / "params.schema.json").read_text(encoding="utf-8"))
OF = {name: str(place) for name, place in SCHEMA["properties"].items()}  # names the definition of each section
# tests/structure/test_stages.py has the reasons; a limit in seconds changes what depends on the clock
EXEMPT = ("execution", "operations", "tracking")


def leaves() -> list[str]:
    """The keys that hold a value; what stands inside a candidate, or a loss, belongs to that key."""
    plain = [key for key in docs.keys() if not key.startswith(("candidates[]", "loss.", *EXEMPT))]  # noqa: SIM118
    return [key for key in plain if not any(other.startswith(f"{key}.") for other in plain)]


def others(key: str) -> list[object]:
    """Values of a key, of which at least one is not that of `BASE`."""
    if key in OTHERS:
        return OTHERS[key]
    section, _, name = key.rpartition(".")
    places = [place for title, place in SCHEMA["$defs"].items() if name in place["properties"] and title in OF[section]]
    place = (places[0] if section else SCHEMA)["properties"][name]
    if "enum" in place:
        return list(place["enum"])
    if "enum" in place.get("items", {}):
        return [[one] for one in place["items"]["enum"]]
    if "anyOf" in place and "enum" in place["anyOf"][0]:
        return list(place["anyOf"][0]["enum"])
    return {"boolean": [True, False], "number": [0.3, 0.4], "integer": [2, 3]}.get(place.get("type"), [])


def test_every_key_has_other_values():
    assert [] == [key for key in leaves() if not others(key)]  # write some in OTHERS


@pytest.fixture(
    scope="module", params=[{}, pytest.param(IN_TIME, marks=pytest.mark.long)], ids=["independent rows", "rows in time"]
)
def checkout(tmp_path_factory, request):
    with fitted(tmp_path_factory.mktemp("checkout"), request.param) as path:
        yield path


@contextlib.contextmanager
def fitted(folder: Path, changes: Mapping[str, object]) -> Iterator[Path]:
    """A checkout in which every stage up to the fits has run on 90 rows of a table."""
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        patched.setattr(sys, "path", [*sys.path])
        for module in (run_schemes, half_model_disagreement, controls):
            patched.setattr(
                module,
                "run_all",
                lambda _, _what, todo, _reused, **_more: [one.function(*one.arguments) for one in todo],
            )
        rng = np.random.default_rng(3)
        for name in ("rows", "others"):
            x = rng.normal(size=90)
            table = pd.DataFrame({"x": x, "z": rng.normal(size=90).round(1), "spare": np.arange(90) % 3})
            table["clock"], table["house"], table["heavy"] = np.arange(90), np.arange(90) // 3, 1 + np.arange(90) % 2
            table["part"] = np.where(np.arange(90) % 3, "train", "test")
            table["target"] = np.where(x + rng.normal(size=90) > 0, "won", "lost")
            table.to_csv(f"{name}.csv", index=False)
        patched.setitem(globals(), "BASE", {**BASE, **changes})
        for stage in FITTED:
            run(stage, {})
        yield Path.cwd()


def run(stage: str, changes: dict[str, object]) -> None:
    """The flow's own function, without Prefect: what is done, and the files that it leaves."""
    written = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    for key, value in {**BASE, **changes}.items():
        *sections, name = key.split(".")
        place = written
        for section in sections:
            place = place.setdefault(section, {})
        place[name] = value
    Path("params.yaml").write_text(yaml.safe_dump(written), encoding="utf-8")
    getattr(importlib.import_module(f"flows.{stage}"), stage).fn()


def digests(stage: str) -> dict[str, str]:
    """The hash of every file below the outputs of a stage."""
    outs = [Path(out) for out in STAGES[stage]["outs"]]
    found = [path for out in outs for path in ([out] if out.is_file() else sorted(out.rglob("*")))]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in found if path.is_file()}


def unlisted(stage: str) -> list[str]:
    """The keys that dvc.yaml does not name for a stage."""
    listed = STAGES[stage]["meta"]["settings"]
    return [key for key in leaves() if not any(key == name or key.startswith(f"{name}.") for name in listed)]


@pytest.mark.parametrize(("stage", "key"), [(stage, key) for stage in FITTED for key in unlisted(stage)])
@pytest.mark.long
def test_a_key_that_is_no_parameter_of_a_stage_does_not_change_its_outputs(checkout, stage, key):
    folder, *_ = STAGES[stage]["outs"]
    shutil.copytree(folder, checkout / "kept", dirs_exist_ok=True)
    before = digests(stage)
    try:
        for value in others(key):
            try:
                run(stage, {key: value})
            except UserError:  # refused: nothing stale is left
                continue
            assert before == digests(stage)
    finally:
        shutil.rmtree(folder)
        (checkout / "kept").rename(folder)


@pytest.mark.parametrize("key", ["seed", "split.folds", "data.drop", "data.known_after"])
def test_a_parameter_of_a_stage_changes_its_outputs(checkout, key):
    shutil.copytree("data/prepared", checkout / "kept")
    before = digests("prepare")
    run("prepare", {key: others(key)[0]})
    assert before != digests("prepare")
    shutil.rmtree("data/prepared")
    (checkout / "kept").rename("data/prepared")
