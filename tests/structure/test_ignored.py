"""Folders that programs and servers write: git and DVC look into none of them."""

from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
WRITTEN = {".cache", ".prefect", "mlruns", "mlartifacts", "site", "dvc_plots", ".venv"}


def lines(name: str) -> set[str]:
    found = (line.strip() for line in (ROOT / name).read_text(encoding="utf-8").splitlines())
    return {line.strip("/") for line in found if line and line[0] not in "#!"}


def outputs() -> set[str]:
    stages = yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))["stages"].values()
    listed = [out for stage in stages for kind in ("outs", "metrics", "plots") for out in stage.get(kind, ())]
    return {next(iter(out)) if isinstance(out, dict) else out for out in listed}


def test_dvc_looks_for_stages_in_no_folder_that_git_ignores_but_those_of_outputs():
    """Stages' outputs, the user's tables, and single files stay known to DVC."""
    of_stages = {line for line in lines(".gitignore") if any(out.startswith(line) for out in outputs())}
    assert {"data/prepared", "reports"} <= of_stages
    kept = {"data/raw/?*", "params.yaml.old", "table_checks.yaml.old", ".env"}
    assert lines(".gitignore") - of_stages - kept <= lines(".dvcignore")
    assert lines(".dvcignore") >= WRITTEN <= lines(".gitignore")
