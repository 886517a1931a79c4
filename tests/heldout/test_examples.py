"""The examples of the public classes and of `validate` run, and the loops in them equal what the classes do."""

import doctest
import importlib

import pytest

MODULES = [
    "heldout.family",
    "heldout.hypotheses.k_fold",
    "heldout.hypotheses.progressive",
    "heldout.preprocessing",
    "heldout.promotion",
    "heldout.validated",
    "heldout.validation",
]


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_the_docstrings_run(module):
    outcome = doctest.testmod(importlib.import_module(module))
    assert outcome.attempted
    assert not outcome.failed
