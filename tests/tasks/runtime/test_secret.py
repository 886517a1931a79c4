"""The secret of a checkout: made once, the same everywhere, and readable for its owner alone."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tasks.runtime.errors import UserError
from tasks.runtime.secret import checkout_secret

pytestmark = pytest.mark.fault("hostile")


@pytest.fixture(autouse=True)
def checkout(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_it_stays_and_differs_between_purposes_and_checkouts(checkout, monkeypatch):
    first = checkout_secret("server")
    assert first == checkout_secret("server") != checkout_secret("fits")
    assert 64 == len(first)
    (checkout / "other").mkdir()
    monkeypatch.chdir(checkout / "other")
    assert first != checkout_secret("server")


@pytest.mark.parametrize("umask", [0o000, 0o077, 0o777])
def test_only_the_owner_may_read_it_whatever_the_umask(checkout, umask):
    (checkout / ".cache").mkdir()
    before = os.umask(umask)
    try:
        checkout_secret("server")
    finally:
        os.umask(before)
    assert [".cache/secret"] == [str(path.relative_to(checkout)) for path in checkout.rglob("*") if path.is_file()]
    assert 0o600 == stat.S_IMODE((checkout / ".cache/secret").stat().st_mode)


def test_all_who_ask_first_at_the_same_time_get_the_same():
    with ThreadPoolExecutor(16) as pool:
        assert 1 == len(set(pool.map(checkout_secret, ["server"] * 64)))


@pytest.mark.parametrize("harm", [lambda path: path.chmod(0o640), lambda path: path.write_bytes(b"short")])
def test_a_secret_that_others_may_know_is_refused(checkout, harm):
    checkout_secret("server")
    harm(checkout / ".cache/secret")
    with pytest.raises(UserError, match=r"\.cache/secret.*600.*remove"):
        checkout_secret("server")
