"""What packages of others add: what is allowed is taken up and checked, and what is not allowed is never imported."""

import json
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import heldout
from heldout.errors import BadArgument
from heldout.extensions import GROUPS, VARIABLE, allowed
from tests.extensions import EXAMPLE, MODULE, install, install_example, python

LOSS = (
    "from heldout.losses.absolute import KIND as OWN\nfrom dataclasses import replace\nKIND = replace(OWN, name={!r})"
)
METHOD = (
    "from heldout.intervals.log_t import METHOD as OWN\nfrom dataclasses import replace\n"
    "METHOD = replace(OWN, name={!r})"
)
ESTIMATE = (
    "from heldout.estimates.e_in import ESTIMATE as OWN\nfrom dataclasses import replace\nfrom heldout.schemes import "
    "Scheme\nESTIMATE = replace(OWN, name='E_other', column=13, {})"
)
COLUMN_KIND = (
    "import numpy as np\nfrom heldout.rows.column_kind import ColumnKind\n"
    "KIND = ColumnKind({!r}, 'x', lambda strings: True, lambda strings: np.ones(len(strings)))"
)
TRAP = "from pathlib import Path\nPath(__file__).with_name('ran').touch()\n"


@pytest.fixture(scope="module")
def example(tmp_path_factory) -> Path:
    return install_example(tmp_path_factory.mktemp("example"))


def printed(code: str, *folders: Path, **how) -> object:
    """The JSON that a fresh interpreter prints."""
    done = python(textwrap.dedent(code), *folders, **how)
    assert 0 == done.returncode, done.stderr
    return json.loads(done.stdout)


def last_line(code: str, *folders: Path, **how) -> str:
    """What a fresh interpreter dies of."""
    done = python(textwrap.dedent(code), *folders, **how)
    assert 0 != done.returncode, done.stdout
    return done.stderr.strip().splitlines()[-1]


def refused(tries: list[str], *folders: Path, **how) -> list[str]:
    """What each of the tries is refused with, one after the other in a fresh interpreter."""
    code = f"""
        import heldout, json, os
        said = []
        for code in {tries!r}:
            try:
                exec(code)
            except heldout.errors.BadArgument as error:
                said.append(str(error))
        print(json.dumps(said))
    """
    said = printed(code, *folders, **how)
    assert len(tries) == len(said)
    return said


# --- the example of the documentation

VALIDATED = """
    import heldout
    {allow}
    import json, sys
    import numpy as np
    from sklearn.naive_bayes import GaussianNB
    from sklearn.dummy import DummyClassifier
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = X[:, 0] + rng.normal(size=80) > 0
    learners = {{"constant": DummyClassifier(), "bayes": GaussianNB()}}
    how = {{"seed": 0, "estimates": ["E_val", "E_cv", "E_worst_fold"]}}
    found = heldout.validate(learners, X, y, intervals={{"E_val": "agresti coull"}}, **how)
    spherical = heldout.validate({{"bayes": GaussianNB()}}, X, y, loss="spherical", estimates=["E_val"], seed=0)
    print(json.dumps([
        {{each.estimate: [each.value, each.interval] for each in found.estimates if each.candidate == "bayes"}},
        found.select(criterion="E_cv", rule="half_standard_error").selected,
        spherical.estimates[0].value,
    ]))
"""


@pytest.mark.long
@pytest.mark.parametrize("by", ["a call", "the environment"])
def test_a_notebook_uses_the_loss_the_interval_the_rule_and_the_estimate_of_an_allowed_package(example, by):
    call = by == "a call"
    code = VALIDATED.format(allow=f"heldout.allow({MODULE!r})" if call else "")
    values, taken, spherical = printed(code, example, allowed="" if call else MODULE)
    assert "Agresti-Coull" == values["E_val"][1]
    assert values["E_worst_fold"][0] > values["E_cv"][0] > 0
    assert "bayes" == taken
    assert 0 < spherical < 1


@pytest.mark.long
def test_its_shortcut_takes_the_place_of_fits_and_gives_what_they_give(example):
    code = """
        import heldout
        heldout.allow("heldout_example")
        import json
        import numpy as np
        from heldout_example.learner import ShrunkMean
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
        fits = []
        plain = ShrunkMean.fit
        ShrunkMean.fit = lambda self, *rows: (fits.append(1), plain(self, *rows))[1]
        made = []
        for use in ("auto", "off"):
            found = heldout.validate({"mean": ShrunkMean(0.9)}, X, y, estimates=["E_cv"], seed=0, shortcuts=use)
            made.append([len(fits), found.estimates[0].value])
            fits.clear()
        print(json.dumps(made))
    """
    (without, value), (fitted, same) = printed(code, example)
    assert (0, True) == (without, fitted >= 10)
    assert value == pytest.approx(same, rel=1e-9)


AUDITED = """
    import json
    import numpy as np
    import pandas as pd
    rng = np.random.default_rng(0)
    seconds = rng.integers(60, 4000, 300)
    wait = ["n/a", None, *(f"{each // 60}:{each % 60:02d}" for each in seconds[2:])]
    y = seconds + rng.normal(0, 900, 300) > 2000
    table = pd.DataFrame({"wait": wait, "age": rng.normal(size=300)})
    found = [[one.text, one.decide] for one in heldout.audit(table, y)]
"""


