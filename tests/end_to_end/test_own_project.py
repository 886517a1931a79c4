"""A project of one's own: the wheel, installed in a new environment, makes it and runs it."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tarfile
from pathlib import Path

import pandas as pd
import pytest
import yaml

import heldout
from tests.end_to_end.conftest import COMMIT, PATIENCE_SECONDS, Checkout, built
from tests.end_to_end.test_same_bytes import UP_TO_DATE

pytestmark = pytest.mark.long
NEXT = "99.1"  # a version
OWN = "from sklearn.naive_bayes import GaussianNB\n\n\nclass Mine(GaussianNB):\n    pass\n"
# files of a project that have the names of our modules, of a library and of a module that Python starts with
HOSTILE = ("flows.py", "tasks.py", "heldout.py", "pandas.py", "site.py", "prefect.py")
REPORT = "reports/report.html"


def environment_of(wheel: Path, folder: Path) -> dict[str, str]:
    """A new virtual environment with the wheel: its PATH. The packages of this one are lent to it, not installed."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    there = next((folder / "lib").glob("python*/site-packages"))
    for package in Path(sysconfig.get_path("purelib")).iterdir():
        (there / package.name).symlink_to(package)
    install(wheel, folder)
    own = folder / "bin"
    return {"PATH": os.pathsep.join([str(own), str(Path(sys.executable).parent), os.environ["PATH"]])}


def install(wheel: Path, folder: Path) -> None:
    python = folder / "bin/python"
    command = ["uv", "pip", "install", "--quiet", "--offline", "--no-deps", "--reinstall", "--python", python, wheel]
    subprocess.run(command, check=True)


def new_project(folder: Path, own: dict[str, str], write_params) -> Checkout:
    """A project with parameters of a second's work, and files that hide ours if the folder were searched."""
    Checkout(folder.parent, own).run("heldout", "new", folder.name)
    write_params(folder / "params.yaml")
    for name in HOSTILE:
        (folder / name).write_text("raise RuntimeError('not of the project')\n")
    project = Checkout(folder, own)
    project.git("add", "--all")
    project.git(*COMMIT, "-qm", "mine")
    return project


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> dict[str, str]:
    return environment_of(wheel, tmp_path_factory.mktemp("environment"))


@pytest.fixture(scope="module")
def project(installed, write_params, tmp_path_factory) -> Checkout:
    """A project in which `dvc repro` ran."""
    made = new_project(tmp_path_factory.mktemp("projects") / "churn", installed, write_params)
    made.run("dvc", "repro")
    return made


def test_the_environment_has_no_general_name(installed, tmp_path):
    find = "import importlib.util as u; print(*[name for name in ('flows', 'tasks', 'studies') if u.find_spec(name)])"
    assert "" == Checkout(tmp_path, installed).run("python", "-c", find).stdout.strip()


def test_the_numbers_are_those_of_the_repository(project, brief):
    pd.testing.assert_frame_equal(
        *(pd.read_csv(run.path / "reports/estimates.csv") for run in (brief, project)), rtol=0, atol=0
    )
    expected, found = brief.hashes(), project.hashes()
    assert {REPORT} == {name for name in {*expected, *found} if expected.get(name) != found.get(name)}


def test_the_report_names_the_command_of_the_project(project):
    text = (project.path / REPORT).read_text()
    assert "(or heldout validate)" in text
    assert "python -m flows" not in text


def test_dvc_is_content_and_validate_writes_the_same(project, tmp_path):
    other = project.copy(tmp_path / "other")
    before = other.hashes()
    assert UP_TO_DATE == other.run("dvc", "status").stdout.strip()
    other.run("heldout", "validate")
    assert before == other.hashes()
    assert UP_TO_DATE == other.run("dvc", "status").stdout.strip()


def test_without_dvc_a_module_of_the_project_is_validated(project, tmp_path):
    other = project.copy(tmp_path / "other")
    shutil.rmtree(other.path / ".dvc")
    (other.path / "mine.py").write_text(OWN)
    params = yaml.safe_load((other.path / "params.yaml").read_text())
    params["candidates"].append({"name": "mine", "estimator": "mine.Mine"})
    params["execution"]["allowed_modules"] = ["sklearn", "mine"]
    (other.path / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False))
    other.run("heldout", "validate")
    estimates = pd.read_csv(other.path / "reports/estimates.csv").set_index(["candidate", "estimate"])
    before = pd.read_csv(project.path / "reports/estimates.csv").set_index(["candidate", "estimate"])
    of_a_candidate, numbers = ["E_in", "E_val", "E_cv", "E_prog", "E_2cv", "disagreement"], ["value", "low", "high"]
    expected = before.loc["bayes", numbers].loc[of_a_candidate]
    for name in ("bayes", "mine"):  # the same learner
        pd.testing.assert_frame_equal(expected, estimates.loc[name, numbers].loc[of_a_candidate])


