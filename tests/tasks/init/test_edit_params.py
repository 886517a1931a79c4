"""Values change, comments stay: of the shipped params.yaml, of one that init wrote, of any in block style."""

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tasks.init.edit_params import CommentedItems, fill
from tasks.params.read_yaml import read

SMALL = """\
# of all
seed: 0  # beside

data:
  # where
  source: a.csv
  # to leave out
  drop:
    - x
    - y

# the list
candidates:
- name: one
  params:
    # inside
    C: 1
- name: two

# last
loss: null
"""

few = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
texts = st.text(max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
PATHS = [("seed",), ("data", "source"), ("data", "drop"), ("data", "new"), ("candidates",), ("loss",), ("other", "key")]


def comments(text):
    return [line for line in text.splitlines() if line.lstrip().startswith("#")]


@few
@given(st.dictionaries(st.sampled_from(PATHS), values, max_size=len(PATHS)))
def test_what_is_filled_in_is_read_again_and_the_rest_is_as_it_was(wanted):
    before = read(SMALL)
    found = read(fill(SMALL, wanted))
    for path in PATHS:
        section, other = (found, before) if len(path) == 1 else (found.get(path[0], {}), before.get(path[0], {}))
        if path in wanted:
            assert wanted[path] == section[path[-1]]
        elif path[-1] in other:
            assert other[path[-1]] == section[path[-1]]


@few
@given(st.dictionaries(st.sampled_from(PATHS), values, max_size=len(PATHS)))
@example({("seed",): {"\n": None}})
@example({("seed",): "a\n\nb"})
def test_filling_twice_is_filling_once(wanted):
    once = fill(SMALL, wanted)
    assert once == fill(once, wanted)


def test_comments_stay_beside_their_keys():
    filled = fill(SMALL, {("data", "drop"): [], ("candidates",): [{"name": "three"}], ("data", "source"): "b.csv"})
    assert ["# of all", "  # where", "  # to leave out", "# the list", "# last"] == comments(filled)
    assert "  # where\n  source: b.csv\n" in filled
    assert "# the list\ncandidates:\n  - name: three\n\n# last\n" in filled
    assert "seed: 0  # beside\n" in filled


def test_items_carry_their_reasons_and_give_them_up_to_others():
    filled = fill(SMALL, {("data", "drop"): CommentedItems([("id", "each once"), ("a: b", "odd\nname\0"), ("z", "")])})
    assert "  drop:\n    - id  # each once\n    - 'a: b'  # odd name \n    - z\n" in filled
    assert ["id", "a: b", "z"] == read(filled)["data"]["drop"]
    assert SMALL.replace("    - x\n    - y\n", "    - w  # why\n") == fill(
        filled, {("data", "drop"): CommentedItems([("w", "why")])}
    )


@pytest.mark.parametrize("template", ["{seed: 0, data: {source: a}}", "seed: 0\ndata: {source: a}\n", "{}"])
def test_a_template_in_another_style_is_written_anew(template):
    filled = fill(template, {("data", "source"): "b", ("loss",): None})
    assert {"source": "b"} == read(filled)["data"]


def test_the_shipped_comments_all_stay(shipped):
    text = shipped.read_text()
    assert comments(text) == comments(fill(text, {("data", "source"): "x", ("candidates",): {}, ("intervals",): None}))
