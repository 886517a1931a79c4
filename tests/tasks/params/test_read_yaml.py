"""YAML as params.yaml is read: numbers as `dvc exp run -S` writes them, words as users have written them."""

import io

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from tasks.params import load
from tasks.params.read_yaml import Dumper, read

LAWS = settings(max_examples=200, deadline=None, derandomize=True, database=None)


def written_by_dvc(value) -> str:
    """What DVC writes to params.yaml: ruamel.yaml with its defaults."""
    stream = io.StringIO()
    YAML().dump(value, stream)
    return stream.getvalue()


@LAWS
@given(st.one_of(st.floats(allow_nan=False), st.integers(), st.booleans(), st.none()))
@example(1e-05)
@example(1e20)
def test_a_number_that_dvc_writes_is_read_as_that_number(value):
    found = read(written_by_dvc({"C": value}))["C"]
    assert (type(value), value) == (type(found), found)


def test_a_parameter_set_by_dvc_to_a_small_number_is_loaded(shipped, tmp_path):
    path = tmp_path / "params.yaml"
    path.write_text(shipped.read_text().replace("C: 0.1\n", "C: 1e-05\n"))
    assert 1e-05 == load(path).candidates[1].learner().steps[-1][1].C
    assert 1e-05 == load(shipped, ["candidates.1.params.C=1e-05"]).candidates[1].params["C"]


@LAWS
@given(st.one_of(st.text(), st.from_regex(r"[-+.\d]?\d*[.]?\d*[eE]?[-+]?\d*", fullmatch=True)))
def test_a_text_that_is_written_is_read_as_that_text(text):
    assert {"a": [text]} == read(yaml.dump({"a": [text]}, Dumper=Dumper, allow_unicode=True))


@pytest.mark.parametrize(("text", "value"), [("off", False), ("yes", True), ("010", 8), ("0o10", "0o10"), ("e5", "e5")])
def test_words_and_whole_numbers_are_those_of_version_1_1(text, value):
    assert value == read(text)
    assert type(value) is type(read(text))


@pytest.mark.fault("hostile")
@pytest.mark.parametrize("text", ["!!bool x", "!!timestamp x", "!!float x", "2026-02-30", "[", "!!python/tuple [1]"])
def test_what_is_no_value_is_refused(text):
    with pytest.raises(yaml.YAMLError):
        read(text)


@pytest.mark.fault("hostile")
@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? ", "[[], "])
def test_more_levels_than_the_limit_are_refused(opening):
    with pytest.raises(yaml.YAMLError, match="deeper than 100 levels"):
        read(opening * 101)
    assert isinstance(read("[" * 100 + "]" * 100), list)
