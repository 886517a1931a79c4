"""DVC asks no server of a remote that a project names, with the logins of the environment, before the user names it."""

import subprocess
from pathlib import Path

import pytest

from tasks.runtime.errors import UserError
from tasks.storage import dvc_commands

ELSEWHERE = "http://127.0.0.2:9"  # no address of this machine's own servers


@pytest.fixture
def project(checkout, monkeypatch):
    """A function that writes a configuration, commits it, and asks for a file of the commit before it or of it."""
    subprocess.run(["git", "init", "--quiet"], check=True)
    monkeypatch.setattr(dvc_commands, "_dvc", lambda *_: subprocess.CompletedProcess((), 0, "", ""))
    Path(".dvc").mkdir()
    for name in ("XDG_CONFIG_HOME", "XDG_CONFIG_DIRS"):
        monkeypatch.setenv(name, str(checkout / "home"))

    def written(*lines: str, file: str = "config") -> None:
        Path(".dvc", file).write_text("\n".join(["['remote \"shared\"']", *lines]) + "\n")
        subprocess.run(["git", "add", ".dvc"], check=True)
        subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "one"], check=True)

    return written


def asked(revision: str = "HEAD") -> None:
    dvc_commands.get(Path("reports/metrics.json"), revision, Path("out"))


@pytest.mark.parametrize(
    "lines",
    [
        ("url = s3://bucket/dvc", f"endpointurl = {ELSEWHERE}"),
        ("url = s3://bucket/dvc", "configpath = aws"),
        (f"url = {ELSEWHERE}/dvc",),
        ("url = ssh://other.example/dvc",),
        ("url = azure://bucket", "account_name = other"),
    ],
)
def test_a_remote_of_another_server_is_refused_until_the_user_has_it_too(project, lines):
    project(*lines)
    with pytest.raises(UserError, match="of the remote shared in .dvc/config is .*dvc remote modify --local shared"):
        asked()
    project("url = s3://bucket/dvc")
    asked()
    with pytest.raises(UserError, match="of the remote shared"):  # DVC reads the configuration of the revision
        asked("HEAD~1")
    Path(".dvc/config.local").write_text("\n".join(["['remote \"shared\"']", *lines]))
    asked("HEAD~1")


def test_the_endpoint_of_the_environment_and_places_of_this_machine_are_no_strangers(project, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", ELSEWHERE)
    project("url = s3://bucket/dvc", f"endpointurl = {ELSEWHERE}/")
    asked()
    project("url = /srv/dvc")
    asked()
    project("url = gs://bucket/dvc")
    asked("HEAD~1")
