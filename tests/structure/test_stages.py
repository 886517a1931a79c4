"""dvc.yaml names all that decides a stage's outputs: its code, computed from the imports, and its parameters."""

from pathlib import Path

import grimp
import pytest
import yaml

from tasks.params import docs

ROOT = Path(__file__).parents[2]
STAGES = yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))["stages"]
# imported by every stage, and no part of any output
EXEMPT_CODE = {
    "flows/__init__.py": "empty",
    "tasks/__init__.py": "empty",
    "tasks/track": "notes on the active run how long a stage took; select alone reads it, for the contamination ledger",
}
READS_TRACKING = ("select", "report")
WHERE = "where and how fast the fits are made, not what they are"
EXEMPT_KEYS = {
    **{
        f"execution.{key}": WHERE
        for key in ("executor", "workers", "budget", "cache_gb", "scheduler", "shortcuts", "allowed_modules")
    },
    "operations": "what is done with the winner, not which it is",
    "tracking": "where runs are recorded, not what they are; the ledger that select reads is no file of DVC's",
}


@pytest.fixture(scope="module")
def graph():
    return grimp.build_graph("flows", "tasks", "heldout", cache_dir=None)


def code_of(graph, stage: str) -> set[str]:
    """What the flow of a stage imports, function by function too: heldout, the rooms of tasks, files of flows."""
    waiting, seen = [f"flows.{stage}"], set()
    while waiting:
        module = waiting.pop()
        if module not in seen:
            seen.add(module)
            waiting += [
                name
                for name in graph.find_modules_directly_imported_by(module)
                if place(name) not in EXEMPT_CODE or stage in READS_TRACKING
            ]
    return {place(module) for module in seen}


def place(module: str) -> str:
    """The path that dvc.yaml has for a module: a room of heldout or of tasks, or a file."""
    parts = module.split(".")
    if parts[0] in ("heldout", "tasks") and len(parts) > 1 and (ROOT / parts[0] / parts[1]).is_dir():
        return f"{parts[0]}/{parts[1]}"
    return f"{'/'.join(parts)}.py" if len(parts) > 1 else f"{parts[0]}/__init__.py"


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_depends_on_the_code_that_it_imports_and_on_no_other(graph, stage):
    listed = {dep for dep in STAGES[stage]["deps"] if dep.startswith(("heldout", "tasks", "flows"))}
    assert code_of(graph, stage) - {"flows/__init__.py", "tasks/__init__.py"} == listed


def test_what_draws_the_report_is_a_dependency_of_the_report_alone():
    assert ["report"] == [stage for stage, entry in STAGES.items() if "tasks/report" in entry["deps"]]


def covers(written: str, key: str) -> bool:
    """Whether the parameter `written` in dvc.yaml is `key` of the model, or a section around it."""
    return key == written or key.startswith((f"{written}.", f"{written}[]."))


def test_each_key_of_the_parameters_is_one_of_a_stage_or_exempt():
    written = {key for entry in STAGES.values() for key in entry.get("params", ())}
    keys = docs.keys()
    leaves = [key for key in keys if not any(other.startswith((f"{key}.", f"{key}[].")) for other in keys)]
    missing = [key for key in leaves if not any(covers(name, key) for name in (*written, *EXEMPT_KEYS))]
    assert [] == missing
    assert [] == [name for name in (*written, *EXEMPT_KEYS) if not any(covers(name, key) for key in keys)]


def test_no_key_is_both_a_parameter_of_a_stage_and_exempt():
    written = {key for entry in STAGES.values() for key in entry.get("params", ())}
    assert [] == [key for key in written if any(covers(name, key) for name in EXEMPT_KEYS)]
