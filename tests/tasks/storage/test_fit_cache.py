"""Finished units: a key is its content, and a value is there whole or not at all."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.fits import run_schemes
from tasks.runtime.errors import UserError
from tasks.storage import fit_cache
from tests.tasks.mistakes import assert_names

LAWS = settings(max_examples=60, deadline=None, derandomize=True, database=None)
KEY = fit_cache.key("a", 1)

leaves = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=4))
values = st.recursive(
    leaves,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=2), inner, max_size=3)),
)


def exact(value):
    """A value that equals another one only if the types are equal too, and that ignores the order of a dict."""
    if isinstance(value, dict):
        return "dict", sorted((name, exact(item)) for name, item in value.items())
    return (type(value).__name__, [exact(item) for item in value] if isinstance(value, list) else repr(value))


def turned(value):
    """The same value with every dict in the opposite order."""
    if isinstance(value, dict):
        return {name: turned(item) for name, item in reversed(value.items())}
    return [turned(item) for item in value] if isinstance(value, list) else value


@LAWS
@given(st.lists(values, max_size=3))
def test_the_order_of_a_dict_is_no_content(parts):
    assert fit_cache.key(*parts) == fit_cache.key(*turned(parts))


@LAWS
@given(st.lists(st.lists(values, max_size=3), max_size=8, unique_by=lambda parts: str(exact(parts))))
def test_keys_differ_wherever_any_part_differs(several):
    assert len(several) == len({fit_cache.key(*parts) for parts in several})


def test_parts_are_told_from_one_part():
    assert fit_cache.key("a", "b") != fit_cache.key("ab")
    assert fit_cache.key(["a"], "b") != fit_cache.key("a", ["b"])


def test_a_key_is_the_same_in_every_process(shipped):
    program = "from tasks.storage import fit_cache; print(fit_cache.key('fit', {'b': True, 'a': [1.5, None]}))"
    environment = {**os.environ, "PYTHONPATH": str(shipped.parent), "PYTHONHASHSEED": "7"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert fit_cache.key("fit", {"a": [1.5, None], "b": True}) == done.stdout.strip()


def test_a_label_that_is_a_number_is_told_from_the_same_label_as_text():
    # class_weight: {1: 5} weighs a class of numbers, {"1": 5} one of texts
    assert fit_cache.key({"class_weight": {1: 5}}) != fit_cache.key({"class_weight": {"1": 5}})


def test_all_units_lie_below_the_folder_and_are_gone_with_it(checkout):
    fit_cache.store.save(KEY, 1)
    assert [Path(".cache")] == [path.relative_to(checkout) for path in checkout.iterdir()]


def test_another_version_is_another_key_and_no_other_content(monkeypatch):
    key, content = fit_cache.key("fit", 1), fit_cache.content_hash("fit", 1)
    monkeypatch.setattr(fit_cache, "VERSION", fit_cache.VERSION + 1)
    assert key != fit_cache.key("fit", 1)
    assert content == fit_cache.content_hash("fit", 1)  # the ledger's ids outlive a version


@pytest.mark.fault("fit store")
def test_a_unit_of_another_version_of_a_library_is_another_unit(shipped, tmp_path):
    """A version is read from the first folder of the path that has one: here from folders with nothing else."""
    libraries = ["numpy", "pandas", "scikit-learn", "lightgbm", "xgboost", "xgboost-cpu"]
    for library in libraries:
        folder = tmp_path / library / f"{library.replace('-', '_')}-0.0.dist-info"
        folder.mkdir(parents=True)
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {library}\nVersion: 0.0\n")
    program = """
import importlib, sys
from tasks.storage import fit_cache

print(fit_cache.key("a", 1))
for folder in sys.argv[1:]:
    sys.path.insert(0, folder)
    print(importlib.reload(fit_cache).key("a", 1))
    del sys.path[0]
sys.version_info = (3, 99)
print(importlib.reload(fit_cache).key("a", 1))
"""
    command = [sys.executable, "-c", program, *(str(tmp_path / library) for library in libraries)]
    environment = {**os.environ, "PYTHONPATH": str(shipped.parent)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    found = done.stdout.split()
    assert KEY == found[0]
    assert 2 + len(libraries) == len({*found}), "each library and Python itself has a part in the key"


@pytest.mark.fault("fit store")
def test_a_run_removes_files_beyond_the_limit_before_its_first_fit(settings_with, caplog):
    caplog.set_level("INFO", "heldout")
    fit_cache.store.save(KEY, bytes(10_000))
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
