"""Candidates as a mapping from their names: the same as a list, in errors and overrides too."""

import pytest
import yaml

from tasks.params import load
from tasks.runtime.errors import UserError


@pytest.fixture
def as_mapping(shipped, checkout):
    """A file with the shipped parameters, in which each candidate stands under its name."""
    written = yaml.safe_load(shipped.read_text())
    written["candidates"] = {candidate.pop("name"): candidate for candidate in written["candidates"]}
    (checkout / "params.yaml").write_text(yaml.safe_dump(written, sort_keys=False))
    return checkout / "params.yaml"


def test_a_mapping_is_the_same_as_the_list(as_mapping, shipped):
    assert load(shipped).model_dump() == load(as_mapping).model_dump()


def test_one_setting_is_overridden_by_the_name_of_its_candidate_in_both_forms(as_mapping, shipped):
    changes = ["candidates.logistic.params.C=0.5"]
    place = [candidate.name for candidate in load(shipped).candidates].index("logistic")
    assert 0.5 == load(shipped, changes).candidates[place].params["C"]
    numbered = load(shipped, [f"candidates.{place}.params.C=0.5"])
    assert numbered.model_dump() == load(shipped, changes).model_dump() == load(as_mapping, changes).model_dump()
    by_name = ["candidates={tree: {estimator: sklearn.tree.DecisionTreeClassifier}}"]
    assert ["tree"] == [candidate.name for candidate in load(shipped, by_name).candidates]


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
