"""The examples in docstrings of the public functions run, and print what they say."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize("name", ["heldout.validated", "heldout.validation"])
def test_the_examples_print_what_they_say(name):
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted > 0
    assert results.failed == 0
