"""Each benchmark in its smallest form: it ends without an error and gives its rows; no time is judged."""

import importlib
import math
import re
import shutil
from contextlib import chdir

import pytest

from benchmarks.__main__ import PAGE, line, write
from benchmarks.measured import Row
from tests.end_to_end.conftest import COMMIT, ROOT

DIVISOR = 50  # of the sizes; the largest table has 20,000 rows then
TREES = {"n_estimators": 2, "random_state": 0}
CANDIDATES = [  # those of benchmarks/arithmetic.py, with fewer trees
    {"name": "forest", "estimator": "sklearn.ensemble.RandomForestClassifier", "params": TREES},
    {"name": "boosting", "estimator": "sklearn.ensemble.GradientBoostingClassifier", "params": TREES},
]
MANY_FITS = ("covalidation", "defaults", "online", "support_vectors")  # their number is not divided, or they take long
BY_COMMANDS = {
    "arithmetic": 3,
    "given_answers": 2,
    "orchestration": 3,
    "wide": 2,
}  # and the rows of each; the rest of the comparisons are of arrays
PROGRAMS = {
    "covalidation": ("1",),
    "scale": ("--units", "100"),
    "size": ("../large", "--labeled", "300", "--unlabeled", "400"),
    "soak": ("--runs", "1", "--stored", "2"),
}
NOT_RUN = {
    "__main__": "the command of all comparisons, which runs those of commands here",
    "checkout": "what the comparisons of commands share",
    "measured": "what all comparisons share",
    "scale_simulation": "the simulation of scale; its laws are in tests/studies/test_scale.py",
}
MODULES = {path.stem for path in (ROOT / "benchmarks").glob("*.py")} - {"__init__", *NOT_RUN}
COMPARISONS = sorted(MODULES - {*PROGRAMS} | {"covalidation"})


@pytest.fixture(scope="module")
def small(clone, server, write_params):
    """A clone whose parameters ask for a second's work."""
    checkout = clone(server)
    write_params(checkout.path / "params.yaml", candidates=CANDIDATES)
    checkout.git(*COMMIT, "-qam", "small")
    return checkout


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.long) if name in MANY_FITS else name
        for name in COMPARISONS
        if name not in BY_COMMANDS
    ],
)
def test_a_comparison_of_arrays_gives_its_rows(name, tmp_path):
    with chdir(tmp_path):
        rows = [*importlib.import_module(f"benchmarks.{name}").rows(DIVISOR)]
    assert rows
    for row in rows:
        assert isinstance(row, Row)
        assert row.rows > 0
        assert row.ours > 0
        assert math.isfinite(row.figure)


@pytest.mark.long
@pytest.mark.parametrize("name", BY_COMMANDS)
def test_a_comparison_of_commands_prints_its_rows(name, small):
    said = small.run("python", "-m", "benchmarks", "--quick", "--only", name).stdout
    assert BY_COMMANDS[name] == len(re.findall(r"^\| .* \| .*\d.* \|$", said, re.MULTILINE))
    assert "" == small.git("status", "--porcelain")


@pytest.mark.long
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_its_figures_and_writes_no_page(name, clone):
    checkout = clone()
    last = checkout.run("python", "-m", f"benchmarks.{name}", *PROGRAMS[name]).stdout.splitlines()[-1]
    assert re.search(r"\d", last)
    assert "" == checkout.git("status", "--porcelain")


def test_what_is_not_run_is_there():
    assert all((ROOT / f"benchmarks/{name}.py").is_file() for name in (*NOT_RUN, *BY_COMMANDS, *PROGRAMS))


def test_the_rows_are_written_into_the_page_and_its_words_stay(tmp_path):
    (tmp_path / PAGE).parent.mkdir()
    shutil.copy(ROOT / PAGE, tmp_path / PAGE)
    words = {*(tmp_path / PAGE).read_text().splitlines()}
    row = Row("a work", 7, "a peer", ours=1.0, theirs=2.0, figure=0.5, bar=0.4)
    with chdir(tmp_path):
        write([row])
        written = PAGE.read_text().splitlines()
    assert [line(row)] == [text for text in written if text not in words]
    assert all(text.startswith("| ") for text in words - {*written})
