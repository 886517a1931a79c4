"""A loss that is a function of the user's module, named in params.yaml: what it does, and what stays shut."""

import sys
from pathlib import Path

import pytest

from heldout.losses import choose_loss
from tasks.params import load
from tasks.plans.read_design import read_design
from tasks.runtime.errors import UserError
from tasks.storage import files
from tests.tasks.mistakes import assert_names, mistakes

MODULE = """
from pathlib import Path

Path(__file__).with_name("ran").touch()

import numpy as np
from subprocess import call


def costly(y, answers):
    return np.where(y == answers, 0.0, np.where(y == "won", {cost}, 1.0))


class Loss: ...


number = 3
"""
LOSS = "loss={function: own_losses.costly}"
ALLOWED = "execution.allowed_modules=[sklearn, own_losses]"


@pytest.fixture
def module(checkout, shipped, monkeypatch):
    """A folder with params.yaml and own_losses.py, which the test may change."""
    monkeypatch.delitem(sys.modules, "own_losses", raising=False)
    (checkout / "params.yaml").write_text(shipped.read_text())
    made = checkout / "own_losses.py"
    made.write_text(MODULE.format(cost=5))
    yield made
    sys.modules.pop("own_losses", None)


def test_it_is_the_loss_of_every_design(module, prepared):
    from tests.tasks.conftest import OF_ROWS

    prepared()
    design = read_design(load("params.yaml", [*OF_ROWS, LOSS, ALLOWED]))
    labels = files.read_target(files.LABELED, files.file_hash(files.LABELED))
    costs = {"won": {"lost": 5, "won": 0}, "lost": {"won": 1, "lost": 0}}
    of_registry = choose_loss({"cost": costs}, labels)
    assert "costly" == design.loss.name
    assert of_registry.pointwise(labels, labels[::-1]).tolist() == design.loss.pointwise(labels, labels[::-1]).tolist()


def test_an_edited_module_is_another_loss(module):
    def identity() -> tuple[object, ...]:
        return load("params.yaml", [LOSS, ALLOWED]).loss_identity

    before = identity()
    assert before == identity()
    module.write_text(MODULE.format(cost=6))
    assert before != identity()


@pytest.mark.fault("hostile")
@pytest.mark.parametrize(
    ("path", "allowed", "names"),
    [
        ("own_losses.costly", "[sklearn]", ["own_losses", "allowed_modules"]),
        ("own_losses.call", "[sklearn, own_losses]", ["subprocess", "allowed_modules"]),
        ("sklearn.datasets.load_files", "[sklearn, own_losses]", ["sklearn.datasets", "allowed_modules"]),
        ("sklearn.datasets.load_files", "[sklearn, sklearn.datasets]", ["sklearn.datasets", "allowed_modules"]),
        ("heldout.allow", "[sklearn, heldout]", ["heldout", "allowed_modules"]),
        ("os.system", "[sklearn]", ["os.system", "allowed_modules"]),
        ("own_losses.Loss", "[sklearn, own_losses]", ["own_losses.Loss", "not a function"]),
        ("own_losses.number", "[sklearn, own_losses]", ["own_losses.number", "not a function"]),
        ("own_losses.costl", "[sklearn, own_losses]", ["own_losses.costl", "did you mean own_losses.costly"]),
        ("costly", "[sklearn, own_losses]", ["costly", "not an import path"]),
        ("../own_losses.costly", "[sklearn, own_losses]", ["not an import path"]),
    ],
)
def test_what_is_no_function_of_a_named_module_is_refused(module, path, allowed, names):
    (mistake,) = mistakes(Path("params.yaml"), f"loss={{function: {path}}}", f"execution.allowed_modules={allowed}")
    assert mistake.key.startswith("loss")
    assert_names(mistake, *names)
    if "own_losses" not in allowed:
        assert not Path("ran").exists()


@pytest.mark.parametrize(
    "written", ["{function: 3}", "{function: null}", "{function: a.b, cost: 1}", "own_losses.costly"]
)
def test_other_values_are_mistakes(module, written):
    with pytest.raises(UserError, match="loss"):
        load("params.yaml", [f"loss={written}", ALLOWED])
