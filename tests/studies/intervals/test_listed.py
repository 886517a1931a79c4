"""The interval methods of the studies alone: each module is listed, and no name is one of the package."""

import pkgutil

from heldout.estimates.methods import METHODS
from studies import intervals as of_studies


def test_each_of_them_is_a_module_of_the_studies_and_of_their_list():
    modules = {module.name for module in pkgutil.iter_modules(of_studies.__path__)} - {"half_subsamples"}
    assert modules == {method.bounds.__module__.rpartition(".")[2] for method in of_studies.METHODS}
    assert not {method.name for method in of_studies.METHODS} & {method.name for method in METHODS}
