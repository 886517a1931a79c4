"""Rows that were recorded twice are asked about, and equal rows that chance makes are not; laws over planted tables."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.checks import recorded_twice
from studies.public_sets import FOLDER, IN_FILES
from tasks.data.read_source import read_table
from tasks.init import profile, start
from tasks.params import load
from tasks.storage import dvc_commands

LAWS = settings(max_examples=8, deadline=None, derandomize=True, database=None)
seeds = st.integers(0, 2**32 - 1)
# passengers that were lost and saved, of the classes 1, 2, 3 and crew: boys, girls, men, women
TITANIC = [0, 0, 35, 0, 0, 0, 17, 0, 118, 154, 387, 670, 4, 13, 89, 3, 5, 11, 13, 0, 1, 13, 14, 0, 57, 14, 75, 192]
TITANIC += [140, 80, 76, 20]


def titanic() -> pd.DataFrame:
    cells = pd.MultiIndex.from_product(
        [["lost", "saved"], ["child", "adult"], ["male", "female"], ["1", "2", "3", "crew"]],
        names=["label", "age", "sex", "place"],
    ).to_frame(index=False)
    return cells.loc[cells.index.repeat(TITANIC)].sample(frac=1, random_state=0).reset_index(drop=True)


def of_few_values(rng, *, classes: bool) -> pd.DataFrame:
    """1000 rows of four columns of three values, whose labels are drawn."""
    table = pd.DataFrame(rng.choice(list("abc"), (1000, 4)), columns=list("wxyz"))
    score = 1.5 * (table["w"] == "a") + (table["x"] == "b") - (table["y"] == "c") - 0.5
    drawn = rng.logistic(size=1000) + score
    return table.assign(label=np.where(drawn > 0, "won", "lost") if classes else drawn)


def of_normals(rng, *, classes: bool) -> pd.DataFrame:
    table = pd.DataFrame(rng.normal(size=(500, 4)), columns=list("wxyz"))
    score = table["x"] + rng.normal(size=500)
    return table.assign(label=np.where(score > 0, "won", "lost") if classes else score)


def recorded(table: pd.DataFrame, rng, rows: int) -> pd.DataFrame:
    """The table with so many of its rows a second time, in any order."""
    return pd.concat([table, table.sample(rows, random_state=rng.integers(2**32))]).sample(frac=1, random_state=0)


def found(table: pd.DataFrame, target: str = "label"):
    return profile.look(table.reset_index(drop=True), target)


def asks(profiled: profile.Profile) -> bool:
    lines = [finding.line for finding in profiled.findings if "keep_together" in finding.line]
    assert len(lines) == ("duplicates" in profiled.proposed) <= 1
    return bool(lines)


@LAWS
@pytest.mark.slow
@given(seeds, st.booleans())
def test_equal_rows_of_few_values_are_no_question(seed, classes):
    assert not asks(found(of_few_values(np.random.default_rng(seed), classes=classes)))


@LAWS
@pytest.mark.slow
@given(seeds, st.booleans())
def test_cells_whose_labels_only_a_copy_tells_are_no_question(seed, classes):
    rng = np.random.default_rng(seed)
    table = of_few_values(rng, classes=True)
    cell = table.groupby(list("wxyz")).ngroup()
    share = rng.random(81)[cell]
    table["label"] = np.where(rng.random(1000) < share, "won", "lost") if classes else rng.normal(4 * share, 1)
    assert not asks(found(table))


@LAWS
@given(seeds, st.booleans(), st.floats(0, 0.05))
def test_rows_that_were_recorded_twice_are_asked_about(seed, classes, relabelled):
    rng = np.random.default_rng(seed)
    table = recorded(of_normals(rng, classes=classes), rng, 200)
    if classes:
        table["label"] = table["label"].mask(rng.random(len(table)) < relabelled, "lost")
    assert asks(found(table))


@LAWS
@pytest.mark.slow
@given(seeds, st.booleans())
def test_a_table_without_copies_or_with_few_is_no_question(seed, classes):
    rng = np.random.default_rng(seed)
    assert not asks(found(of_normals(rng, classes=classes)))
    assert not asks(found(recorded(of_normals(rng, classes=classes), rng, 5)))


def test_titanic_is_no_question():
    table = titanic()
    assert (2201, 711) == (len(table), (table["label"] == "saved").sum())
    assert not asks(found(table))


def test_copies_that_agree_only_as_much_as_the_error_allows_are_no_question():
    rng = np.random.default_rng(0)
    table = recorded(of_normals(rng, classes=True), rng, 200)
    assert asks(found(table))
    again = table.duplicated(list("wxyz"))
    score = table["x"] + rng.normal(size=len(table))
    table.loc[again, "label"] = np.where(score > 0, "won", "lost")[again]  # drawn again, given the features
    assert not asks(found(table))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["wine_quality", "votes", pytest.param("letter", marks=pytest.mark.slow), "spambase"])
@pytest.mark.parametrize("numbers", [False, True])
def test_of_the_public_sets_wine_alone_is_asked_about(name, numbers):
    file, target = IN_FILES[name]
    if not (FOLDER / file).exists():
        pytest.skip(f"the public sets are not in {FOLDER}; name their folder in HELDOUT_DATA")
    table = read_table(str(FOLDER / file))
    if numbers:
        table[target] = pd.factorize(table[target])[0] + np.random.default_rng(0).normal(0, 1e-6)
    assert (name == "wine_quality") == asks(found(table, target))


def test_half_the_squared_difference_of_independent_labels_is_their_variance():
    rng = np.random.default_rng(0)
    group = rng.integers(0, 300, 3000)
    y = 50 + rng.normal(0, 3, 3000)
    assert 9 == pytest.approx(recorded_twice._differences(y, group, classes=False).mean(), rel=0.1)
    for place in range(20):
        others = np.flatnonzero((group == group[place]) & (np.arange(3000) != place))
        assert ((y[others] - y[place]) ** 2).mean() / 2 == pytest.approx(
            recorded_twice._differences(y, group, classes=False)[place]
        )
        kinds = (y > 51).astype(float)
        assert (kinds[others] != kinds[place]).mean() == recorded_twice._differences(kinds, group, classes=True)[place]


@pytest.mark.slow
@pytest.mark.parametrize("classes", [False, True])
def test_the_proposal_is_written_and_prepared_and_the_question_has_both_errors(monkeypatch, classes):
    monkeypatch.setattr(dvc_commands, "track", lambda paths: None)
    rng = np.random.default_rng(0)
    recorded(of_normals(rng, classes=classes), rng, 200).to_csv("t.csv", index=False)
    said = start.initialize("t.csv", "label", None, Path.cwd())
    (question,) = [line for line in said if "keep_together" in line]
    twice = recorded_twice.look(*_typed("t.csv"), classes=classes)
    assert 1 == twice.agree
    for error in (twice.apart, twice.together):
        assert (f"{100 * error:.3g} %" if classes else f"{error:.4g}") in question
    assert "200 rows repeat an earlier row exactly" in question
    assert "?" in question
    assert "duplicates: keep_together  # proposed: " in Path("params.yaml").read_text()
    settings = load("params.yaml")
    assert "keep_together" == settings.split.duplicates
    of_few_values(rng, classes=classes).to_csv("u.csv", index=False)
    said = start.initialize("u.csv", "label", None, Path.cwd())
    assert "split.duplicates" not in "".join(said)
    assert "allow" == load("params.yaml").split.duplicates
    assert "duplicates: allow\n" in Path("params.yaml").read_text()


def _typed(path):
    table = pd.read_csv(path)
    return table.drop(columns="label"), table["label"]