def test_audit_reads_the_strings_of_a_kind_of_an_allowed_package_as_numbers_and_says_so(example):
    code = f"""
    import heldout
    heldout.allow({MODULE!r})
    {AUDITED}
    print(json.dumps(found))
    """
    found = dict(printed(code, example))
    (said,) = (text for text in found if text.startswith("wait: strings such as "))
    assert "are seconds: " in said
    assert said.endswith("; 1 of 299 values are none, such as 'n/a': it is missing")
    assert "heldout.validate" in found[said]
    assert any(text.startswith("strongest alone, by the error out of fold: wait ") for text in found)


@pytest.mark.long
def test_a_process_that_a_run_starts_takes_up_the_same(example):
    code = """
        import heldout
        heldout.allow("heldout_example")
        import json, subprocess, sys
        code = "from heldout.losses import NAMES; print('spherical' in NAMES)"
        print(json.dumps(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip()))
    """
    assert "True" == printed(code, example)


@pytest.mark.long
def test_its_own_tests_pass(example, tmp_path):
    shutil.copytree(EXAMPLE / "tests", tmp_path / "tests")
    code = f"import sys, pytest; sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', {str(tmp_path)!r}]))"
    done = python(code, example)
    assert 0 == done.returncode, done.stdout
    assert " passed" in done.stdout
    assert "skipped" not in done.stdout


# --- what is not allowed


def test_a_package_that_is_not_named_is_not_imported_and_its_names_and_kinds_are_not_known(example):
    code = f"""
    import heldout, sys
    from heldout import extensions
    extensions.load()
    {AUDITED}
    from sklearn.naive_bayes import GaussianNB
    try:
        heldout.validate({{"bayes": GaussianNB()}}, np.eye(20), np.arange(20) % 2, loss="spherical")
    except heldout.errors.BadArgument as error:
        print(json.dumps([str(error), found, "heldout_example" in sys.modules, len(extensions.loaded())]))
    """
    message, found, imported, loaded = printed(code, example)
    assert message.startswith("loss is 'spherical'; it must be one of zero_one, ")
    assert (False, 0) == (imported, loaded)
    assert found
    assert not [text for text, _ in found if "seconds" in text or "out of fold: wait" in text]


@pytest.mark.parametrize("named", ["", MODULE, "heldout_example.loss"])
def test_no_door_is_open_to_a_package_that_is_not_named(example, tmp_path, named):
    """Also where its name begins with an allowed one, or its entry points are called like it."""
    name = f"{MODULE}_trap"
    entries = {group: {MODULE: f"{name}.inner:THING", f"{MODULE}.loss": f"{name}:{MODULE}"} for group in GROUPS}
    folder = install(tmp_path, name, entries, init=TRAP, inner=TRAP)
    code = (
        "import heldout.extensions as e, json; e.load(); print(json.dumps(sorted({one.package for one in e.loaded()})))"
    )
    assert (["heldout-example"] if named else []) == printed(code, example, folder, allowed=named)
    assert not (folder / name / "ran").exists()


def test_the_trap_is_one(tmp_path):
    folder = install(tmp_path, "trap", {"heldout.losses": {"trap": "trap:THING"}}, init=TRAP)
    message = last_line("import heldout; heldout.allow('trap')", folder)
    assert (folder / "trap/ran").exists()
    assert (
        "trap 1.0: the entry point 'trap' of heldout.losses (trap:THING) cannot be imported (AttributeError" in message
    )


# --- what is wrong with what is allowed

