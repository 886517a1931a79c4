"""A host that files of a project name, and that listens, gets no login of the environment: nothing connects to it."""

import socket
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

LOGINS = {
    "MLFLOW_TRACKING_USERNAME": "planted",
    "MLFLOW_TRACKING_PASSWORD": "planted",
    "PGPASSWORD": "planted",
    "PREFECT_API_AUTH_STRING": "planted:planted",
    "AWS_ACCESS_KEY_ID": "planted",
    "AWS_SECRET_ACCESS_KEY": "planted",
    "AWS_SESSION_TOKEN": "planted",
}
_IMPATIENT = {"MLFLOW_HTTP_REQUEST_MAX_RETRIES": "0", "MLFLOW_HTTP_REQUEST_TIMEOUT": "5"}


class Host:
    """What listens at an address that is not that of this machine's own servers, and keeps what it gets."""

    def __init__(self, listener: socket.socket) -> None:
        self.place = "{}:{}".format(*listener.getsockname())
        self.connections = 0
        self.got = b""
        self._listener = listener
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:  # the end of the test
                return
            self.connections += 1
            with connection:
                connection.settimeout(1)
                self.got += connection.recv(1 << 16)


@pytest.fixture
def host() -> Iterator[Host]:
    listener = socket.create_server(("127.0.0.2", 0))
    yield Host(listener)
    listener.close()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["http", "postgresql"])
def test_a_store_of_the_parameters_gets_no_login_before_the_user_names_it(clone, server, host, write_params, scheme):
    checkout = clone(server)
    address = f"{scheme}://{host.place}/runs"
    write_params(checkout.path / "params.yaml", tracking={"uri": address})
    checkout = replace(checkout, own={**checkout.own, **LOGINS, "PREFECT_API_AUTH_STRING": server.secret})
    for command in (("python", "-m", "flows", "validate"), ("dvc", "repro")):
        refused = checkout.run(*command, check=False)
        assert refused.returncode not in (0, 1), refused.stdout + refused.stderr
        assert f"tracking.uri is {address}, which is not this machine" in refused.stderr
        assert "MLFLOW_TRACKING_URI" in refused.stderr
    assert (0, b"") == (host.connections, host.got)
    named = replace(checkout, own={**checkout.own, **_IMPATIENT, "MLFLOW_TRACKING_URI": address})
    assert "does not answer" in named.flow("validate", check=False).stderr
    assert host.connections


@pytest.mark.slow
def test_the_files_of_prefect_and_of_dvc_name_no_server_that_gets_a_login(clone, host):
    checkout = clone()
    checkout = replace(checkout, own={**checkout.own, **LOGINS})
    address = f"http://{host.place}/api"
    (checkout.path / "prefect.toml").write_text(f'[api]\nurl = "{address}"\n')
    refused = checkout.flow("trigger", check=False)
    assert (2, "") == (refused.returncode, refused.stdout)
    assert f"PREFECT_API_URL of this folder is {address}, which is not this machine" in refused.stderr
    remote = (
        f"['remote \"shared\"']\nurl = s3://bucket/dvc\nendpointurl = http://{host.place}\n[core]\nremote = shared\n"
    )
    (checkout.path / ".dvc/config").write_text(remote)
    refused = checkout.flow("compare", "HEAD", "workspace", check=False)
    assert 2 == refused.returncode
    assert f"endpointurl of the remote shared in .dvc/config is http://{host.place}" in refused.stderr
    assert (0, b"") == (host.connections, host.got)
