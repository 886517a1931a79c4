"""Candidates as a mapping from their names: the same as a list, in errors and overrides too."""

import pytest
import yaml

from tasks.params import load
from tasks.runtime.errors import UserError


@pytest.fixture
def as_mapping(shipped, checkout):
    """A copy of the shipped file, in which each candidate stands under its name."""
    (checkout / "params.yaml").write_bytes(shipped.read_bytes())
    return checkout / "params.yaml"


@pytest.fixture
def as_list(shipped, checkout):
    """A file with the shipped parameters, in which the candidates are a list."""
    written = yaml.safe_load(shipped.read_text())
    written["candidates"] = [{"name": name, **of} for name, of in written["candidates"].items()]
    (checkout / "list.yaml").write_text(yaml.safe_dump(written, sort_keys=False))
    return checkout / "list.yaml"


def test_a_mapping_is_the_same_as_the_list(as_mapping, as_list):
    assert load(as_list).model_dump() == load(as_mapping).model_dump()


@pytest.mark.parametrize("candidates", ["{a.b: {estimator: %s}}", "[{name: a.b, estimator: %s}]"])
def test_a_dot_in_a_name_is_refused_with_its_reason(shipped, candidates):
    with pytest.raises(UserError, match=r"candidates\[0\]\.name is 'a\.b'; a dot .*dvc exp run -S.*'a-b'"):
        load(shipped, [f"candidates={candidates % 'sklearn.naive_bayes.GaussianNB'}"])


def test_one_setting_is_overridden_by_the_name_of_its_candidate_in_both_forms(as_mapping, as_list):
    changes = ["candidates.logistic.params.C=0.5"]
    place = [candidate.name for candidate in load(as_list).candidates].index("logistic")
    assert 0.5 == load(as_list, changes).candidates[place].params["C"]
    numbered = load(as_list, [f"candidates.{place}.params.C=0.5"])
    assert numbered.model_dump() == load(as_list, changes).model_dump() == load(as_mapping, changes).model_dump()
    by_name = ["candidates={tree: {estimator: sklearn.tree.DecisionTreeClassifier}}"]
    assert ["tree"] == [candidate.name for candidate in load(as_list, by_name).candidates]


def test_a_mistake_is_reported_with_its_key_and_its_override_too(as_mapping):
    text = as_mapping.read_text()
    as_mapping.write_text(text.replace("n_neighbors: 5", "n_neighbours: 5"))
    with pytest.raises(UserError, match=r"candidates\[4\]\.params\.n_neighbours"):
        load(as_mapping)
    as_mapping.write_text(text)
    with pytest.raises(UserError, match=r"--set: candidates\[1\]"):
        load(as_mapping, ["candidates.logistic.params.D=1"])


def test_a_candidate_has_one_name(as_mapping):
    as_mapping.write_text(as_mapping.read_text().replace("  forest:\n", "  forest:\n    name: wood\n"))
    with pytest.raises(UserError, match=r"'forest' has the name 'wood' too"):
        load(as_mapping)
