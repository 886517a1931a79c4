"""The store of finished fits of a checkout."""

import os
import shutil
import stat
from pathlib import Path

import pytest

from heldout import digests
from tasks.fits import run_schemes
from tasks.runtime.errors import UserError
from tasks.storage import fit_cache
from tests.tasks.mistakes import assert_names

KEY = digests.key("a", 1)


def test_all_units_lie_below_the_folder_and_are_gone_with_it(checkout):
    fit_cache.store.save(KEY, 1)
    assert [Path(".cache")] == [path.relative_to(checkout) for path in checkout.iterdir()]


@pytest.mark.fault("fit store")
def test_a_run_removes_files_beyond_the_limit_before_its_first_fit(settings_with, caplog):
    caplog.set_level("INFO", "heldout")
    fit_cache.store.save(KEY, os.urandom(10_000))
    run_schemes.remove_old_fits(settings_with("execution.cache_gb=null"))
    run_schemes.remove_old_fits(settings_with())
    assert fit_cache.store.has(KEY)
    assert "" == caplog.text
    run_schemes.remove_old_fits(settings_with("execution.cache_gb=0.000001"))
    assert not fit_cache.store.has(KEY)
    assert_names(caplog.text, "1.01e-05 GB", "execution.cache_gb is 1e-06")


@pytest.mark.fault("hostile")
def test_a_unit_of_another_checkout_is_not_read(checkout, monkeypatch):
    fit_cache.store.save(KEY, 1)
    shutil.copytree(fit_cache.FOLDER, checkout / "second" / fit_cache.FOLDER)
    monkeypatch.chdir(checkout / "second")
    assert not fit_cache.store.has(KEY)
    assert 1 == len(fit_cache.store.refused())
    with pytest.raises(UserError, match="run again"):
        fit_cache.store.load(KEY)
    shutil.copy(checkout / ".cache/secret", ".cache/secret")
    assert 1 == fit_cache.store.load(KEY)


@pytest.mark.fault("hostile")
@pytest.mark.parametrize("umask", [0, 0o022, 0o777], ids=oct)
def test_only_their_owner_may_read_the_files(umask, checkout):
    Path(".cache").mkdir(0o755)  # of an earlier version
    before = os.umask(umask)
    try:
        fit_cache.store.save(KEY, 1)
    finally:
        os.umask(before)
    modes = {path.is_dir(): stat.S_IMODE(path.stat().st_mode) for path in [Path(".cache"), *Path(".cache").rglob("*")]}
    assert {True: 0o700, False: 0o600} == modes


@pytest.mark.fault("hostile")
def test_a_cache_of_another_user_is_refused(monkeypatch):
    fit_cache.store.save(KEY, 1)
    owner = Path(".cache").stat().st_uid
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    with pytest.raises(UserError) as caught:
        fit_cache.store.save(KEY, 2)
    assert_names(str(caught.value), ".cache", owner, "clone")