WRONG = {
    "not importable": (
        "heldout.losses",
        "m:KIND",
        "import no_module_at_all",
        ["ModuleNotFoundError", "no_module_at_all"],
    ),
    "ends the program": ("heldout.losses", "m:KIND", "raise SystemExit('bye')", ["SystemExit: bye"]),
    "no such object": ("heldout.selection.rules", "m:RULE", "", ["AttributeError", "RULE"]),
    "no such module": ("heldout.selection.rules", "absent:RULE", "", ["ModuleNotFoundError", "absent"]),
    "another type": ("heldout.selection.rules", "m:KIND", LOSS.format("other"), ["LossKind", "SelectionRule"]),
    "a class for an object": (
        "heldout.losses",
        "m:LossKind",
        "from heldout.losses.kind import LossKind",
        ["type", "LossKind"],
    ),
    "no name": ("heldout.losses", "m:KIND", LOSS.format(" "), ["' '", "not empty"]),
    "a known loss": ("heldout.losses", "m:KIND", LOSS.format("squared"), ["'squared'", "exists", "another name"]),
    "a known interval": ("heldout.intervals", "m:METHOD", METHOD.format("wilson"), ["'wilson'", "'Wilson'"]),
    "the interval of an estimate": (
        "heldout.intervals",
        "m:METHOD",
        METHOD.format("bootstrap log t"),
        ["two intervals", "'bootstrap log t'", "bad 1.0"],
    ),
    "an estimate in every run": ("heldout.estimates", "m:ESTIMATE", ESTIMATE.format(""), ["on_request=True"]),
    "a known scheme": (
        "heldout.estimates",
        "m:ESTIMATE",
        ESTIMATE.format("on_request=True, own_schemes={'holdout': Scheme('x')}"),
        ["'holdout'", "exists"],
    ),
    "a shortcut that is none": ("heldout.shortcuts", "m:Other", "class Other: ...", ["inherits", "Shortcut"]),
    "one of heldout's own kinds of columns": (
        "heldout.column_kinds",
        "m:KIND",
        COLUMN_KIND.format("Date"),
        ["'Date'", "heldout's own", "another name"],
    ),
    "a kind of columns that is no word": ("heldout.column_kinds", "m:KIND", COLUMN_KIND.format("a b"), ["one word"]),
    "a function for a kind of columns": (
        "heldout.column_kinds",
        "m:KIND",
        "def KIND(): ...",
        ["function", "heldout.rows.column_kind.ColumnKind"],
    ),
    "imported by itself": (
        "heldout.losses",
        "m:KIND",
        "from heldout.intervals.method import IntervalMethod",
        ["circular import", "docs/extending.md"],
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said_at_once_with_what_to_do(tmp_path, case):
    group, value, text, words = WRONG[case]
    folder = install(tmp_path, "bad", {group: {"any": f"bad.{value}"}}, m=text)
    message = last_line("import heldout; heldout.allow('bad')", folder)
    assert message.startswith("heldout.errors.BadArgument: ")
    assert [] == [word for word in words if word not in message], message


def test_what_the_environment_allows_is_checked_by_every_import_that_lists_names(tmp_path):
    folder = install(tmp_path, "bad", {"heldout.selection.rules": {"any": "bad.m:RULE"}})
    for message in refused(["heldout.validate", "import heldout.selection.rules"], folder, allowed="bad"):
        assert "bad 1.0: the entry point 'any' of heldout.selection.rules (bad.m:RULE) cannot be imported" in message


def test_a_shortcut_for_a_learner_that_has_one_is_refused(tmp_path):
    text = "from heldout.shortcuts.least_squares import LeastSquares as Mine"
    entry = {"sklearn.linear_model._ridge.Ridge": "bad.m:Mine"}
    message = last_line(
        "import heldout; heldout.allow('bad')", install(tmp_path, "bad", {"heldout.shortcuts": entry}, m=text)
    )
    assert "is for sklearn.linear_model._ridge.Ridge, which has one" in message


def test_two_packages_with_one_name_are_refused_and_each_alone_is_not(tmp_path):
    for name in ("one", "two"):
        install(tmp_path / name, name, {"heldout.losses": {"x": f"{name}.m:KIND"}}, m=LOSS.format("shared"))
    both = (tmp_path / "one", tmp_path / "two")
    message = last_line("import heldout; heldout.allow('one', 'two')", *both)
    assert "two 1.0: the entry point 'x' of heldout.losses (two.m:KIND) has the name 'shared'" in message
    assert [True] == printed(
        "import heldout, json; heldout.allow('one'); print(json.dumps(['shared' in heldout.losses.NAMES]))", *both
    )


@pytest.mark.long
@pytest.mark.parametrize(
    "used", ["heldout.validate", "import heldout.losses", "from heldout.errors import BadArgument; heldout.Validation"]
)
def test_a_call_that_comes_too_late_says_what_to_do(example, used):
    message = last_line(f"import heldout; {used}; heldout.allow({MODULE!r})", example)
    assert "heldout_example cannot be allowed any more: heldout was used before" in message
    assert f"{VARIABLE}={MODULE}" in message


@pytest.mark.long
def test_the_same_call_again_is_no_mistake(example):
    code = "import heldout, json; heldout.allow('heldout_example'); heldout.validate; heldout.allow('heldout_example')"
    assert 1 == printed(f"{code}; print(1)", example)


def test_a_module_that_offers_nothing_is_named():
    with pytest.raises(BadArgument, match=r"^numpy has no entry point of heldout\.losses, .*; install the package"):
        heldout.allow("numpy")
    assert () == allowed()


def test_an_environment_that_is_no_list_of_modules_is_refused_and_a_module_that_offers_nothing_is_named():
    texts = ["my-package", "a b", "a;b", "."]
    tries = [f"os.environ[{VARIABLE!r}] = {text!r}; import heldout.losses" for text in [*texts, "no_such_package"]]
    *messages, of_nothing = refused(tries)
    for text, message in zip(texts, messages, strict=True):
        assert f"{VARIABLE} is {text!r}; it must name modules" in message
    assert "no_such_package has no entry point" in of_nothing


def test_heldout_without_extensions_asks_for_no_entry_points():
    """The search costs time, with the packages of a large environment."""
    code = "import importlib.metadata as m, heldout.extensions as e; m.entry_points = e.entry_points = None; e.load()"
    assert 0 == subprocess.run([sys.executable, "-c", code], cwd=Path(heldout.__file__).parents[1]).returncode
