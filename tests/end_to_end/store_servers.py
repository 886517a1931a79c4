"""Servers that keep runs for many checkouts: PostgreSQL, as the system has it, and an S3 server in this process."""

import os
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import boto3
import pytest
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from werkzeug.serving import make_server

USER, PASSWORD = "heldout", "/".join(("planted", "5f1c"))  # a clone has this file too


def postgres_binaries() -> Path | None:
    """The folder of PostgreSQL's programs, of the newest version that is installed."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    return versions[-1].parent if versions else None


@contextmanager
def postgres() -> Iterator[str]:
    """A PostgreSQL server that asks for a password; the address of an empty database, with the login."""
    programs = postgres_binaries()
    if programs is None:
        pytest.skip("no PostgreSQL server is installed (on Debian: apt-get install postgresql)")
    # it refuses to run as root, and its user may not look into pytest's folders
    owner = "postgres" if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="heldout-postgres-"))
    password = folder / "password"
    password.write_text(PASSWORD)
    for path in (folder, password):
        shutil.chown(path, owner)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

    def run(name: str, *arguments: object) -> None:
        command = [programs / name, *map(str, arguments)]
        subprocess.run(command, check=True, user=owner, cwd=folder, stdout=subprocess.DEVNULL)

    data = folder / "data"
    try:
        login = ("--username", USER, "--pwfile", password, "--auth", "scram-sha-256")
        run("initdb", "--no-sync", "--locale", "C.UTF-8", "--encoding", "UTF8", *login, data)
        options = f"-F -p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories="
        run("pg_ctl", "start", "--wait", "--silent", "--pgdata", data, "--log", folder / "log", "--options", options)
        try:
            yield f"postgresql://{USER}:{quote(PASSWORD, safe='')}@127.0.0.1:{port}/postgres"
        finally:
            run("pg_ctl", "stop", "--mode", "immediate", "--silent", "--pgdata", data)
    finally:
        shutil.rmtree(folder)


class Bucket:
    """An S3 server, which can be stopped and started again, and the environment of its users."""

    def __init__(self) -> None:
        self._port = 0
        self.start()
        self.environment = {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self._port}",
            "AWS_ACCESS_KEY_ID": "of-a-test",
            "AWS_SECRET_ACCESS_KEY": "of-a-test",
            "AWS_DEFAULT_REGION": "us-east-1",
        }
        with pytest.MonkeyPatch.context() as patched:
            for variable, value in self.environment.items():
                patched.setenv(variable, value)
            self.client = boto3.client("s3")

    def start(self) -> None:
        """Answer, with what the bucket had before: moto keeps it in this process."""
        application = DomainDispatcherApplication(create_backend_app)
        self._server = make_server("127.0.0.1", self._port, application, threaded=True, request_handler=Silent)
        self._port = self._server.port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        """Refuse connections."""
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> "Bucket":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class Silent(MotoRequestHandler):
    """moto's own, without a line for each request."""

    def log_request(self, *_: object) -> None:
        """Nothing."""
