"""README: what it shows is what a run prints, and its commands do what it says."""

import contextlib
import io
import re
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from sklearn.datasets import load_iris

from heldout.estimates.methods import default_method
from heldout.losses import SQUARED, ZERO_ONE
from tests.end_to_end.conftest import Checkout

ROOT = Path(__file__).parents[2]
README, TUTORIAL = ROOT / "README.md", ROOT / "docs/tutorial.md"
SETUP, SHELL = (block.split("```")[0] for block in README.read_text(encoding="utf-8").split("```sh")[1:3])
COMMANDS = re.findall(r"^(\S.*?) +# ", SETUP + SHELL, re.MULTILINE)
FIRST_SCREEN = 24  # lines


def printed(text: str) -> list[str]:
    """The table, the strip and the last lines, without what a fit costs and the spaces that fill a line."""
    lines = text.splitlines()
    first = next(place for place, line in enumerate(lines) if line.startswith("errors in percent"))
    below = lines.index("", first)
    width = lines[first + 1].index("worse by") + len("worse by")
    lines[first + 1 : below] = [line[:width] for line in lines[first + 1 : below]]
    lines = [line.rstrip() for line in lines]
    decision = next(place for place, line in enumerate(lines) if line.startswith("all else ")) + 2
    return lines[first : decision + 1]


@pytest.mark.slow
def test_the_table_of_the_tutorial_is_what_a_run_prints(reproduced, tmp_path):
    made = reproduced.copy(tmp_path / "heldout")
    said = replace(made, own={**made.own, "HELDOUT_VERBOSE": ""}).flow("report").stdout
    shown = TUTORIAL.read_text(encoding="utf-8").split("```\n")
    (table,) = [block for block in shown if block.startswith("errors in percent")]
    assert printed(said) == printed(table)


def test_the_coverage_that_the_readme_states_is_that_of_the_study():
    cells = pd.read_csv(ROOT / "docs/coverage.csv").query("estimate == 'E_cv'")
    ours = {"classes": default_method("E_cv", ZERO_ONE).name, "numbers": default_method("E_cv", SQUARED).name}
    default = cells[cells["method"] == cells["task"].map(ours)]["covers"]
    peer = cells[cells["method"] == "corrected t"]["covers"]
    text = " ".join(README.read_text(encoding="utf-8").split())
    assert f"In {(default >= 0.92).sum()} of {len(default)} measured situations" in text
    assert f"of samples (worst: {100 * default.min():.1f} %)" in text
    assert f"did so in {(peer >= 0.92).sum()} (worst: {100 * peer.min():.1f} %)" in text


def test_the_lines_for_a_notebook_print_what_the_readme_shows():
    ((lines, shown),) = re.findall(
        r"```python\n(.*?)```\n\n```text\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL
    )
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(compile(lines, "README.md", "exec"), {})
    assert shown == said.getvalue()


def test_every_folder_that_the_map_names_exists(brief):
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    named = page.split("## The folders")[1].split("## ")[0].split("`")[1::2]
    folders = [name for name in named if name.endswith("/") and " " not in name]
    assert len(folders) > 8
    assert [] == [name for name in folders if not (brief.path / name).is_dir() and "end_to_end" not in name]


def test_every_target_of_make_that_the_pages_name_exists():
    targets = re.findall(r"^([\w.-]+):.*##", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "docs/how-to").glob("*.md")]
    named = {name for page in pages for name in re.findall(r"`make ([a-z-]+)", page.read_text(encoding="utf-8"))}
    assert len(named) > 8
    assert [] == sorted(named - {*targets})


@pytest.mark.slow
def test_the_decision_of_the_tutorial_is_that_of_the_run(reproduced):
    page = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")
    ((command, shown),) = re.findall(r"```sh\n(python .*)\n```\n```text\n(.*)\n```", page)
    assert shown == reproduced.run("sh", "-c", command).stdout.strip()


@pytest.fixture(scope="module")
def followed(reproduced, tmp_path_factory) -> Checkout:
    """A checkout in which the shipped example ran, and a table at the place that README names."""
    folder = tmp_path_factory.mktemp("readme")
    table = load_iris(as_frame=True).frame.rename(columns={"target": "left"})
    table.assign(left=table["left"].map({0: "no", 1: "yes", 2: "no"})).to_csv(folder / "customers.csv", index=False)
    checkout = Checkout(reproduced.copy(folder / "heldout").path, {"HOME": str(folder)})
    environment = checkout.path / ".venv"  # as `make` leaves it
    environment.mkdir()
    for path in Path(sys.prefix).iterdir():
        if path.name != "ready":
            (environment / path.name).symlink_to(path)
    (environment / "ready").touch()
    return checkout


def test_the_first_screen_has_the_two_commands_of_a_new_checkout_and_their_times():
    screen = README.read_text(encoding="utf-8").splitlines()[:FIRST_SCREEN]
    said = dict(line.split(" # ", 1) for line in SETUP.strip().splitlines())
    assert ["make repro", "make test"] == [command.strip() for command in said]
    assert {*SETUP.strip().splitlines()} <= {*screen}
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    minutes = re.search(r"^make test +# the tests \((\d+ minutes on \d+ cores)", page, re.MULTILINE)[1]
    assert [True, True] == [time in line for time, line in zip(["half a minute", minutes], said.values(), strict=True)]


@pytest.mark.slow
def test_the_first_commands_of_the_readme_do_what_it_says(followed):
    example, _, start, *_ = COMMANDS
    assert "Data and pipelines are up to date" in followed.run("sh", "-e", "-c", example).stdout
    said = followed.run("sh", "-e", "-c", start).stdout
    assert re.search(r"^target +left: 2 classes", said, re.MULTILINE)
    assert "target: left" in (followed.path / "params.yaml").read_text(encoding="utf-8")


@pytest.mark.long
def test_the_last_command_of_the_readme_validates_the_table(followed):
    *_, start, validate, opened = COMMANDS
    followed.run("sh", "-e", "-c", start)
    assert re.search(r"^test set +sealed: ", followed.run("sh", "-e", "-c", validate).stdout, re.MULTILINE)
    assert re.search(r"^plan with +E_test = ", followed.run("sh", "-e", "-c", opened).stdout, re.MULTILINE)
