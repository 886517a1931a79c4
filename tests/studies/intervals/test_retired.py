"""Methods that left the package: who names one is told where it is, and what to take instead."""

import pkgutil

import pytest

from heldout import intervals
from heldout.errors import BadArgument
from heldout.estimates.methods import METHODS, assumption_of, choose
from heldout.losses import SQUARED, ZERO_ONE
from studies import intervals as of_studies

CASES = [(method, estimate) for method in of_studies.METHODS for estimate in method.covers]


def test_each_of_them_is_a_module_of_the_studies_and_of_their_list():
    modules = {module.name for module in pkgutil.iter_modules(of_studies.__path__)} - {"half_subsamples"}
    assert [*intervals.RETIRED] == [method.bounds.__module__.rpartition(".")[2] for method in of_studies.METHODS]
    assert {*intervals.RETIRED} == modules
    assert not {method.name for method in of_studies.METHODS} & {method.name for method in METHODS}


@pytest.mark.parametrize(("method", "estimate"), CASES, ids=lambda case: getattr(case, "name", case))
def test_it_is_refused_by_its_name_and_by_that_of_its_module_with_its_place_and_another(method, estimate):
    module = method.bounds.__module__.rpartition(".")[2]
    instead = intervals.RETIRED[module]
    for name in (method.name, method.name.upper(), module):
        with pytest.raises(BadArgument) as caught:
            choose({estimate: name}, SQUARED)
        said = (
            f"intervals: {name!r} left the package for 'studies/intervals/{module}.py' of the repository; in its place "
        )
        assert str(caught.value).startswith(f"{said}take {instead}; for {estimate} use ")


@pytest.mark.parametrize(("method", "estimate"), CASES, ids=lambda case: getattr(case, "name", case))
def test_what_is_named_instead_covers_the_same_estimate(method, estimate):
    instead = intervals.RETIRED[method.bounds.__module__.rpartition(".")[2]]
    named = [one for one in METHODS if one.name in instead and estimate in one.covers]
    assert any(one.admits(ZERO_ONE) for one in named)
    assert method.losses != "any" or any(one.admits(SQUARED) for one in named)


@pytest.mark.parametrize(("method", "estimate"), CASES, ids=lambda case: getattr(case, "name", case))
def test_a_table_of_an_earlier_version_that_has_its_name_is_read(method, estimate):
    module = method.bounds.__module__.rpartition(".")[2]
    expected = f"what studies/intervals/{module}.py of the repository says, where the method is now"
    for kind in (None, "groups"):
        assert expected == assumption_of(estimate, method.name, kind)
