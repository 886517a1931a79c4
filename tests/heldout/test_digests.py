"""A key is its content: the same in every process, another one wherever any part differs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout import digests

LAWS = settings(max_examples=60, deadline=None, derandomize=True, database=None)
ROOT = str(Path(digests.__file__).parents[1])

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
    assert digests.key(*parts) == digests.key(*turned(parts))


@LAWS
@given(st.lists(st.lists(values, max_size=3), max_size=8, unique_by=lambda parts: str(exact(parts))))
def test_keys_differ_wherever_any_part_differs(several):
    assert len(several) == len({digests.key(*parts) for parts in several})


def test_parts_are_told_from_one_part():
    assert digests.key("a", "b") != digests.key("ab")
    assert digests.key(["a"], "b") != digests.key("a", ["b"])


def test_a_key_is_the_same_in_every_process():
    program = "from heldout import digests; print(digests.key('fit', {'b': True, 'a': [1.5, None]}))"
    environment = {**os.environ, "PYTHONPATH": ROOT, "PYTHONHASHSEED": "7"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert digests.key("fit", {"a": [1.5, None], "b": True}) == done.stdout.strip()


def test_a_label_that_is_a_number_is_told_from_the_same_label_as_text():
    # class_weight: {1: 5} weighs a class of numbers, {"1": 5} one of texts
    assert digests.key({"class_weight": {1: 5}}) != digests.key({"class_weight": {"1": 5}})


def test_another_version_is_another_key_and_no_other_content(monkeypatch):
    key, content = digests.key("fit", 1), digests.content_hash("fit", 1)
    monkeypatch.setattr(digests, "METHOD_VERSION", digests.METHOD_VERSION + 1)
    assert key != digests.key("fit", 1)
    assert content == digests.content_hash("fit", 1)  # the ledger's ids outlive a version


@pytest.mark.fault("fit store")
def test_a_unit_of_another_version_of_a_library_is_another_unit(tmp_path):
    """A version is read from the first folder of the path that has one: here from folders with nothing else."""
    libraries = ["numpy", "pandas", "scikit-learn", "lightgbm", "xgboost", "xgboost-cpu"]
    for library in libraries:
        folder = tmp_path / library / f"{library.replace('-', '_')}-0.0.dist-info"
        folder.mkdir(parents=True)
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {library}\nVersion: 0.0\n")
    program = """
import importlib, sys
from heldout import digests

print(digests.key("a", 1))
for folder in sys.argv[1:]:
    sys.path.insert(0, folder)
    print(importlib.reload(digests).key("a", 1))
    del sys.path[0]
sys.version_info = (3, 99)
print(importlib.reload(digests).key("a", 1))
"""
    command = [sys.executable, "-c", program, *(str(tmp_path / library) for library in libraries)]
    environment = {**os.environ, "PYTHONPATH": ROOT}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    found = done.stdout.split()
    assert digests.key("a", 1) == found[0]
    assert 2 + len(libraries) == len({*found}), "each library and Python itself has a part in the key"