def test_its_workflow_validates_a_clone_after_push_and_pull_and_makes_no_fit_again(project, tmp_path):
    mine = project.copy(tmp_path / "mine")
    mine.run("dvc", "remote", "add", "--default", "here", str(tmp_path / "remote"))
    mine.git("add", "--all")
    mine.git(*COMMIT, "-qm", "a run")
    mine.run("dvc", "push")
    subprocess.run(["git", "clone", "--quiet", mine.path, tmp_path / "theirs"], check=True)
    theirs = Checkout(tmp_path / "theirs", mine.own)
    validate = yaml.safe_load((theirs.path / ".github/workflows/validate.yml").read_text())["jobs"]["validate"]
    of_cache = next(step["with"]["path"].split() for step in validate["steps"] if "cache" in step.get("uses", ""))
    kept = [path for path in of_cache if not path.startswith(".dvc")]  # the outputs come from the remote
    assert [".cache/secret", ".cache/tasks"] == kept
    with tarfile.open(tmp_path / "cache.tar", "w") as cache:
        for path in kept:
            cache.add(mine.path / path, path)
    with tarfile.open(tmp_path / "cache.tar") as cache:
        cache.extractall(theirs.path, filter="data")
    install, *commands = [step["run"] for step in validate["steps"] if "run" in step]
    assert install == "pip install -r requirements.txt"  # the environment is here
    summary = tmp_path / "summary.md"
    assert "heldout gate --max-upper 0.05" == commands[-1].splitlines()[0]
    commands[-1] = "heldout gate --max-upper 0.06"  # of so few rows no winner is shown to err less than 0.05
    for command in commands:
        ran = theirs.run("env", f"GITHUB_STEP_SUMMARY={summary}", "bash", "-euo", "pipefail", "-c", command)
    assert ran.stdout
    assert mine.hashes() == theirs.hashes()
    assert (theirs.path / "reports/summary.md").read_text() == summary.read_text()
    params = yaml.safe_load((theirs.path / "params.yaml").read_text())
    params["selection"]["level"] = 0.9
    (theirs.path / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False))
    before = {path: path.stat().st_mtime_ns for path in (theirs.path / ".cache/tasks").glob("*/*")}
    theirs.run("dvc", "repro")
    assert (
        before.items() <= {path: path.stat().st_mtime_ns for path in (theirs.path / ".cache/tasks").glob("*/*")}.items()
    )


def test_an_upgrade_runs_every_stage_again(project, snapshot, write_params, tmp_path):
    source = Path(shutil.copytree(snapshot, tmp_path / "heldout"))
    module = source / "heldout/__init__.py"
    module.write_text(re.sub(r'__version__ = ".*"', f'__version__ = "{NEXT}"', module.read_text()))
    other = Checkout(project.copy(tmp_path / "other").path, environment_of(built(source), tmp_path / "environment"))
    refused = other.run("heldout", "validate", check=False)
    assert 2 == refused.returncode
    assert f"{NEXT} is installed" in refused.stderr
    other.run("heldout", "new", "../another")
    for name in ("dvc.yaml", "params.schema.json", "requirements.txt", "requirements.lock"):
        shutil.copy(other.path.parent / "another" / name, other.path / name)
    assert ["requirements.txt"] == other.git("diff", "--name-only").split()
    other.git(*COMMIT, "-qam", "another version")
    stages = yaml.safe_load((other.path / "dvc.yaml").read_text())["stages"]
    assert {*stages} <= {*re.findall(r"^(\w+):$", other.run("dvc", "status").stdout, re.MULTILINE)}
    ran = other.run("dvc", "repro").stdout
    assert [f"Running stage '{name}':" in ran for name in stages] == [True] * len(stages)
    before, after = project.hashes(), other.hashes()
    page = "reports/report.html"  # which names the version
    assert [page] == [path for path in {**before, **after} if before.get(path) != after.get(path)]
    old, new = ((one.path / page).read_text() for one in (project, other))
    assert old.replace(f"heldout {heldout.__version__}", f"heldout {NEXT}") == new
    assert UP_TO_DATE == other.run("dvc", "status").stdout.strip()


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def test_serve_runs_the_deployment_of_the_project(project, tmp_path):
    other, said = project.copy(tmp_path / "other"), tmp_path / "said.txt"
    with said.open("w") as file:
        ports = ("--port", free_port(), "--runs-port", free_port())
        serving = other.start("heldout", "serve", *ports, stdout=file, stderr=file)
        try:
            other.wait_until(lambda: "\nPREFECT_API_URL=" in said.read_text(), serving, PATIENCE_SECONDS)
            ran = other.run("prefect", "deployment", "run", "validate/nightly-validation", "--watch")
            assert "Completed" in ran.stdout
            os.kill(serving.pid, signal.SIGINT)
            assert 0 == serving.wait(60)
            assert [] == other.processes()
        finally:
            for left in [serving, *other.processes()]:
                left.kill()
    assert project.hashes() == other.hashes()
