"""Parts of dependent rows: whole groups, later rows, copies on one side; laws over random tables."""

import re
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from heldout.checks import equal_rows
from tasks.data import row_roles
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.runtime.errors import UserError
from tasks.storage import files
from tests.tasks.mistakes import assert_refused

LAWS = settings(
    max_examples=30,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@st.composite
def frames(draw):
    """60 to 90 rows: a feature of few values, a label, a group of about six rows, a time with ties, a row number."""
    n = draw(st.integers(60, 90))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    return pd.DataFrame(
        {
            "x": rng.integers(0, draw(st.sampled_from([12, 40, 10_000])), n),
            "kind": rng.choice(["won", "lost"], n),
            "house": rng.integers(0, n // 6, n),
            "day": rng.permutation(np.cumsum(rng.integers(0, 3, n))),
        }
    )


@pytest.fixture
def made_of(settings_of_rows):
    """Prepare a table with a column `id` for each row, which is kept as a feature, and other settings."""

    def make(table, *changes):
        table.assign(id=np.arange(len(table))).to_csv("rows.csv", index=False)
        return prepare(settings_of_rows("split.folds=3", *changes))

    return make


def ids(part) -> list[int]:
    return [] if part is None else part["id"].tolist()


@LAWS
@pytest.mark.slow
@given(frames(), st.sampled_from([0, 0.2, 0.4]), st.sampled_from(["null", 25, 40]))
def test_no_group_is_in_two_of_the_labelled_the_hidden_and_the_test_rows(made_of, table, test, labeled):
    try:
        made = made_of(
            table, "data.groups=house", f"split.test_fraction={test}", f"data.labeled_rows={labeled}", "data.shards=1"
        )
    except UserError as error:  # whole groups, by chance, leave too few rows or groups
        assert str(error).startswith(("data.labeled_rows is", "data.groups", "split.folds", "split.test_fraction is"))  # noqa: PT017
        return
    house = table["house"].to_numpy()
    sides = [set(house[ids(part)]) for part in (made.labeled, made.test, pd.concat([made.labeled[:0], *made.shards]))]
    assert not any(one & other for one, other in combinations(sides, 2))
    assert len(table) == sum(len(ids(part)) for part in (made.labeled, made.test, *made.shards))
    group = made.roles.labeled["group"].to_numpy()
    for one in np.unique(group):
        own = group == one
        assert 1 == len(set(made.partition.fold[own])) == len(set(made.partition.validation[own]))
        assert all(1 == len(set(half[own])) for half in made.halves)


@LAWS
@pytest.mark.slow
@given(frames(), st.sampled_from([0.1, 0.3]), st.integers(0, 4))
def test_the_test_set_is_the_last_and_a_gap_lies_before_it(made_of, table, test, gap):
    made = made_of(table, "data.time=day", f"split.test_fraction={test}", f"split.gap={gap}")
    day = table["day"].to_numpy()
    first = day[ids(made.test)].min()
    last = day[ids(made.labeled)].max()
    assert last < first
    assert ((day > last) & (day < first)).sum() >= gap
    left_out = len(table) - len(made.labeled) - len(made.test)
    assert bool(left_out) == any(f"{left_out} rows with a label are left out" in said for said in made.warnings)
    assert (left_out == 0) == (gap == 0)


def test_labels_are_kept_at_random_along_time(made_of, rows):
    table = rows.assign(day=np.arange(60)).drop(columns="id")
    made = made_of(table, "data.time=day", "data.labeled_rows=30")
    assert 30 == len(made.labeled) == sum(map(len, made.shards))
    # 30 of 60 drawn at random: among the first 20 rows are about 10
    assert 3 < sum(row < 20 for row in ids(made.labeled)) < 17


@LAWS
@pytest.mark.slow
@given(frames(), st.booleans(), st.sampled_from([0, 0.3]), st.sampled_from(["null", 30]))
def test_keep_together_never_splits_copies(settings_of_rows, table, groups, test, labeled):
    table.to_csv("rows.csv", index=False)
    changes = ["data.groups=house", "data.drop=[day]"] if groups else ["data.drop=[day, house]"]
    changes += [f"split.test_fraction={test}", f"data.labeled_rows={labeled}", "split.folds=2"]
    try:
        made = prepare(settings_of_rows(*changes, "split.duplicates=keep_together"))
    except UserError as error:  # copies and groups may join all rows into one or two
        assert groups or table["x"].nunique() < 13
        assert "group" in str(error)  # noqa: PT017
        return
    parts = [made.labeled[["x"]], made.test, pd.concat([made.labeled[["x"]][:0], *made.shards])]
    values = [set() if part is None else set(part["x"]) for part in parts]
    assert not any(one & other for one, other in combinations(values, 2))
    x = made.labeled["x"].to_numpy()
    for one in np.unique(x):
        own = x == one
        assert 1 == len(set(made.partition.fold[own])) == len(set(made.partition.validation[own]))
        assert all(1 == len(set(half[own])) for half in made.halves)
    assert (made.copies is None) == made.labeled["x"].is_unique


def test_without_copies_keep_together_changes_nothing(rows, settings_of_rows):
    plain, together = (prepare(settings_of_rows(f"split.duplicates={way}")) for way in ("allow", "keep_together"))
    assert () == plain.warnings == together.warnings
    assert plain.partition.fold.tolist() == together.partition.fold.tolist()
    assert [] == list(together.roles.labeled.columns)


def test_copies_are_counted_with_those_whose_labels_differ(rows, settings_of_rows):
    table = pd.DataFrame({"x": [1.0, 1, 2, 2, 2, 3, 4, None, None, *range(10, 31)], "kind": "lost"})
    table.loc[[1, 7, 12, 15, 18, 21], "kind"] = "won"
    table.to_csv("rows.csv", index=False)
    made = prepare(settings_of_rows("split.folds=3"))
    said = "7 of 30 rows with a label have the features of another row, and 4 of them have another label"
    assert [f"{said}; split.duplicates keep_together would keep copies on one side of every split"] == [*made.warnings]
    assert [0, 0, 1, 1, 1, 2, 3, 4, 4] == made.copies[:9].tolist()
    made = prepare(settings_of_rows("split.folds=3", "split.duplicates=keep_together"))
    assert [f"{said}; copies stay on one side of every split, as one group"] == [*made.warnings]


@LAWS
@given(st.lists(st.tuples(st.sampled_from([0.0, 1.5, np.nan]), st.sampled_from(["a", "b", None])), min_size=1))
def test_sets_of_copies_are_those_of_equal_rows(table):
    frame = pd.DataFrame(table, columns=["number", "text"])
    found = equal_rows.sets(frame)
    texts = [str(row) for row in frame.itertuples(index=False)]
    assert (found is None) == (len(set(texts)) == len(texts))
    if found is not None:
        expected, _ = pd.factorize(np.array(texts, dtype=object))
        assert expected.tolist() == found.tolist()


@pytest.mark.parametrize(
    ("changes", "key", "words"),
    [
        (["split.gap=3"], "split.gap", [3, "data.time", "null", 0]),
        (["data.time=day", "split.folds=loo"], "split.folds", ["loo", "data.time", "later"]),
        (["data.time=day", "further_estimates=[E_nested]"], "further_estimates[0]", ["time", "leave it out"]),
        (["data.time=day", "selection.criterion=E_2cv"], "selection.criterion", ["E_2cv", "data.time", "later"]),
    ],
)
def test_what_time_does_not_admit_is_reported_with_the_parameters(settings_of_rows, changes, key, words):
    assert_refused(lambda: settings_of_rows(*changes), key, *words)


@pytest.mark.parametrize(
    ("changes", "key", "words"),
    [
        (["data.groups=house", "split.folds=12"], "split.folds", [12, 10, 2, 10]),
        (["data.groups=one"], "data.groups", [1, 2]),
        (["data.time=one"], "data.time", ["single", 2]),
        (["data.time=day", "split.gap=40"], "split.gap", [40, 5, 10, 9]),
        (["data.time=day", "split.gap=60", "split.test_fraction=0.2"], "split.gap", [60, 12]),
    ],
)
def test_too_few_groups_or_times_are_reported_with_their_keys(rows, settings_of_rows, changes, key, words):
    rows.assign(house=np.arange(60) // 6, one=1, day=np.arange(60)).to_csv("rows.csv", index=False)
    assert_refused(lambda: prepare(settings_of_rows(*changes)), key, *words)


def test_the_files_say_how_rows_depend(rows, settings_of_rows):
    rows.assign(house=np.arange(60) // 6, day=np.arange(60)[::-1]).to_csv("rows.csv", index=False)
    write_prepared(prepare(settings_of_rows("data.groups=house", "data.time=day", "split.folds=3")))
    found = row_roles.dependence_of(files.read_roles(), 2)
    assert ("groups and time", 2) == (found.kind, found.gap)
    assert (np.arange(60) // 6).tolist() == found.group.tolist()
    assert list(range(59, -1, -1)) == found.time.tolist()
    assert files.read_copies() is None


def few_rows(distinct: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    a = rng.integers(0, distinct, 300)
    return pd.DataFrame({"a": a, "kind": np.where(rng.random(300) < 0.3 + 0.4 * (a % 2), "won", "lost")})


@pytest.mark.parametrize("distinct", [1, 2, 3, 9, 12])
@pytest.mark.parametrize("test", [0, 0.2])
def test_copies_kept_together_that_are_too_few_sets_for_the_folds_are_told_with_what_works(
    checkout,
    settings_of_rows,
    distinct,
    test,
):
    few_rows(distinct).to_csv("rows.csv", index=False)
    columns = "data.columns={a: category}"

    def made(*changes):
        return prepare(settings_of_rows(f"split.test_fraction={test}", columns, *changes))

    try:
        prepared = made("split.folds=10", "split.duplicates=keep_together")
    except UserError as error:
        said = str(error)
        assert "set split.duplicates to allow" in said
        for folds in re.findall(r"use (?:2 to )?(\d+) folds", said):
            fold = made(f"split.folds={folds}", "split.duplicates=keep_together").partition.fold
            assert int(folds) == len(np.unique(fold))
        assert len(made("split.folds=10", "split.duplicates=allow").partition.fold)
    else:
        assert distinct > 9
        assert 10 == len(np.unique(prepared.partition.fold))


def test_folds_and_test_set_have_one_unit(checkout, settings_of_rows):
    few_rows(60).to_csv("rows.csv", index=False)
    for duplicates_are, together in (("keep_together", True), ("allow", False)):
        change = ("split.test_fraction=0.3", "data.columns={a: category}", f"split.duplicates={duplicates_are}")
        made = prepare(settings_of_rows(*change))
        tested, rest = ({*part["a"]} for part in (made.test, made.labeled))
        folds = made.labeled.assign(fold=made.partition.fold).groupby("a", observed=True)["fold"].nunique()
        assert together == (not tested & rest) == (folds.max() == 1)
