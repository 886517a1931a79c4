"""The registries of losses, intervals and rules: each file is in its list, and what the docstrings show is so."""

import doctest
import pkgutil
from importlib import import_module

import numpy as np
import pytest

from heldout import estimates, losses
from heldout.estimates import ESTIMATES, methods
from heldout.losses import KINDS, choose_loss, set_metrics
from heldout.losses.set_metrics.named import NAMED
from heldout.selection import rules
from heldout.selection.rules import RULES
from heldout.testing import losses as laws_of_losses
from heldout.testing import rules as laws_of_rules


def modules_of(package, *others) -> set[str]:
    """The names of a package's modules, but for `others`."""
    return {module.name for module in pkgutil.iter_modules(package.__path__)} - {*others}


def test_every_file_of_the_losses_is_in_the_registry_under_its_name():
    others = (
        "amounts",
        "cells",
        "choice",
        "constant",
        "kind",
        "loss",
        "memory",
        "set_metrics",
        "origins",
        "own",
        "ratio",
        "several",
        "strata",
    )
    assert modules_of(losses, *others, "tested_losses") == {kind.name for kind in KINDS}
    assert len(KINDS) == len({kind.name for kind in KINDS})


def test_every_file_of_the_metrics_of_sets_is_that_of_an_estimate_or_has_a_name():
    metrics_of_sets = modules_of(set_metrics, "direction", "named", "own", "set_metric")
    found = {import_module(f"{set_metrics.__name__}.{name}").LOSS.name for name in metrics_of_sets}
    of_estimates = {one.set_metric.name for one in ESTIMATES.values() if one.set_metric is not None}
    assert found == of_estimates | {one.name for one in NAMED.values()}


def test_every_file_of_the_rules_is_in_the_registry_under_its_name():
    assert modules_of(rules, "rule") == {*RULES}
    assert all(rule.name == name for name, rule in RULES.items())


@pytest.mark.parametrize("law", laws_of_losses.LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_loss_keeps_the_laws_that_a_loss_of_another_package_has_to_keep(kind, law):
    law(kind)


@pytest.mark.parametrize("law", laws_of_rules.LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("rule", RULES.values(), ids=[*RULES])
def test_every_rule_keeps_the_laws_that_a_rule_of_another_package_has_to_keep(rule, law):
    law(rule)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_kind_has_a_bound_in_words_where_its_loss_admits_one(kind):
    loss = choose_loss(kind.sample, np.array([1, 1, 2]))
    assert ("none" == kind.bound) == (ESTIMATES["E_dis"].refused_by(loss) is not None)


@pytest.mark.parametrize(
    "module",
    [
        "heldout.losses.choice",
        "heldout.losses.loss",
        "heldout.intervals",
        "heldout.estimates.methods",
        "heldout.estimates",
        "heldout.intervals.method",
    ],
)
def test_the_examples_of_the_docstrings_run(module):
    found = doctest.testmod(import_module(module))
    assert 0 == found.failed < found.attempted


def test_every_file_of_the_estimates_is_in_the_registry_under_its_name():
    assert modules_of(estimates, "criteria", "definition", "methods", "of_metric") == {
        name.lower() for name in ESTIMATES
    }


@pytest.mark.parametrize(
    "public",
    [
        *(getattr(losses, name) for name in ("check_spec", "choose_loss", "natural_loss", "Loss")),
        *(getattr(methods, name) for name in ("choose", "find", "default_method", "covering", "IntervalMethod")),
    ],
    ids=lambda public: public.__name__,
)
def test_a_public_docstring_has_its_sections(public):
    needed = ["Parameters", "Examples"] if isinstance(public, type) else ["Parameters", "Raises", "Examples"]
    assert [] == [name for name in needed if f"{name}\n    {'-' * len(name)}\n" not in public.__doc__]
