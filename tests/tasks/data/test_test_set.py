"""Whether a row is in the test set: its content, its number among equal rows and split.test_key decide."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from heldout.rows import row_identity
from tasks.data.prepare_tables import prepare, seen_in
from tasks.data.row_contents import contents
from tasks.storage.files import TARGET
from tasks.storage.seen_rows import SeenRows
from tests.tasks.mistakes import assert_refused

LAWS = settings(
    max_examples=6,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.fixture
def test_ids(settings_of_rows):
    """The `id` of each test row of a table, with other settings."""

    def prepared(table, *changes) -> set[float]:
        table.to_csv("rows.csv", index=False)
        made = prepare(settings_of_rows("split.test_fraction=0.3", "split.folds=2", *changes))
        tested, labeled = ({*map(float, part["id"])} for part in (made.test, made.labeled))
        assert table.duplicated().any() or not tested & labeled
        return tested

    return prepared


@LAWS
@given(st.randoms(use_true_random=False), st.integers(0, 2**40))
def test_no_order_no_further_row_and_no_seed_moves_a_row(rows, test_ids, random, seed):
    before = test_ids(rows)
    order = random.sample(range(60), 60)
    further = pd.DataFrame({"id": range(60, 90), "x": np.arange(30.0), "kind": "won"})
    many = pd.concat([rows.iloc[order], further])[["x", "kind", "id"]]
    assert before == test_ids(many, f"seed={seed}", "data.labeled_rows=30") - {*further["id"]}
    assert before == test_ids(rows, f"seed={seed}", "split.stratify=false", "split.rows=20", "split.folds=3")


@pytest.mark.parametrize("key", ["data.drop", "data.known_after"])
def test_no_other_reading_of_the_table_moves_a_row_and_another_key_does(rows, test_ids, key):
    rows["spare"] = ["a", "2", "2.50", *map(str, range(57))]
    before = test_ids(rows, f"{key}=[spare]")
    assert before == test_ids(rows, "data.columns={spare: category}")
    assert before == test_ids(rows, "data.columns={spare: text, id: category}", "data.positive=won")
    assert before == test_ids(rows.assign(empty=np.nan), f"{key}=[spare]")
    with_gaps = pd.concat([rows, pd.DataFrame({"kind": ["won"], "spare": ["3"]})])  # whole numbers become floats
    assert before == {row for row in test_ids(with_gaps, f"{key}=[spare]") if row == row}
    assert before != test_ids(rows, f"{key}=[spare]", "split.test_key=1")
    assert before < test_ids(rows, f"{key}=[spare]", "split.test_fraction=0.6")


@pytest.mark.parametrize("key", ["data.drop", "data.known_after"])
def test_keys_that_change_the_values_of_each_row_move_none(rows, test_ids, key):
    rows = rows.assign(x=[f"{row},5" for row in range(60)], flag="?")
    before = test_ids(rows, f"{key}=[flag]")
    assert before == test_ids(rows, f"{key}=[flag]", 'data.missing=["?"]')
    assert before == test_ids(rows, f"{key}=[flag]", "data.read.decimal=comma", "data.read.dayfirst=true")


@pytest.mark.parametrize("key", ["data.drop", "data.known_after"])
def test_the_rows_of_a_table_that_gained_columns_are_found_by_the_columns_that_it_had(rows, settings_of_rows, key):
    settings = settings_of_rows("split.test_fraction=0.3", "split.folds=2", f"{key}=[more]")
    before = prepare(settings_of_rows("split.test_fraction=0.3", "split.folds=2")).seen
    rows.assign(more=np.arange(60.0)).iloc[::-1].to_csv("rows.csv", index=False)
    gained = prepare(settings).seen
    assert before.has_fewer_columns_than(gained)
    assert not gained.has_fewer_columns_than(before)
    texts = before.texts()
    assert before == SeenRows.parsed(texts)
    without = SeenRows.parsed({name: text for name, text in texts.items() if name != "columns"})  # of too many columns
    assert not without.has_fewer_columns_than(gained)
    assert not before.labeled.overlaps(gained.labeled)
    again = seen_in(settings, before.columns)
    assert (before.labeled, gained.columns) == (again.labeled, again.columns)
    assert {*again.used.identities} | {*again.test.identities} == {*again.labeled.identities}
    # other rows are in the test set now, most of which were trained on before
    assert before.used.overlaps(again.test)
    rows.assign(more=np.arange(60.0), x=rows["x"] + 1).to_csv("rows.csv", index=False)
    assert not before.labeled.overlaps(seen_in(settings, before.columns).labeled)


def test_a_file_of_another_form_has_the_same_rows(rows, settings_of_rows):
    rows["when"] = pd.Timestamp("2026-01-01") + pd.to_timedelta(rows["id"], unit="h")
    rows["yes"] = rows["id"] % 2 == 0
    rows["small"] = (rows["id"] / 4).astype("float32")
    typed = rows.assign(kind=rows["kind"].astype("category"), id=rows["id"].astype("Int16"))
    text = rows.drop(columns="when").astype(str)
    expected = contents(rows)
    assert expected.tolist() == contents(typed).tolist()
    assert expected.tolist() == contents(rows.assign(when=rows["when"].dt.tz_localize("UTC").dt.as_unit("s"))).tolist()
    assert expected.tolist() == contents(rows.astype("object")).tolist()
    assert contents(rows.drop(columns="when")).tolist() == contents(text).tolist()
    nullable = rows.assign(yes=rows["yes"].astype("boolean"), id=rows["id"].astype("object"))
    nullable.loc[1, ["yes", "id", "when", "kind"]] = None
    gaps = rows.astype("object")
    gaps.loc[1, ["yes", "id", "when", "kind"]] = [None, np.nan, pd.NaT, None]
    assert contents(nullable).tolist() == contents(gaps).tolist()
    assert expected[2:].tolist() == contents(nullable)[2:].tolist()


def test_a_group_stays_where_its_name_puts_it(rows, test_ids):
    rows["house"] = [f"house {row // 2}" for row in range(60)]
    before = test_ids(rows, "data.groups=house")
    assert {int(row) ^ 1 for row in before} == before
    changed = rows.assign(x=0.0, id=rows["id"] + 1000)
    grown = pd.concat([changed.iloc[::-1], pd.DataFrame({"id": range(9), "x": 1.0, "kind": "won", "house": "new"})])
    assert {1000 + row for row in before} == {
        row for row in test_ids(grown, "data.groups=house", "seed=4") if row > 999
    }


def test_copies_kept_together_stay_where_their_features_put_them(rows, test_ids):
    together = ["split.duplicates=keep_together", "data.columns={id: numeric}"]
    before = test_ids(rows, *together)
    other_label = rows.assign(kind=np.where(rows["kind"] == "won", "lost", "won"))
    assert before == test_ids(pd.concat([other_label.iloc[::-1], rows, rows]), *together)


@pytest.mark.parametrize(
    ("fraction", "words"),
    [
        (0.0001, [0.0001, 0, 60, 1, "split.test_key", "larger", "row", "rows"]),
        (0.9999, [0.9999, 60, 60, 0, 2, "split.test_key", "smaller"]),
    ],
)
def test_a_side_that_is_too_small_is_refused_with_the_remedy(rows, settings_of_rows, fraction, words):
    change = f"split.test_fraction={fraction}"
    assert_refused(lambda: prepare(settings_of_rows(change)), "split.test_fraction", *words)


@pytest.fixture
def parts(settings_of_rows):
    """How often each content is in the test set, and how often outside of it."""

    def made(table, *changes) -> tuple[Counter, Counter]:
        table.to_csv("rows.csv", index=False)
        found = prepare(settings_of_rows("split.test_fraction=0.3", "split.folds=2", *changes))
        rest = found.labeled if found.all_labeled is None else found.all_labeled
        return tuple(Counter(map(str, part.to_numpy().tolist())) for part in (found.test, rest))

    return made


FEW = pd.DataFrame({"a": [0, 1, 2] * 200, "b": [0, 1] * 300, "kind": [*["won", "lost", "lost"] * 100, *["won"] * 300]})


@LAWS
@pytest.mark.slow
@given(st.integers(0, 2**32))
def test_no_order_and_no_further_row_changes_which_of_equal_rows_are_tested(rows, parts, seed):
    rng = np.random.default_rng(seed)
    before = parts(FEW)
    assert before == parts(FEW.iloc[rng.permutation(600)], f"seed={seed}", "split.rows=50")
    more = FEW.iloc[rng.integers(0, 600, 200)]
    grown = parts(pd.concat([FEW, more]).iloc[rng.permutation(800)])
    assert all(before_part <= grown_part for before_part, grown_part in zip(before, grown, strict=True))
    # a part of the labelled rows is drawn after the numbers are given: the seed moves no row into the test set
    assert before[0] == parts(FEW, f"seed={seed}", "data.labeled_rows=40")[0]


def test_rows_that_differ_in_the_label_alone_are_tested_independently(rows, parts):
    pairs = pd.DataFrame({"a": np.repeat(np.arange(1500), 2), "kind": ["won", "lost"] * 1500})
    tested, rest = parts(pairs, "data.columns={a: numeric}")
    both = sum(1 for text in tested if text.replace("won", "lost") in tested and "won" in text)
    assert abs(both - 0.09 * 1500) < 4 * (1500 * 0.09 * 0.91) ** 0.5
    assert abs(tested.total() - 900) < 4 * (3000 * 0.21) ** 0.5
    assert 3000 == tested.total() + rest.total()


def test_few_distinct_rows_have_a_test_set_like_a_draw(rows, settings_of_rows):
    rows.assign(id=0, x=0.0).to_csv("rows.csv", index=False)  # two distinct rows, one of each class
    for key in range(4):
        made = prepare(settings_of_rows(f"split.test_key={key}", "split.test_fraction=0.5", "split.folds=2"))
        assert 30 - 4 * 15**0.5 < len(made.test) < 30 + 4 * 15**0.5
        assert 2 == made.test["target"].nunique() == made.labeled["target"].nunique()


def test_each_row_with_a_label_has_an_identity_of_its_own_in_the_file(rows, settings_of_rows):
    pd.concat([rows, rows.iloc[:20]]).to_csv("rows.csv", index=False)
    made = prepare(settings_of_rows("split.test_fraction=0.3", "split.folds=2", "data.labeled_rows=30")).row_ids
    assert {"used": 30} == {"used": (made["part"] == "used").sum()}
    assert 80 == len(made) == len(set(row_identity.identities(made["content"].to_numpy(), made["number"].to_numpy())))
    assert 20 == (made["number"] == 1).sum()
    assert "unit" not in made


@pytest.mark.parametrize(("yes", "no"), [(True, False), (1, 0), ("Test", "train"), (1.0, 0.0)])
def test_a_column_of_the_table_says_which_rows_are_the_test_set(rows, test_ids, settings_of_rows, yes, no):
    marked = rows.assign(part=[yes if row % 4 == 1 else no for row in range(60)])
    assert {float(row) for row in range(60) if row % 4 == 1} == test_ids(marked, "data.test_rows=part")
    prepared = prepare(settings_of_rows("split.test_fraction=0.3", "data.test_rows=part", "split.folds=2"))
    assert [*rows.columns.drop("kind"), TARGET] == [*prepared.labeled.columns]


def test_a_row_that_moves_into_the_test_set_stays_the_row_that_an_earlier_run_used(rows, settings_of_rows):
    seen = []
    for place in (1, 2):
        rows.assign(part=[row % 4 == place for row in range(60)]).to_csv("rows.csv", index=False)
        seen.append(prepare(settings_of_rows("split.test_fraction=0.3", "data.test_rows=part", "split.folds=2")).seen)
    assert seen[0].used.overlaps(seen[1].test)
    assert seen[0].labeled == seen[1].labeled


def test_later_rows_that_are_not_of_the_test_set_are_left_out(rows, settings_of_rows):
    rows.assign(part=[int(30 <= row < 40) for row in range(60)]).to_csv("rows.csv", index=False)
    made = prepare(settings_of_rows("split.test_fraction=0.3", "data.test_rows=part", "data.time=id", "split.folds=2"))
    assert (10, 30) == (len(made.test), len(made.labeled))
    assert any("20 rows with a label are left out" in said for said in made.warnings)


@pytest.mark.parametrize(
    ("flags", "changes", "said"),
    [
        ([row % 3 for row in range(60)], (), ["'2'"]),
        ([None, *(row % 4 == 1 for row in range(59))], (), ["1 of 60"]),
        ([False] * 60, (), ["split.test_fraction"]),
        ([True] * 60, (), ["0 of 60"]),
        ([row % 4 == 1 for row in range(60)], ("data.groups=shop",), ["10 groups"]),
        ([row < 30 for row in range(60)], ("data.time=id",), ["0 of 60", "data.time"]),
    ],
)
def test_what_a_column_cannot_say_of_the_test_set_is_refused(rows, settings_of_rows, flags, changes, said):
    rows.assign(part=flags, shop=rows["id"] // 6).to_csv("rows.csv", index=False)
    given = settings_of_rows("split.test_fraction=0.3", "data.test_rows=part", "split.folds=2", *changes)
    assert_refused(lambda: prepare(given), "data.test_rows", "part", *said)


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ("split.test_fraction=0", "data.test_rows"),
        ("data.key=part", "data.key"),
        ("data.target=part", "data.test_rows"),
        ("data.time=part", "data.test_rows"),
    ],
)
def test_a_column_of_test_rows_has_no_other_role(settings_of_rows, change, key):
    assert_refused(lambda: settings_of_rows("split.test_fraction=0.3", "data.test_rows=part", change), key, "part")
