"""The user's modules that a learner or a loss reaches: each of them decides what it is, and nothing else does."""

import hashlib
import importlib
import sys

import pytest

from tasks.params import load, own_modules
from tasks.params.own_modules import reached

FILES = {
    "mine": "import deep.first\nfrom helper import half\n\n\ndef lazy():\n    import late\n",
    "helper": "half = 0.5\n",
    "late": "import importlib\n\nimportlib.import_module('called')\n__import__('dunder')\n",
    "called": "import numpy\n",
    "dunder": "",
    "deep.__init__": "from .second import *\n",
    "deep.first": "from . import third\nfrom .below import module as other\n",
    "deep.second": "",
    "deep.third": "import deep.first  # a cycle\n",
    "deep.below.__init__": "from ..fourth import *\nfrom . import *\n",
    "deep.below.module": "",
    "deep.below.listed": "",
    "deep.fourth": "",
    "unused": "import mine\n",
    "deep.unused": "",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The files as modules that can be imported, and are not."""
    for name, text in FILES.items():
        file = tmp_path.joinpath(*name.split(".")).with_suffix(".py")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        monkeypatch.delitem(sys.modules, name.removesuffix(".__init__"), raising=False)  # of another test
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_all_that_is_imported_at_any_depth_and_in_any_way_is_reached_and_nothing_is_run(folder):
    found = reached("mine")
    names = {name.removesuffix(".__init__") for name in FILES} - {"unused", "deep.unused"}
    assert [*sorted(names)] == [*found.own]
    assert hashlib.sha256(b"half = 0.5\n").hexdigest() == found.own["helper"]
    assert {"numpy"} == {*found.installed}
    assert not {*names} & {*sys.modules}


@pytest.mark.parametrize("name", sorted({*FILES} - {"unused", "deep.unused"}))
def test_a_change_of_any_file_that_is_reached_is_another_source_and_of_others_is_none(folder, name):
    before = reached("mine")
    for other in ("unused", "deep.unused"):
        (folder.joinpath(*other.split(".")).with_suffix(".py")).write_text("changed = True\n")
    assert before == reached("mine")
    file = folder.joinpath(*name.split(".")).with_suffix(".py")
    file.write_text(f"{file.read_text()}changed = True\n")
    assert [name.removesuffix(".__init__")] == [of for of in before.own if before.own[of] != reached("mine").own[of]]


def test_what_python_imports_is_what_is_read(folder):
    """But for what runs later, or not at all: the oracle is the interpreter."""
    found = reached("mine").own
    before = {*sys.modules}
    try:
        mine = importlib.import_module("mine")
        at_once = {name for name in sys.modules if name in {*found} - before}
        assert {*found} - at_once == {"late", "called", "dunder", "deep.below.listed"}
        mine.lazy()
        assert {*found} - {name for name in sys.modules if name in found} == {"deep.below.listed"}
    finally:
        for name in {*sys.modules} - before:
            if name in found:
                del sys.modules[name]


@pytest.mark.parametrize("text", [b"import", b"\x00", b"\xff", b"from .. import over\n", b"import nobody.has.it\n"])
def test_a_file_that_cannot_be_read_or_imports_what_is_not_there_is_reached_alone(folder, text):
    (folder / "mine.py").write_bytes(text)
    assert ["mine"] == [*reached("mine").own]
    assert {} == reached("mine").installed


def test_installed_packages_count_by_their_version(folder, monkeypatch):
    (folder / "mine.py").write_text("import narwhals\nimport json\nimport sklearn.svm\nimport heldout\n")
    found = reached("mine")
    assert (["mine"], {"narwhals"}) == ([*found.own], {*found.installed})
    own_modules.versions.cache_clear()
    monkeypatch.setattr(own_modules.importlib.metadata, "version", lambda _: "99")
    assert {"narwhals": "99"} == reached("mine").installed
    own_modules.versions.cache_clear()


MINE = "from sklearn.naive_bayes import GaussianNB\nimport my_helper\n\n\nclass Mine(GaussianNB):\n    pass\n\n\n"
LOSS = "def cost(y, answers):\n    return my_helper.weight * (y != answers)\n"
CHANGED = {"estimator": "my_learner.Mine", "nested": "sklearn.ensemble.BaggingClassifier"}


@pytest.mark.parametrize("where", ["estimator", "nested", "preprocess", "loss"])
def test_a_candidate_and_a_loss_are_others_where_a_helper_has_changed(checkout, shipped, where):
    (checkout / "params.yaml").write_text(shipped.read_text())
    (checkout / "my_learner.py").write_text(
        MINE + LOSS + "    \n\nclass Step(Mine):\n    def transform(self, X): ...\n"
    )
    helper = checkout / "my_helper.py"
    written = {
        "estimator": "candidates=[{name: one, estimator: my_learner.Mine}]",
        "nested": "candidates=[{name: one, estimator: sklearn.ensemble.BaggingClassifier, "
        "params: {estimator: {estimator: my_learner.Mine}}}]",
        "preprocess": "candidates=[{name: one, estimator: sklearn.svm.SVC, preprocess: my_learner.Step}]",
        "loss": "loss={function: my_learner.cost}",
    }[where]

    def identities():
        settings = load("params.yaml", [written, "execution.allowed_modules=[sklearn, my_learner]"])
        loss, first = settings.loss_identity, settings.candidates[0]
        return loss if where == "loss" else first.identity(), settings.own_code(of_candidates=True)

    helper.write_text("weight = 2\n")
    (before, code), again = identities(), identities()
    helper.write_text("weight = 3\n")
    after, changed = identities()
    assert (before, code) == again
    assert before != after
    assert ["my_helper"] == [name for name in code if code[name] != changed[name]]
    for name in ("my_learner", "my_helper"):
        sys.modules.pop(name, None)
