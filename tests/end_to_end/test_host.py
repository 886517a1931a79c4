"""The process that serves the stages: nobody but its owner may ask it, or read what it stores."""

import os
import socket
import stat
import tempfile
from pathlib import Path

import pytest

from flows.host import _bind

pytestmark = pytest.mark.fault("hostile")


@pytest.mark.parametrize("umask", [0, 0o777], ids=oct)
def test_only_its_owner_may_connect_to_the_socket(umask, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    address = tmp_path.joinpath("host.sock").relative_to(tmp_path)
    before = os.umask(umask)
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            _bind(listener, address)
            assert umask == os.umask(umask)
            assert 0o600 == stat.S_IMODE(address.stat().st_mode)
    finally:
        os.umask(before)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_another_user_of_the_machine_cannot_connect_though_every_folder_is_open():
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
        Path(folder).chmod(0o777)
        address = Path(folder, "host.sock")
        _bind(listener, address)
        listener.listen()
        assert [True, False] == [connects(address, user) for user in (0, 65534)]


def connects(address: Path, user: int) -> bool:
    """Whether a process of a user can connect."""
    child = os.fork()
    if child == 0:
        os.setuid(user)
        with socket.socket(socket.AF_UNIX) as connection:
            os._exit(connection.connect_ex(str(address)))
    return os.waitpid(child, 0)[1] == 0


def test_only_its_owner_may_enter_the_cache_and_read_its_fits(brief):
    cache = brief.path / ".cache"
    files = [cache / "lock", cache / "host.log", *(path for path in (cache / "tasks").rglob("*") if path.is_file())]
    assert 0o700 == stat.S_IMODE(cache.stat().st_mode)
    assert {0o600} == {stat.S_IMODE(path.stat().st_mode) for path in files}
