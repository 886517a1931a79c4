"""dvc.yaml names all that decides a stage's outputs: parameters, the version of the method, and what draws a report."""

import hashlib
from pathlib import Path

import pytest
import yaml

from tasks.params import docs, load
from tasks.storage import stage_settings

ROOT = Path(__file__).parents[2]
STAGES = yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))["stages"]
META, KEYS = {"settings": ()}, "settings"
DRAWS_THE_REPORT = {"heldout/display", "tasks/report"}
WHERE = "where and how fast the fits are made, not what they are"
EXEMPT_KEYS = {
    **{
        f"execution.{key}": WHERE
        for key in ("executor", "workers", "budget", "cache_gb", "scheduler", "shortcuts", "allowed_modules")
    },
    "operations": "what is done with the winner, not which it is",
    "tracking": "where runs are recorded, not what they are; the ledger that select reads is no file of DVC's",
}


def test_the_lock_has_these_stages_and_no_former_one():
    assert {*STAGES} == {*yaml.safe_load((ROOT / "dvc.lock").read_text(encoding="utf-8"))["stages"]}


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_depends_on_the_version_of_the_method_and_of_the_libraries(stage):
    assert {"heldout/digests.py": ["METHOD_VERSION"]} in STAGES[stage]["params"]
    assert "requirements.lock" in STAGES[stage]["deps"]


@pytest.mark.parametrize("stage", STAGES)
def test_a_change_of_code_alone_makes_no_stage_stale_but_the_report_by_what_draws_it(stage):
    """So a new estimate does not prepare the rows again."""
    code = {dep for dep in STAGES[stage]["deps"] if dep.startswith(("heldout", "tasks", "flows"))}
    assert (DRAWS_THE_REPORT if stage == "report" else set()) == code
    assert all((ROOT / folder).is_dir() for folder in code)


def written() -> set[str]:
    """The keys of params.yaml that dvc.yaml names for a stage."""
    return {key for entry in STAGES.values() for key in entry.get("meta", {}).get("settings", ())}


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_depends_on_its_settings_and_the_first_on_all_of_params_yaml(stage):
    """DVC ends a run where a key that it knows by name is missing, and writes the values of all: it is given none."""
    own = f"{stage_settings.OF_DVC}/{stage}.json"
    assert [{"heldout/digests.py": ["METHOD_VERSION"]}] == STAGES[stage]["params"]
    assert (stage == "settings") == ("params.yaml" in STAGES[stage]["deps"])
    assert (own in STAGES[stage]["deps"]) == ("meta" in STAGES[stage]) == (stage != "settings")


@pytest.mark.parametrize("key", ["selection.rule", "split.folds", "execution.workers", "loss_max"])
def test_a_stage_is_stale_where_the_value_of_its_key_changes_and_nowhere_else(key, tmp_path, monkeypatch):
    def of_stages(*changes: str) -> dict[str, str]:
        stage_settings.write_for_dvc(load(ROOT / "params.yaml", changes))
        return {path.stem: path.read_text() for path in stage_settings.OF_DVC.iterdir()}

    monkeypatch.chdir(tmp_path)
    values = {"selection.rule": "one_standard_error", "split.folds": 5, "execution.workers": 7, "loss_max": 3.0}
    before, after = of_stages(), of_stages(f"{key}={values[key]}")
    named = {stage for stage, entry in STAGES.items() if any(covers(one, key) for one in entry.get("meta", META)[KEYS])}
    assert named == {stage for stage in before if before[stage] != after[stage]}
    assert {*STAGES} - {"settings"} == {*before}


def test_a_default_that_is_written_makes_no_stage_stale(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = []
    for changes in ((), ("split.gap=0", "selection.race=auto", "intervals=null")):
        stage_settings.write_for_dvc(load(ROOT / "params.yaml", changes))
        found.append({path.stem: path.read_text() for path in stage_settings.OF_DVC.iterdir()})
    assert found[0] == found[1]


def test_no_value_of_params_yaml_is_in_the_lock():
    """DVC writes the values of `params` into dvc.lock and its run cache, and `tracking.uri` may have a password."""
    lock = yaml.safe_load((ROOT / "dvc.lock").read_text(encoding="utf-8"))["stages"]
    assert {"heldout/digests.py"} == {path for stage in lock.values() for path in stage.get("params", ())}


def test_the_lock_has_the_settings_of_the_shipped_file(tmp_path, monkeypatch):
    """A change of a default, or of a list in dvc.yaml, is none of params.yaml: DVC does not see it."""
    monkeypatch.chdir(tmp_path)
    stage_settings.write_for_dvc(load(ROOT / "params.yaml"))
    lock = yaml.safe_load((ROOT / "dvc.lock").read_text(encoding="utf-8"))["stages"]
    for stage in ("prepare", "fit", "select", "report"):
        path = stage_settings.OF_DVC / f"{stage}.json"
        (known,) = [dep["md5"] for dep in lock[stage]["deps"] if dep["path"] == str(path)]
        assert known == hashlib.md5(path.read_bytes()).hexdigest(), "run `dvc repro -f settings`, then `dvc repro`"


def covers(name: str, key: str) -> bool:
    """Whether the setting `name` in dvc.yaml is `key` of the model, or a section around it."""
    return key == name or key.startswith((f"{name}.", f"{name}[]."))


def test_each_key_of_the_parameters_is_one_of_a_stage_or_exempt():
    names, keys = (*written(), *EXEMPT_KEYS), docs.keys()
    leaves = [key for key in keys if not any(other.startswith((f"{key}.", f"{key}[].")) for other in keys)]
    assert [] == [key for key in leaves if not any(covers(name, key) for name in names)]
    assert [] == [name for name in names if not any(covers(name, key) for key in keys)]


def test_no_key_is_both_a_setting_of_a_stage_and_exempt():
    assert [] == [key for key in written() if any(covers(name, key) for name in EXEMPT_KEYS)]
