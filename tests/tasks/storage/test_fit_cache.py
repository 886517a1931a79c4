"""Finished units: a key is its content, and a value is there whole or not at all."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.storage import fit_cache

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


@pytest.mark.parametrize(
    "value",
    [None, (np.arange(3.0), None), (np.zeros((0,)), 0.25), {"a": [1, "b"]}],
    ids=lambda value: type(value).__name__,
)
def test_what_was_saved_is_loaded(value):
    assert not fit_cache.has(KEY)
    fit_cache.save(KEY, value)
    assert fit_cache.has(KEY)
    assert repr(value) == repr(fit_cache.load(KEY))


def test_a_second_save_takes_the_place_of_the_first_and_leaves_other_units():
    other = fit_cache.key("b", 1)
    fit_cache.save(other, "other")
    fit_cache.save(KEY, "first")
    fit_cache.save(KEY, "second")
    assert ("second", "other") == (fit_cache.load(KEY), fit_cache.load(other))
    assert 2 == sum(path.is_file() for path in fit_cache.FOLDER.rglob("*"))


def test_all_units_lie_below_the_folder_and_are_gone_with_it(checkout):
    fit_cache.save(KEY, 1)
    assert [Path(".cache")] == [path.relative_to(checkout) for path in checkout.iterdir()]


class Killed:
    """Goes wrong half way through being written."""

    def __reduce__(self):
        raise KeyboardInterrupt


@pytest.mark.parametrize("before", [False, True])
def test_a_save_that_is_interrupted_half_way_leaves_what_was_there(before):
    if before:
        fit_cache.save(KEY, "before")
    with pytest.raises(KeyboardInterrupt):
        fit_cache.save(KEY, (np.zeros(10_000), Killed()))
    assert before == fit_cache.has(KEY)
    if before:
        assert "before" == fit_cache.load(KEY)
    fit_cache.save(KEY, "after")
    assert "after" == fit_cache.load(KEY)


class Meets:
    """Is written by two threads at once."""

    def __init__(self, barrier):
        self.barrier = barrier

    def __reduce__(self):
        self.barrier.wait()
        return str, ("met",)


def test_two_threads_may_finish_the_same_unit():
    barrier, errors = threading.Barrier(2, timeout=10), []

    def save():
        try:
            fit_cache.save(KEY, Meets(barrier))
        except OSError as error:
            errors.append(error)

    threads = [threading.Thread(target=save) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [] == errors


def test_another_version_is_another_key_and_no_other_content(monkeypatch):
    key, content = fit_cache.key("fit", 1), fit_cache.content_hash("fit", 1)
    monkeypatch.setattr(fit_cache, "VERSION", fit_cache.VERSION + 1)
    assert key != fit_cache.key("fit", 1)
    assert content == fit_cache.content_hash("fit", 1)  # the ledger's ids outlive a version
