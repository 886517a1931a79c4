"""A password in `tracking.uri` is in no file, store or output, after runs that succeed, fail or lose their store."""

import contextlib
import os
import signal
import socket
from pathlib import Path

import pytest

pytestmark = [pytest.mark.long, pytest.mark.fault("secrets")]
PLANTED = "-".join(("planted", "5f1c"))  # a clone has this file too


@pytest.fixture
def mlflow_server(clone, tmp_path):
    """A real tracking server, its process and its port; it takes every login."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder = tmp_path / "server"
    folder.mkdir()
    command = ["mlflow", "server", "--port", str(port), "--workers", "1", "--artifacts-destination", str(folder)]
    command += ["--backend-store-uri", f"sqlite:///{folder}/mlflow.db"]
    checkout = clone()
    with (folder / "server.log").open("w") as log:
        process = checkout.start(*command, stdout=log, stderr=log)

    def answers():
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    try:
        checkout.wait_until(answers, process, seconds=300)
        yield process, port, folder
    finally:
        end(process)


def end(process):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)  # its workers too
    process.wait(60)


def holding(*folders: Path) -> list[str]:
    """The files below the folders that have the password; the parameters, which a user wrote, left out."""
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file() and path.name != "params.yaml"]
    return [str(path) for path in files if PLANTED.encode() in path.read_bytes()]


def test_a_planted_password_is_found_nowhere(clone, server, write_params, mlflow_server):
    process, port, folder = mlflow_server
    checkout = clone(server)
    address = f"http://someone:{PLANTED}@127.0.0.1:{port}"
    write_params(checkout.path / "params.yaml", execution={"workers": 1}, tracking={"uri": address})
    places = (checkout.path, folder, server.folder)

    done = checkout.flow("validate", "--promote")
    assert "models:/digits@champion" in " ".join(done.stdout.split())
    assert PLANTED not in done.stdout + done.stderr
    assert [] == holding(*places)

    said = checkout.path.parent / "said.txt"
    (checkout.path / "data/results/fits").rename(checkout.path / "data/results/before")
    with said.open("w") as file:
        run = checkout.start("python", "-m", "flows", "validate", stdout=file, stderr=file)
        checkout.wait_until((checkout.path / "data/results/fits").exists, run, seconds=300)
        end(process)
        run.wait(300)
    assert 3 == run.returncode, said.read_text()
    assert PLANTED not in said.read_text()
    assert [] == holding(*places)

    for command in (("validate",), ("verify",), ("rollback",)):
        failed = checkout.flow(*command, check=False)
        assert 2 == failed.returncode, failed
        assert f"127.0.0.1:{port}" in failed.stderr
        assert PLANTED not in failed.stdout + failed.stderr
    assert [] == holding(*places)
