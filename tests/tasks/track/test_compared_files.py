"""The ledger of comparisons in a real store: candidates of earlier files on the same rows are counted, each once."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import heldout
from tasks.runtime.errors import UserError
from tasks.track.compared_files import Counted, count
from tasks.track.ledger_tags import tags_of, validations
from tasks.track.store import connect, runs

RNG = np.random.default_rng(0)
ROWS = [f"task {number}" for number in range(400)]
RIGHT = {name: RNG.random(400) < 0.7 for name in ("a", "b", "c", "d")}


@pytest.fixture
def settings(checkout, empty_store, settings_with):
    shutil.copy(empty_store, checkout / "mlflow.db")
    return settings_with(f"tracking.uri=sqlite:///{checkout}/mlflow.db")


def made(*names, rows=slice(None), order=slice(None), **renamed):
    called = {**{name: name for name in names}, **renamed}
    table = {"row": np.array(ROWS, object)[rows][order]}
    table |= {name: RIGHT[of][rows][order] for name, of in called.items()}
    return heldout.from_predictions(table, correct=[*called])


def test_each_candidate_counts_once_whatever_its_name_and_the_order_of_lines(settings):
    first = count(settings, made("a", "b"), "first.csv")
    assert Counted(2) == first == count(settings, made("a", "b"), "first.csv")
    assert Counted(2) == count(settings, made("a", second="b", order=slice(None, None, -1)), "renamed.csv")
    third = count(settings, made("c", "a"), "second.csv")
    assert 3 == third.compared
    assert 1 == len(third.before)
    assert third.before[0].startswith("first.csv (20")
    assert 4 == count(settings, made("d"), "third.csv").compared
    assert 3 == len([*runs(connect(settings), "tags.`mlflow.heldout.table.rows` IS NOT NULL")])  # no file twice


def test_other_rows_are_another_ledger_and_more_rows_are_the_same(settings):
    count(settings, made("a", "b", rows=slice(0, 200)), "half.csv")
    assert Counted(2) == count(settings, made("a", "c", rows=slice(200, 400)), "other half.csv")
    grown = count(settings, made("a", "c"), "whole.csv")
    assert 6 == grown.compared  # as after a partition, the answers to more rows are another candidate's
    assert 2 == len(grown.before)


def test_many_candidates_fit_into_the_tags_of_a_store(settings):
    many = {f"c{number}": np.random.default_rng([2, number]).random(60) < 0.5 for number in range(700)}
    half = dict([*many.items()][:350])
    for table, known in ((half, 350), (many, 700), (half, 700)):
        assert known == count(settings, heldout.from_predictions(table, correct=[*table]), "many.csv").compared


def test_validations_do_not_see_comparisons(settings):
    count(settings, made("a", "b"), "first.csv")
    assert {} == tags_of(validations(connect(settings)))


def test_a_store_that_does_not_answer_is_an_error(settings_with, checkout):
    (checkout / "other.db").write_bytes(b"not a database" * 100)
    with pytest.raises(UserError, match=r"tracking\.uri"):
        count(settings_with(f"tracking.uri=sqlite:///{checkout}/other.db"), made("a"), "a.csv")


@pytest.mark.long
def test_the_command_counts_the_candidates_of_earlier_files(checkout, empty_store, shipped):
    (checkout / "mlruns").mkdir()
    (checkout / "dvc.yaml").touch()
    shutil.copy(empty_store, checkout / "mlruns/mlflow.db")
    shutil.copy(shipped, checkout / "params.yaml")
    root = Path(heldout.__file__).parents[1]
    agents = root / "docs/examples/agents/swe-bench-100.csv"
    table = pd.read_csv(agents)
    table[table["agent"].isin(["OpenHands", "Sonar Foundation"])].to_csv("two.csv", index=False)

    def said(file) -> list[str]:
        names = ["--row", "task", "--candidate", "agent", "--correct", "resolved", "--ledger"]
        command = [sys.executable, "-m", "flows", "compare", str(file), *names]
        made = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(root)})
        assert 0 == made.returncode, made.stderr
        return made.stdout.splitlines()

    def of_bound(lines) -> str:
        return next(line for line in lines if line.startswith("bound: "))

    two = said("two.csv")
    assert "ledger: 2 candidates were compared on rows of these names, with those here" == two[0]
    assert "for 2 candidates" in of_bound(two)
    assert said(agents)[0].startswith("ledger: 4 candidates were compared")
    again = said("two.csv")
    assert "; others are in swe-bench-100.csv (20" in again[0]
    assert "for 4 candidates" in of_bound(again)
    assert "4 candidates are taken to be all" in again[-1]
