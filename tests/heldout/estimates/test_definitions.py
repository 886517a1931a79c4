"""The registry of estimates: each is explained, has its place, and asks for schemes that exist."""

import pytest

from heldout.estimates import (
    BY_COLUMN,
    ESTIMATES,
    NOT_IN_TIME,
    OF_THE_WINNER,
    PER_CANDIDATE,
    PLANNED_BY,
    SHOWN,
    estimate_candidate,
    scheme_of,
    schemes_of,
)
from heldout.estimates.methods import DEFAULTS, METHODS, VALID
from heldout.testing.estimates import LAWS
from tests.heldout.schemes.test_design import design, evidence

each = pytest.mark.parametrize("definition", ESTIMATES.values(), ids=list(ESTIMATES))


@each
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_every_estimate_keeps_the_laws_that_an_estimate_of_another_package_has_to_keep(definition, law):
    law(definition)


@each
def test_every_method_of_an_estimate_is_in_the_registry(definition):
    methods = [*definition.methods, *(method for some in definition.valid.values() for method in some)]
    assert [] == [method.name for method in methods if method not in METHODS]
    assert (definition.name in DEFAULTS) == (definition.default is not None)
    assert {*definition.valid} == {kind for kind, of in VALID.items() if definition.name in of}


def test_every_estimate_has_a_place_of_its_own():
    assert len(ESTIMATES) == len({definition.column for definition in BY_COLUMN})
    assert {*ESTIMATES} == {definition.name for definition in BY_COLUMN}
    orders = [definition.planning.order for definition in PLANNED_BY]
    assert orders == sorted(set(orders))
    assert ["E_test", "E_bbc", "E_cv", "E_val"] == [definition.name for definition in PLANNED_BY]
    for definition in PLANNED_BY:
        of_baseline = definition.planning.of_baseline or definition.name
        assert of_baseline in ("E_val", "E_cv", "E_test"), "the baseline has no other estimate"


def test_an_estimate_is_of_every_candidate_or_of_the_winner_or_of_what_is_delivered():
    assert {"E_test"} == {*ESTIMATES} - {*PER_CANDIDATE} - {*OF_THE_WINNER}
    assert not {*PER_CANDIDATE} & {*OF_THE_WINNER}


def test_what_tables_of_candidates_leave_out_has_a_reason():
    assert {*PER_CANDIDATE} - {*SHOWN} == {name for name, of in ESTIMATES.items() if of.hidden}
    assert {"E_train"} == {*PER_CANDIDATE} - {*SHOWN}


def test_what_would_train_on_rows_later_than_those_that_it_tests_is_not_in_time():
    assert {"E_2cv", "E_boot", "E_bbc", "E_nested"} == {*NOT_IN_TIME}
    assert {*NOT_IN_TIME} == {name for name, of in ESTIMATES.items() if not of.in_time}
    assert not {*NOT_IN_TIME} & {*VALID["time"]}


@pytest.mark.parametrize("name", PER_CANDIDATE)
def test_a_record_has_the_name_of_its_estimate_and_the_schemes_that_it_asks_for_suffice(name):
    made = design([name])
    assert scheme_of(name) in schemes_of(made)
    (record,) = estimate_candidate(made, "tree", evidence(made, 0.3))
    assert (name, "tree") == (record.estimate, record.candidate)
    assert record.target
    assert (record.low is None) == (record.interval is None)
    assert (record.interval is not None) == (name in DEFAULTS or bool(ESTIMATES[name].carried_from))
