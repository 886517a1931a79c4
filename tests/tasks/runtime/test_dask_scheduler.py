"""A scheduler that params.yaml names is used only if the user vouches for it."""

import os
import socket

import pytest
from dask import config

from tasks.fits import dask_cluster
from tasks.runtime import dask_scheduler
from tasks.runtime.errors import UserError


@pytest.fixture
def listener():
    """A function that listens at a free port of an address of this machine."""
    made = []

    def listen(host: str) -> socket.socket:
        made.append(socket.create_server((host, 0)))
        return made[-1]

    yield listen
    for each in made:
        each.close()


def test_a_process_of_this_user_on_this_machine_is_allowed(listener):
    address = f"tcp://127.0.0.1:{listener('127.0.0.1').getsockname()[1]}"
    assert address == dask_scheduler.allowed(address)


def test_an_address_without_a_listener_is_refused_with_what_to_do(listener):
    port = (gone := listener("127.0.0.1")).getsockname()[1]
    gone.close()
    with pytest.raises(UserError) as refused:
        dask_scheduler.allowed(f"tcp://127.0.0.1:{port}")
    assert f"execution.scheduler is tcp://127.0.0.1:{port}" in str(refused.value)
    assert f"dask scheduler --host 127.0.0.1 --port {port}" in str(refused.value)


@pytest.mark.fault("dask scheduler")
def test_another_machine_is_not_connected_to_unless_the_user_named_it(listener):
    stranger = listener("127.0.0.2")  # an address that is not among those of this machine's own processes
    stranger.settimeout(0.2)
    address = f"tcp://127.0.0.2:{stranger.getsockname()[1]}"
    with pytest.raises(UserError) as refused:
        dask_cluster.connect(address)
    assert f"{dask_scheduler.VARIABLE}={address}" in str(refused.value)
    with pytest.raises(TimeoutError):
        stranger.accept()
    with config.set({"scheduler-address": address}):
        assert address == dask_scheduler.allowed(address) == dask_scheduler.allowed(None)
        with pytest.raises(UserError):
            dask_scheduler.allowed("tcp://127.0.0.3:8786")


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_a_process_of_another_user_on_this_machine_is_refused(listener):
    server = listener("127.0.0.1")
    address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
    assert address == dask_scheduler.allowed(address)
    if not (child := os.fork()):
        server.close()
        os.setgid(65534)
        os.setuid(65534)
        try:
            dask_scheduler.allowed(address)
        except UserError as refused:
            os._exit(10 + ("no process of yours listens" in str(refused)))
        os._exit(0)
    assert 11 == os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_certificates_of_the_user_vouch_for_a_scheduler_elsewhere():
    address = "tls://10.0.0.7:8786"
    with pytest.raises(UserError):
        dask_scheduler.allowed(address)
    tls = {"ca-file": "ca.pem", "client": {"cert": "client.pem"}}
    with config.set({"distributed.comm.tls": tls}):
        assert address == dask_scheduler.allowed(address)
        with pytest.raises(UserError):
            dask_scheduler.allowed(address.replace("tls", "tcp"))


@pytest.mark.parametrize(
    ("address", "exposed"),
    [
        ("tcp://127.0.0.1:8786", False),
        ("tcp://[::1]:8786", False),
        ("tls://10.0.0.7:8786", False),
        ("tcp://10.0.0.7:8786", True),
        ("tcp://0.0.0.0:8786", True),
    ],
)
def test_what_others_can_reach(address, exposed):
    assert exposed == dask_scheduler.is_exposed(address)


@pytest.mark.parametrize(
    "text", ["127.0.0.1:8786", "ws://h:1", "inproc://h:1", "tcp://u:p@h:1", "tcp://h", "tcp://h:1/x"]
)
def test_no_address(text):
    assert not dask_scheduler.is_address(text)
