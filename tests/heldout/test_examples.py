"""The examples of the public classes and of `validate` run, and the loops in them equal what the classes do."""

import doctest
import importlib
from functools import cached_property
from pathlib import Path

import pytest

import heldout

ROOT = Path(heldout.__file__).parent
MODULES = [
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)
    for path in sorted(ROOT.rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_the_docstrings_run(module):
    module = importlib.import_module(module)
    examples = [*doctest.DocTestFinder().find(module)]
    for kind in {
        kind for kind in vars(module).values() if isinstance(kind, type) and kind.__module__ == module.__name__
    }:
        for name, member in vars(kind).items():
            if isinstance(member, cached_property):  # which doctest does not look into
                examples += doctest.DocTestFinder().find(member.func, f"{kind.__name__}.{name}", globs=vars(module))
    runner = doctest.DocTestRunner()
    for example in examples:
        runner.run(example)
    assert runner.tries
    assert not runner.failures
