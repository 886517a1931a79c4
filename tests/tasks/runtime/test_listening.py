"""Where our servers listen: on loopback alone."""

import socket

import pytest

from tasks.runtime import listening
from tasks.runtime.errors import UserError

pytestmark = pytest.mark.fault("servers")


def test_a_port_of_loopback_and_no_other_address_and_it_is_taken_once():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with listening.at(port) as opened:
        assert ("127.0.0.1", port) == opened.getsockname()
        with socket.socket() as other:
            assert other.connect_ex(("127.0.0.2", port)) != 0
        with pytest.raises(UserError, match=f"127.0.0.1:{port}.*--port"):
            listening.at(port)
    listening.at(port).close()


def test_an_answer_does_not_wait_until_its_first_part_is_acknowledged():
    with socket.socket() as probe:
        probe.bind((listening.LOOPBACK, 0))
        port = probe.getsockname()[1]
    with listening.at(port) as opened, socket.create_connection((listening.LOOPBACK, port)):
        accepted, _ = opened.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.parametrize("port", [0, -1, 65_536])
def test_no_port_is_refused(port):
    with pytest.raises(UserError, match=f"{port}.*65535"):
        listening.at(port)
