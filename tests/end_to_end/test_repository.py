"""What lies in git, and the help that a newcomer reads first."""

import re

import pytest
import yaml

MACHINE_PATH = re.compile(r"(^|[^\w.])/(root|home|work|Users|tmp)/", re.MULTILINE)
MOST_BYTES = 1_000_000
OUTPUTS = (
    "data/settings/",
    "data/prepared/",
    "data/results/",
    "mlruns/",
    "reports/",
    "models/",
    ".cache/",
    ".prefect/",
)
COMMAND_LINE = ["prepare", "fit", "select", "report", "validate"]


@pytest.fixture(scope="module")
def checkout(clone):
    return clone()


@pytest.fixture(scope="module")
def tracked(checkout):
    return [name for name in checkout.git("ls-files", "-z").split("\0") if name]


def test_no_file_names_a_folder_of_the_machine_it_was_written_on(checkout, tracked):
    found = [
        f"{name}: {line.strip()[:120]}"
        for name in tracked
        for line in (checkout.path / name).read_text(encoding="utf-8", errors="replace").splitlines()
        if MACHINE_PATH.search(line)
    ]
    assert [] == found


def test_no_file_is_large(checkout, tracked):
    large = [name for name in tracked if (checkout.path / name).stat().st_size > MOST_BYTES]
    assert [] == [name for name in large if name != "requirements.lock"]


def test_no_output_of_a_run_is_tracked(tracked):
    assert [] == [name for name in tracked if name.startswith(OUTPUTS)]


def test_the_help_names_every_flow(checkout):
    said = checkout.run("python", "-m", "flows", "--all").stdout
    assert [] == [name for name in COMMAND_LINE if f"\n  {name} " not in said]
    assert "--params FILE" in said
    assert "--set a.b=c" in said


def test_every_stage_runs_the_flow_of_its_name(checkout):
    stages = yaml.safe_load((checkout.path / "dvc.yaml").read_text())["stages"]
    assert {name: f"python -m flows {name}" for name in stages} == {
        name: stage["cmd"] for name, stage in stages.items()
    }
    assert {*COMMAND_LINE, "settings"} - {"validate"} == {*stages}
