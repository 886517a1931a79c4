"""Where our pages listen: on loopback, and on another address only for who says that all who reach it are trusted."""

import socket

import pytest
from starlette.datastructures import Headers

from tasks.runtime import listening
from tasks.runtime.errors import UserError
from tasks.runtime.own_address import is_own

pytestmark = pytest.mark.fault("servers")


def test_loopback_needs_no_word_and_another_address_needs_one_and_a_warning(capsys):
    listening.check("127.0.0.1", False)
    listening.check("localhost", False)
    assert "" == capsys.readouterr().err
    with pytest.raises(UserError, match=r"--host is '192\.0\.2\.1'.*encrypted.*--trust-network.*ssh -L"):
        listening.check("192.0.2.1", False)
    listening.check("192.0.2.1", True)
    assert capsys.readouterr().err.startswith("warning: nothing is encrypted: ")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "::1"])
def test_all_addresses_at_once_are_refused_since_any_name_would_pass(host):
    with pytest.raises(UserError, match="name one IPv4 address"):
        listening.check(host, True)


def test_loopback_and_the_address_listen_at_one_port_and_no_other_address():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    opened = listening.sockets("127.0.0.2", port)
    try:
        assert [("127.0.0.1", port), ("127.0.0.2", port)] == [one.getsockname() for one in opened]
        with socket.socket() as other:
            assert other.connect_ex(("127.0.0.3", port)) != 0
        with pytest.raises(UserError, match=f"^port {port} is in use.*--port"):
            listening.sockets("127.0.0.1", port)
    finally:
        for one in opened:
            one.close()


@pytest.mark.parametrize(("host", "port"), [("192.0.2.1", 5000), ("no.such.name.invalid", 5000), ("127.0.0.1", 0)])
def test_an_address_of_another_machine_no_address_and_no_port_are_refused(host, port):
    with pytest.raises(UserError, match=f"{host}|{port}"):
        listening.sockets(host, port)


def test_a_page_passes_at_the_further_name_alone():
    names = ("127.0.0.1", "localhost", "runs.example")
    own = {"host": "runs.example:5000", "origin": "http://runs.example:5000"}
    assert is_own(Headers(own), names)
    assert not is_own(Headers(own))
    assert not is_own(Headers({**own, "host": "evil.runs.example:5000"}), names)
    assert not is_own(Headers({**own, "origin": "http://evil.example"}), names)
