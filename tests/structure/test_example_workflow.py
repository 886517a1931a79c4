"""docs/examples/validate.yml: a valid workflow with the least rights, whose commands are commands of ours."""

import re
import subprocess
import sys
from pathlib import Path

import yaml

from flows import commands

ROOT = Path(__file__).parents[2]
PATH = ROOT / "docs/examples/validate.yml"
WORKFLOW = yaml.safe_load(PATH.read_text(encoding="utf-8"))
JOBS = WORKFLOW["jobs"]


def test_the_schema_of_workflows_admits_it():
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", str(PATH)]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert 0 == checked.returncode, checked.stdout + checked.stderr


def test_only_the_job_that_runs_no_code_of_the_pull_request_may_write():
    assert {} == WORKFLOW["permissions"]
    assert {"validate": {"contents": "read"}, "comment": {"pull-requests": "write"}} == {
        name: job["permissions"] for name, job in JOBS.items()
    }
    assert [] == [step for step in JOBS["comment"]["steps"] if "checkout" in step.get("uses", "") or "dvc" in str(step)]
    assert "head.repo.full_name == github.repository" in JOBS["comment"]["if"]
    assert "pull_request_target" not in PATH.read_text()
    assert "secrets." not in str(WORKFLOW)


def test_no_text_of_a_pull_request_becomes_a_part_of_a_command():
    assert [] == [step for job in JOBS.values() for step in job["steps"] if "${{" in step.get("run", "")]


def test_its_commands_are_commands_of_the_checkout():
    lines = " ".join(step.get("run", "") for step in JOBS["validate"]["steps"])
    named = re.findall(r"-m flows (\S+)", PATH.read_text())
    assert {"gate"} == {*named} <= {*commands.OTHERS}
    targets = re.findall(r"make (\S+)", lines)
    assert targets
    assert all(f"\n{target}:" in (ROOT / "Makefile").read_text() for target in targets)
    assert "gate" in JOBS["validate"]["steps"][-1]["run"]
