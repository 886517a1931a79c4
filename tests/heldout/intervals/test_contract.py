"""What every interval method owes, those of the studies too: one contract; and the choice among the package's own."""

import pkgutil
import re
from importlib import import_module

import numpy as np
import pytest

from heldout import intervals
from heldout.errors import BadArgument
from heldout.estimates.methods import DEFAULTS, choose, default_method, find
from heldout.intervals import METHODS
from heldout.losses import ABSOLUTE, SQUARED, ZERO_ONE, choose_loss
from heldout.losses.tested_losses import Tested
from heldout.testing.intervals import BOUNDED, LAWS, LOSS_OF, interval, observe, plain
from studies.intervals import EVERY

COSTS = {"cost": {0: {1: 2}, 1: {0: 9}}}
OF_CLASSES = [choose_loss(spec, np.array([0, 0, 1])) for spec in ("log", "brier", "balanced", COSTS)]
LOSSES = [ZERO_ONE, *OF_CLASSES, SQUARED, ABSOLUTE, choose_loss({"pinball": 0.9}, np.array([0.5, 1.0]))]
names = [method.name for method in METHODS]
every_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)


# the conservative z reads fits that the package does not make: its golden is in tests/studies
KEEP_THE_LAWS = [method for method in EVERY if method.name != "conservative z"]


@pytest.mark.parametrize("method", KEEP_THE_LAWS, ids=lambda method: method.name)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_every_method_keeps_the_laws_that_a_method_of_another_package_has_to_keep(method, law):
    law(method)


@pytest.mark.parametrize("level", [0.0, 1.0, float("nan")])
def test_a_level_outside_0_and_1_is_named(level):
    with pytest.raises(BadArgument, match=r"^level is .*; it must lie between 0 and 1, both excluded$") as caught:
        interval(intervals.log_t.METHOD, plain(64), level)
    assert "level" == caught.value.argument


@every_method
def test_too_few_losses_are_named_with_the_number_that_is_needed(method):
    for n in range(method.least):
        few = Tested(np.zeros(n), LOSS_OF[method.losses])
        message = f"^{re.escape(method.name)} needs at least {method.least} losses, got {n}$"
        with pytest.raises(BadArgument, match=message) as caught:
            method.interval(next(iter(method.covers)), few, 0.95)
        assert "losses" == caught.value.argument


def test_a_loss_above_a_limit_that_was_stated_is_named():
    losses = np.repeat([1.0, 4.0], [8, 8])
    with pytest.raises(BadArgument, match="^loss_max is 3.9, but the squared loss of .* is 4 at row 8; ") as caught:
        interval(intervals.hoeffding.METHOD, losses, 0.9, loss=SQUARED.limited(3.9))
    assert "loss_max" == caught.value.argument


@every_method
@pytest.mark.parametrize("loss", [*LOSSES, BOUNDED], ids=lambda loss: loss.name)
def test_a_loss_that_is_not_admitted_is_refused_with_the_methods_that_fit(method, loss):
    for estimate in method.covers:
        seen = loss.disagreement_loss if estimate == "disagreement" and loss.disagreement_loss is not None else loss
        if method.admits(seen):
            assert method is find(method.name, estimate, loss)
            continue
        lacks = "has none unless loss_max states it" if method.losses == "of known limit" else "is not"
        reason = f"is for losses {method.losses}, and the {loss.name} loss {lacks}"
        with pytest.raises(BadArgument) as caught:
            method.interval(estimate, observe(method, plain(64), seen), 0.95)
        refused = f"{method.name} is for losses {method.losses}, and the {seen.name} loss {lacks}"
        assert ("intervals", refused) == (caught.value.argument, str(caught.value))
        with pytest.raises(BadArgument) as caught:
            choose({estimate: method.name}, loss)
        fitting = [other.name for other in METHODS if estimate in other.covers and other.admits(seen)]
        expected = f"intervals: {method.name} {reason}; for {estimate} use {', '.join(fitting)}"
        assert ("intervals", expected) == (caught.value.argument, str(caught.value))


@pytest.mark.parametrize(
    ("method", "estimate"),
    [(method, estimate) for method in METHODS for estimate in [*DEFAULTS, "E_in"] if estimate not in method.covers],
    ids=lambda case: getattr(case, "name", case),
)
def test_an_estimate_that_is_not_covered_is_refused(method, estimate):
    with pytest.raises(BadArgument, match=f"^{method.name} does not cover {estimate}; it covers ") as caught:
        method.interval(estimate, observe(method, plain(64)), 0.95)
    assert "intervals" == caught.value.argument
    if estimate in DEFAULTS:
        with pytest.raises(BadArgument, match=f"^intervals: {method.name!r} covers .* alone; for {estimate} "):
            choose({estimate: method.name}, LOSS_OF[method.losses])


@pytest.mark.parametrize("name", ["", "wilsons", "no such method", None, 3])
def test_a_method_that_is_not_known_is_refused_with_those_that_fit(name):
    with pytest.raises(BadArgument) as caught:
        choose({"E_prog": name}, ABSOLUTE)
    fitting = [method.name for method in METHODS if "E_prog" in method.covers]
    expected = f"intervals: {name!r} is not known; for E_prog use {', '.join(fitting)}"
    assert ("intervals", expected) == (caught.value.argument, str(caught.value))


def test_an_estimate_that_is_not_known_is_refused_with_those_that_are():
    with pytest.raises(BadArgument, match="^intervals names 'E_in'; intervals can be chosen for E_val, ") as caught:
        choose({"E_in": "Wilson"}, ZERO_ONE)
    assert "intervals" == caught.value.argument


def test_every_module_of_the_package_is_a_method_of_the_list():
    modules = {module.name for module in pkgutil.iter_modules(intervals.__path__)} - {
        "credible",
        "method",
        "moved_interval",
    }
    found = {import_module(f"heldout.intervals.{name}").METHOD.name for name in modules}
    assert found == set(names)
    assert len(modules) == len(found) == len(METHODS)


@every_method
def test_the_name_of_a_method_and_of_its_module_find_it_however_they_are_written(method):
    module = method.bounds.__module__.rpartition(".")[2]
    estimate, loss = next(iter(method.covers)), LOSS_OF[method.losses]
    for name in (method.name, method.name.upper(), method.name.replace(" ", "-"), module, module.replace("_", " ")):
        assert method is find(name, estimate, loss)


@pytest.mark.parametrize("estimate", DEFAULTS)
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_the_default_of_every_estimate_covers_it_and_admits_the_loss(estimate, loss):
    default = default_method(estimate, loss)
    assert default is find(default.name, estimate, loss)
    assert {estimate: default} == {estimate: choose(None, loss)[estimate]}


def test_a_choice_changes_the_chosen_estimate_alone():
    chosen = choose({"E_val": "Clopper-Pearson"}, ZERO_ONE)
    assert {**choose({}, ZERO_ONE), "E_val": intervals.clopper_pearson.METHOD} == chosen
