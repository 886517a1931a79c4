"""Whatever is done to one place of params.yaml: a user is told, and never shown a traceback."""

import copy
import datetime
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tasks.errors import UserError
from tasks.params import Settings, load

RAW = yaml.safe_load((Path(__file__).parents[2] / "params.yaml").read_text())
RAW["intervals"] = {"E_val": "Wilson", "E_cv": "nested"}
RAW["candidates"][1]["family"] = {"parameter": "C", "values": [0.1, 1]}
RAW["candidates"].append(
    {
        "name": "epochs",
        "estimator": "sklearn.linear_model.SGDClassifier",
        "family": {"parameter": "epochs", "values": [1, 3]},
    }
)
LAWS = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],  # the folder of a test serves all its examples
)


def places(node, place=()) -> list[tuple]:
    """Every place of the file, in lists and in the learners' own parameters too."""
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return ([place] if place else []) + [found for name, item in inner for found in places(item, (*place, name))]


words = st.one_of(st.text(max_size=6), st.sampled_from(["sklearn.svm", "a.b", "sklearn.svm.SVC", "loo", "auto", "1"]))
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    words,
    st.just(datetime.date(2026, 1, 2)),
    st.binary(max_size=3),
)
values = st.one_of(
    scalars,
    st.lists(scalars, max_size=3),
    st.dictionaries(st.one_of(words, st.integers(), st.none()), scalars, max_size=3),
)


def told(raw) -> list[str]:
    """What a user is told; nothing if the parameters can be used."""
    Path("params.yaml").write_text(yaml.safe_dump(raw, allow_unicode=True), encoding="utf-8")
    try:
        assert Settings is type(load())
    except UserError as error:
        lines = str(error).split("\n")
        assert 1 <= len(lines) <= 11
        assert all(line.startswith(("params.yaml: ", "… and ")) for line in lines)
        return lines
    return []


def at(raw, place):
    for name in place:
        raw = raw[name]
    return raw


@LAWS
@given(st.sampled_from(places(RAW)), values)
def test_another_value_at_any_place_is_read_or_told(place, value):
    raw = copy.deepcopy(RAW)
    at(raw, place[:-1])[place[-1]] = value
    told(raw)


@LAWS
@given(st.sampled_from([place for place in places(RAW) if isinstance(place[-1], str)]), words)
def test_another_name_for_any_key_is_told(place, name):
    raw = copy.deepcopy(RAW)
    at(raw, place[:-1])[name] = at(raw, place[:-1]).pop(place[-1])
    told(raw)


@pytest.mark.parametrize("place", places(RAW), ids=str)
def test_any_place_left_out_is_read_or_told(place):
    raw = copy.deepcopy(RAW)
    del at(raw, place[:-1])[place[-1]]
    told(raw)


@pytest.mark.parametrize("key", [1, True])
def test_a_key_that_is_no_text_is_told(key):
    assert told({**RAW, key: 1})


@pytest.mark.parametrize("text", ["2026-13-01", "0x_", "!!int many"])
def test_a_date_or_number_that_is_none_is_told(text):
    Path("params.yaml").write_text(f"seed: {text}\n")
    with pytest.raises(UserError):
        load()


@pytest.mark.parametrize("path", [".svm.SVC", "..SVC"])
def test_a_relative_import_path_is_told(path):
    raw = copy.deepcopy(RAW)
    raw["candidates"][0]["estimator"] = path
    assert told(raw)


@pytest.mark.parametrize(("name", "text"), [("own_unparsable", "class Own(:"), ("own_unbound", "Own = Base")])
def test_a_mistake_in_the_users_own_module_is_told(name, text):
    Path(f"{name}.py").write_text(text + "\n")
    raw = copy.deepcopy(RAW)
    raw["candidates"][0] = {"name": "own", "estimator": f"{name}.Own"}
    assert told(raw)


def test_a_wrong_number_of_folds_is_told_that_loo_is_allowed():
    raw = copy.deepcopy(RAW)
    raw["split"]["folds"] = "all"
    (line,) = told(raw)
    assert "loo" in line
