"""The scripts of findings/ have the form that CONTRIBUTING.md states; `make findings` runs them, and CI does not."""

import os
import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "findings").iterdir())
HEADER = ("# Expected: ", "# Seen: ", "# What it would do to a user: ")


def commands(script: Path) -> list[str]:
    return [line for line in script.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_finding_says_version_expectation_and_behaviour_first(script):
    shebang, first, *lines = script.read_text(encoding="utf-8").splitlines()
    comment = lines[: next(number for number, line in enumerate(lines) if not line.startswith("#"))]
    assert "#!/usr/bin/env bash" == shebang
    assert re.match(r"# .+ \d+(\.\d+)+\b.*: .+", first)
    assert [1, 1, 1] == [sum(line.startswith(start) for line in comment) for start in HEADER]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_finding_is_a_program_that_stops_at_the_first_failure_and_cleans_up(script):
    assert ".sh" == script.suffix
    assert os.access(script, os.X_OK)
    expected = ["set -euo pipefail", "work=$(mktemp -d)", "trap 'rm -rf \"$work\"' EXIT"]
    assert expected == commands(script)[:3]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_finding_uses_pinned_packages_and_not_this_project(script):
    installs = [shlex.split(line.partition(" install ")[2]) for line in commands(script) if " install " in line]
    packages = [word for words in installs for word in words if not word.startswith("-")]
    assert packages
    assert all(re.fullmatch(r"[\w.-]+(\[[\w,]+\])?==[\w.]+", package) for package in packages)
    assert [] == [line for line in commands(script) if re.search("heldout", line, re.IGNORECASE)]


def test_ci_runs_none_of_them():
    assert "findings" not in (ROOT / ".ci/run").read_text(encoding="utf-8")
