"""The environment of every entry point, in a checkout and in a temporary copy that DVC made of it."""

import os
from unittest import mock

import pytest

from tasks.runtime import environment
from tasks.runtime.checkout_lock import checkout_lock


@pytest.fixture
def copy(checkout, monkeypatch):
    """The current folder is a copy of the checkout, in a stage of DVC's."""
    inner = checkout / ".dvc/tmp/exps/tmp1"
    inner.mkdir(parents=True)
    for folder in (checkout, inner):
        (folder / "dvc.yaml").touch()
    with mock.patch.dict(os.environ, {"DVC_ROOT": str(checkout), "DVC_STAGE": "prepare"}):  # puts back what is set
        monkeypatch.chdir(inner)
        yield inner


def test_a_copy_has_the_fits_and_the_records_of_the_checkout(checkout, copy):
    assert copy == environment.enter() == environment.enter()
    for name in (".cache/tasks", "mlruns/artifacts"):
        (copy / name).mkdir()
        assert (checkout / name).is_dir()
    assert "-tmp1" == environment.copy_suffix()


def test_a_copy_and_the_checkout_may_run_at_the_same_time(checkout, copy):
    environment.enter()
    with checkout_lock():
        assert ["lock-tmp1"] == [path.name for path in (checkout / ".cache").iterdir()]
    assert [] == [*(checkout / ".cache").iterdir()]


@pytest.mark.parametrize("outside", ["a stage", "a copy"])
def test_nothing_is_shared_outside_of(outside, checkout, copy, monkeypatch):
    if outside == "a stage":
        monkeypatch.delenv("DVC_STAGE")
    else:
        monkeypatch.chdir(checkout)
    environment.enter()
    assert [] == [*copy.glob("mlruns"), *checkout.glob("mlruns")]
    assert "" == environment.copy_suffix()


def test_dvc_keeps_its_pickles_where_nobody_else_may_write(checkout, copy, monkeypatch):
    monkeypatch.delenv("DVC_SITE_CACHE_DIR", raising=False)
    environment.enter()
    assert str(copy / ".cache/dvc") == os.environ["DVC_SITE_CACHE_DIR"]
    monkeypatch.setenv("DVC_SITE_CACHE_DIR", "my own")
    environment.enter()
    assert "my own" == os.environ["DVC_SITE_CACHE_DIR"]
