"""dvc.yaml names all that decides a stage's outputs: parameters, the version of the method, and what draws a report."""

from pathlib import Path

import pytest
import yaml

from tasks.params import docs

ROOT = Path(__file__).parents[2]
STAGES = yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))["stages"]
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
    """The keys of params.yaml that dvc.yaml names."""
    return {key for entry in STAGES.values() for key in entry["params"] if isinstance(key, str)}


def covers(name: str, key: str) -> bool:
    """Whether the parameter `name` in dvc.yaml is `key` of the model, or a section around it."""
    return key == name or key.startswith((f"{name}.", f"{name}[]."))


def test_each_key_of_the_parameters_is_one_of_a_stage_or_exempt():
    names, keys = (*written(), *EXEMPT_KEYS), docs.keys()
    leaves = [key for key in keys if not any(other.startswith((f"{key}.", f"{key}[].")) for other in keys)]
    assert [] == [key for key in leaves if not any(covers(name, key) for name in names)]
    assert [] == [name for name in names if not any(covers(name, key) for key in keys)]


def test_no_key_is_both_a_parameter_of_a_stage_and_exempt():
    assert [] == [key for key in written() if any(covers(name, key) for name in EXEMPT_KEYS)]
