"""The form of a deployment's run, `changes`: what it sets, that all of it is allowed, and what is refused."""

import shutil

import pytest

from tasks.params import load
from tasks.params.changes import Changes
from tasks.params.from_server import check_given
from tasks.runtime.errors import UserError

FILLED = Changes(
    source="sklearn:iris",
    criterion="E_val",
    rule="one_standard_error",
    deliver="k_fold",
    folds="loo",
    candidates=["tree", "naive-bayes"],
)


@pytest.fixture
def params(shipped, checkout):
    shutil.copy(shipped, checkout / "params.yaml")
    return "params.yaml"


def test_an_empty_form_changes_nothing(params):
    assert () == Changes().overrides(params)


def test_a_filled_form_sets_what_it_says_and_leaves_the_rest(params):
    shipped, changed = load(params), load(params, FILLED.overrides(params))
    assert ("sklearn:iris", "E_val", "one_standard_error", "k_fold", "loo") == (
        changed.data.source,
        changed.criterion,
        changed.selection.rule,
        changed.deliver,
        changed.split.folds,
    )
    by_name = {candidate.name: candidate for candidate in shipped.candidates}
    assert [by_name["naive-bayes"], by_name["tree"]] == changed.candidates  # in the order of the file
    same = {"split": {"folds"}, "data": {"source"}, "selection": {"criterion", "rule"}}
    left_out = {**same, "deliver": True, "candidates": True}
    assert shipped.model_dump(exclude=left_out) == changed.model_dump(exclude=left_out)


@pytest.mark.fault("hostile")
@pytest.mark.parametrize("source", ["x\ntracking.uri=http://evil.example", "{a: b}", "1e-05", "null"])
def test_whatever_is_written_into_the_form_is_a_value_of_its_key(params, source):
    assert source == load(params, Changes(source=source).overrides(params)).data.source


def test_a_deployment_may_be_given_all_that_the_form_sets(params):
    assert {*Changes.model_fields} == FILLED.model_fields_set
    check_given(params, FILLED.overrides(params))


def test_a_candidate_that_the_file_does_not_have_is_refused_with_those_that_it_has(params):
    with pytest.raises(UserError) as refused:
        Changes(candidates=["tree", "oak"]).overrides(params)
    assert all(word in str(refused.value) for word in ("'oak'", params, "tree", "forest"))


def test_each_field_says_what_it_means():
    assert all(field.title and field.description for field in Changes.model_fields.values())


def test_the_form_offers_the_candidates_of_the_file(params, settings_with):
    schema = Changes.offering(params).model_json_schema()["properties"]["candidates"]
    assert [candidate.name for candidate in settings_with().candidates] == schema["items"]["enum"]
    assert Changes.model_fields["candidates"].description == schema["description"]
