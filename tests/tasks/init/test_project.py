"""`new`: what a project has of the repository, and which folders it refuses."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

from flows.__main__ import main
from heldout import __version__
from tasks.init import project
from tasks.init.project_files import FILES
from tasks.runtime import own_code
from tasks.runtime.errors import UserError

ROOT = Path(__file__).parents[3]


@pytest.fixture
def made(tmp_path) -> Path:
    project.make(tmp_path / "churn")
    return tmp_path / "churn"


def test_a_project_has_every_stage_of_the_repository_and_none_of_its_code(made):
    ours, theirs = (yaml.safe_load((folder / "dvc.yaml").read_text())["stages"] for folder in (ROOT, made))
    assert [*ours] == [*theirs]
    for name, stage in ours.items():
        of_data = [
            dep
            for dep in stage["deps"]
            if dep.startswith(("data/", "reports/", "models/", "params", "quarantine", "table_checks"))
        ]
        expected = {**stage, "cmd": f"heldout {name}", "deps": [*of_data, "requirements.txt", "requirements.lock"]}
        expected["params"] = [each for each in stage["params"] if "heldout/digests.py" not in each]
        if not expected["params"]:  # the version is that of requirements.txt
            del expected["params"]
        assert expected == theirs[name]
    assert [Path("docs/notify.py")] == [path.relative_to(made) for path in made.rglob("*.py")]


def test_its_files_are_in_git_and_name_no_command_of_a_checkout(made):
    listed = subprocess.run(["git", "ls-files"], cwd=made, capture_output=True, text=True, check=True).stdout.split()
    files = [project.PLACES.get(name, name) for name in FILES]
    assert sorted([*files, "README.md", "requirements.lock", "requirements.txt"]) == sorted(listed)
    for name in listed:
        assert not re.search(r"python -m flows|`make |make \.venv|/srv/", (made / name).read_text()), name
    assert yaml.safe_load((ROOT / "params.yaml").read_text()) == yaml.safe_load((made / "params.yaml").read_text())
    json.loads((made / "params.schema.json").read_text())
    assert ".prefect/profiles.toml" == tomllib.loads((made / "prefect.toml").read_text())["profiles_path"]


def test_its_lock_has_the_versions_of_this_environment_where_the_installer_looks(made):
    assert "-c requirements.lock" in (made / "requirements.txt").read_text().splitlines()
    lines = (made / "requirements.lock").read_text().splitlines()
    assert {f"prefect=={version('prefect')}", f"scikit-learn=={version('scikit-learn')}"} < {*lines}
    assert [] == [line for line in lines if not re.fullmatch(r"#.*|[\w.-]+==[\w.!]+", line)]


def test_its_service_runs_this_command_in_its_folder(made):
    service = (made / "compose/heldout.service").read_text()
    assert f"\nWorkingDirectory={made}\n" in service
    assert f"\nExecStart={Path(sys.executable).parent}/heldout serve\n" in service


def test_what_names_another_file_than_the_repository_has_is_an_error():
    assert [] == [name for name in FILES if not (ROOT / name).is_file()]


@pytest.mark.parametrize("kind", ["files", "a file", "inside"])
def test_a_folder_that_is_not_free_is_refused_and_stays_as_it_was(kind, tmp_path, made, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = {"files": "mine", "a file": "note.txt", "inside": "churn/deeper"}[kind]
    Path("mine").mkdir()
    for name in ("mine/table.csv", "note.txt"):
        Path(name).write_text("a")
    before = {*tmp_path.rglob("*")}
    assert 2 == main(["new", folder])
    said = capsys.readouterr().err
    words = {"files": "has files (table.csv)", "a file": "is a file", "inside": f"lies in {made}"}[kind]
    assert words in said
    assert "name " in said
    assert before == {*tmp_path.rglob("*")}


def test_a_clone_of_an_empty_repository_may_become_a_project(tmp_path):
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    project.make(tmp_path)
    assert (tmp_path / "dvc.yaml").is_file()


NAMES = {
    "heldout==0.1.0": "0.1.0",
    "# all\nheldout[pipeline] == 0.1.0rc1  # mine\npandas": "0.1.0rc1",
    "heldout[boosting,pipeline]==0.1.0": "0.1.0",
    "heldout @ file:///a/heldout-0.1.0-py3-none-any.whl#sha256=0": "0.1.0",
    "heldout[pipeline] @ https://a.example/heldout-0.1.0-py3-none-any.whl": "0.1.0",
    "heldout_extra==0.1.0": None,
    "my-heldout==0.1.0": None,
    "heldout>=0.1.0": None,
}


@pytest.mark.parametrize("text", NAMES)
def test_requirements_name_a_version(text):
    found = own_code.NAMED_VERSION.search(text)
    assert NAMES[text] == (found and found["version"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "is no project of heldout"),
        ("pandas\n", "names no version of heldout"),
        ("heldout==0.0.1\n", "names heldout 0.0.1, and 9.9 is installed"),
        ("heldout==9.9\n", None),
    ],
)
def test_an_installed_package_runs_projects_of_its_own_version_alone(text, words, tmp_path, monkeypatch):
    monkeypatch.setattr(own_code, "INSTALLED", True)
    monkeypatch.setattr(own_code, "PACKAGES", Path("requirements.txt"))
    monkeypatch.setattr(own_code.importlib.metadata, "version", lambda _: "9.9")
    if text is not None:
        (tmp_path / "requirements.txt").write_text(text)
    if words is None:
        own_code.check_version(tmp_path)
    else:
        with pytest.raises(UserError, match=words):
            own_code.check_version(tmp_path)


@pytest.mark.fault("another version")
def test_three_files_of_a_new_project_have_one_of_another_version_go_on(made, tmp_path, monkeypatch):
    monkeypatch.setattr(own_code, "INSTALLED", True)
    monkeypatch.setattr(own_code, "PACKAGES", Path("requirements.txt"))
    monkeypatch.setattr(own_code.importlib.metadata, "version", lambda _: __version__)
    written = made / "requirements.txt"
    written.write_text(written.read_text().replace(f"=={__version__}", "==0.0.1"))
    with pytest.raises(UserError, match=r"names heldout 0\.0\.1"):
        own_code.check_version(made)
    project.make(tmp_path / "another")
    for name in ("dvc.yaml", "params.schema.json", "requirements.txt"):
        shutil.copy(tmp_path / "another" / name, made / name)
    own_code.check_version(made)
