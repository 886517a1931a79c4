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
from heldout.losses import SQUARED, ZERO_ONE
from heldout.schemes import SCHEMES, STAGES
from tests.heldout.test_design import design, evidence

each = pytest.mark.parametrize("definition", ESTIMATES.values(), ids=list(ESTIMATES))


@each
def test_an_estimate_is_explained(definition):
    assert [] == [name for name in ("meaning", "about", "trained_on", "interval") if not getattr(definition, name)]
    assert definition.meaning.endswith(".")
    assert bool(definition.after_the_choice) == bool(definition.of_winner)


@each
def test_an_estimate_is_made_of_schemes_that_exist(definition):
    wanted = {*definition.further, *([definition.scheme] if definition.scheme else [])}
    assert wanted <= {*SCHEMES}
    assert {*definition.own_schemes} <= wanted
    assert all(scheme.stage in STAGES for scheme in definition.own_schemes.values())
    assert bool(wanted) == bool(definition.of_candidate or definition.of_winner)


@each
def test_every_method_of_an_estimate_covers_it(definition):
    methods = [*definition.methods, *(method for some in definition.valid.values() for method in some)]
    if definition.default is not None:
        chosen = definition.default
        methods += [one for one in (chosen.zero_one, chosen.other, chosen.without_cv) if one is not None]
        assert chosen.zero_one.admits(ZERO_ONE)
        assert chosen.other.admits(SQUARED)
    assert [] == [method.name for method in methods if definition.name not in method.covers]
    assert [] == [method.name for method in methods if method not in METHODS]
    assert (definition.name in DEFAULTS) == (definition.default is not None)
    for loss in (ZERO_ONE, SQUARED):
        assert all(any(method.admits(loss) for method in some) for some in definition.valid.values())
    assert {*definition.valid} == {kind for kind, of in VALID.items() if definition.name in of}
    assert not definition.carried_from or definition.carried_from in DEFAULTS


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
