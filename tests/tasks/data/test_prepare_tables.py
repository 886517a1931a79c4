"""From a user's rows to the prepared tables: parts that are disjoint, and drawn from the seed alone."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from heldout.splits.partition import make_halves, make_partition
from tasks.data.prepare_tables import Prepared, prepare
from tasks.runtime.errors import UserError
from tasks.storage import files

LAWS = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],  # the folder of a test serves all its examples
)


def ids(*parts: pd.DataFrame | None) -> list[int]:
    return sorted(row for part in parts if part is not None for row in part["id"].tolist())


def frames(prepared: Prepared) -> list[pd.DataFrame]:
    test = [] if prepared.test is None else [prepared.test]
    partition = pd.DataFrame(vars(prepared.partition))
    return [prepared.labeled, *test, *prepared.shards, partition, pd.DataFrame(prepared.halves)]


def same(one: Prepared, other: Prepared) -> list[bool]:
    return [a.equals(b) for a, b in zip(frames(one), frames(other), strict=True)]


TEST_SETS: dict[float, list[int]] = {}


@LAWS
@given(
    st.sampled_from([0, 0.1, 0.25, 0.5]),
    st.one_of(st.none(), st.integers(15, 26)),
    st.integers(1, 4),
    st.booleans(),
    st.integers(0, 2**40),
)
def test_the_parts_are_disjoint_and_hold_all_rows(rows, settings_of_rows, test, labeled, shards, stratify, seed):
    changes = {"split.test_fraction": test, "data.labeled_rows": labeled or "null", "data.shards": shards}
    changes |= {"seed": seed, "split.stratify": str(stratify).lower()}
    made = prepare(settings_of_rows(*(f"{key}={value}" for key, value in changes.items())))
    assert list(range(60)) == ids(made.labeled, made.test, *made.shards)
    assert ids(made.test) == TEST_SETS.setdefault(test, ids(made.test))  # whatever else was asked for
    n_test = len(ids(made.test))
    assert bool(test) == bool(n_test)
    assert (60 - n_test if labeled is None else labeled) == len(made.labeled)
    sizes = [len(shard) for shard in made.shards]
    assert (0 if labeled is None else shards) == len(sizes)
    assert max(sizes, default=0) - min(sizes, default=0) <= 1
    for part in (made.labeled, made.test):  # a row keeps its own features and label, whatever part it fell into
        if part is not None:
            found = part.rename(columns={"target": "kind"})
            assert rows.iloc[part["id"]].reset_index(drop=True).equals(found)
    for shard in made.shards:
        assert rows.iloc[shard["id"]].drop(columns="kind").reset_index(drop=True).equals(shard)


def test_durations_are_days(rows, settings_of_rows):
    rows.assign(waited=pd.to_timedelta(rows["id"], unit="h")).to_parquet("waits.parquet")
    made = prepare(settings_of_rows("data.source=waits.parquet"))
    assert (made.labeled["id"] / 24).tolist() == made.labeled["waited"].tolist()
    rows.assign(waited=pd.to_timedelta(rows["id"], unit="min")).to_parquet("waits.parquet")
    assert made.data_hash != prepare(settings_of_rows("data.source=waits.parquet")).data_hash


@pytest.mark.parametrize("stratify", ["true", "false"])
def test_the_estimates_use_a_part_of_the_labelled_rows_and_all_of_them_are_kept(rows, settings_of_rows, stratify):
    changes = ["split.test_fraction=0.25", "data.labeled_rows=40", f"split.stratify={stratify}"]
    every, part = prepare(settings_of_rows(*changes)), prepare(settings_of_rows(*changes, "split.rows=24"))
    assert every.all_labeled is None
    assert every.labeled.equals(part.all_labeled)  # in the same order
    assert every.test.equals(part.test)
    assert 24 == len(part.labeled) == len(part.partition.fold)
    assert {*part.labeled["id"]} < {*every.labeled["id"]}
    assert ids(part.labeled, *part.shards) == ids(every.labeled, *every.shards)  # the others have no label there
    assert all("target" not in shard for shard in part.shards)
    assert all(same(every, prepare(settings_of_rows(*changes, "split.rows=40"))))
    with pytest.raises(UserError, match=r"^split\.rows is 41, .* 40 rows"):
        prepare(settings_of_rows(*changes, "split.rows=41"))


def test_few_rows_do_not_make_classes_of_numbers(rows, settings_of_rows):
    changes = ["data.target=id", "split.folds=2", "split.test_fraction=0"]
    with pytest.raises(UserError, match=r"^split\.rows is 10, .* 10 whole numbers.* all 60 .* 60"):
        prepare(settings_of_rows(*changes, "split.rows=10"))
    assert 30 == len(prepare(settings_of_rows(*changes, "split.rows=30")).labeled)


def test_each_class_has_its_share_of_each_stratified_part(rows, settings_of_rows):
    made = prepare(settings_of_rows("data.labeled_rows=30"))
    assert 10 == (made.labeled["target"] == "won").sum()
    assert [2] * 5 == [(made.labeled["target"][made.partition.fold == fold] == "won").sum() for fold in range(5)]


def test_the_partitions_are_those_of_the_science(rows, settings_of_rows):
    made = prepare(settings_of_rows("seed=3"))
    y = made.labeled["target"].to_numpy()
    expected = make_partition(y, validation_fraction=0.2, folds=5, tested_fraction=0.5, stratify=True, seed=3)
    assert pd.DataFrame(vars(expected)).equals(pd.DataFrame(vars(made.partition)))
    assert np.array_equal(make_halves(y, repeats=3, stratify=True, seed=3), made.halves)


def test_loo_is_one_fold_a_row(rows, settings_of_rows):
    assert list(range(60)) == sorted(prepare(settings_of_rows("split.folds=loo")).partition.fold.tolist())


def test_the_target_is_renamed_and_stands_last(rows, settings_of_rows):
    rows[["kind", "x", "id"]].to_csv("rows.csv", index=False)
    assert ["x", "id", "target"] == list(prepare(settings_of_rows()).labeled.columns)


@pytest.mark.parametrize(("positive", "count"), [("won", 20), ("lost", 40)])
def test_the_positive_value_becomes_1_and_all_others_0(rows, settings_of_rows, positive, count):
    made = prepare(settings_of_rows(f"data.positive={positive}")).labeled
    assert "int64" == made["target"].dtype
    assert (rows["kind"] == positive).astype(int).tolist() == made["target"].tolist()
    assert count == made["target"].sum()


@pytest.mark.parametrize("key", ["data.drop", "data.known_after"])
def test_columns_that_are_left_out_are_in_no_part(rows, settings_of_rows, key):
    made = prepare(settings_of_rows(f"{key}=[x]", "data.labeled_rows=30"))
    assert ["id", "target"] == list(made.labeled.columns)
    assert [["id"]] * 4 == [list(shard.columns) for shard in made.shards]


@pytest.mark.parametrize("positive", ["null", "won"])
def test_rows_without_a_label_are_served_as_unlabelled(rows, settings_of_rows, positive):
    rows.loc[[7, 8, 30], "kind"] = None
    rows.to_csv("rows.csv", index=False)
    made = prepare(settings_of_rows("data.shards=2", f"data.positive={positive}"))
    assert [7, 8, 30] == ids(*made.shards)
    assert ids(rows.drop(index=[7, 8, 30])) == ids(made.labeled)
    assert made.labeled["target"].notna().all()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_files_of_unlabelled_rows_are_the_shards_in_the_order_of_their_names(rows, settings_of_rows, ending):
    features = rows.drop(columns="kind")
    for name, first in (("b", 0), ("a", 5)):
        part = features.iloc[first : first + 5][["x", "id"]].assign(more=1)  # another order, another column
        part.to_csv(f"{name}.csv", index=False) if ending == "csv" else part.to_parquet(f"{name}.parquet")
    made = prepare(settings_of_rows(f'data.unlabeled="?.{ending}"', "data.labeled_rows=50"))
    assert [[5, 6, 7, 8, 9], [0, 1, 2, 3, 4]] == [shard["id"].tolist() for shard in made.shards]
    assert [["id", "x"]] * 2 == [list(shard.columns) for shard in made.shards]


CUTS = ["split.test_fraction=0.2", "data.labeled_rows=30"]


def test_the_same_seed_gives_the_same_tables_and_another_seed_others_but_the_same_test_set(rows, settings_of_rows):
    one, again, other = (prepare(settings_of_rows(*CUTS, f"seed={seed}")) for seed in (1, 1, 2))
    assert all(same(one, again))
    assert [False, True] + [False] * 6 == same(one, other)


def test_raising_the_repeats_leaves_the_earlier_halves_and_all_else(rows, settings_of_rows):
    few, many = (prepare(settings_of_rows(*CUTS, f"covalidation.repeats={count}")) for count in (3, 9))
    assert np.array_equal(few.halves, many.halves[:3])
    assert [True] * 7 + [False] == same(few, many)


def data_hash(settings) -> str:
    return prepare(settings).data_hash


def test_the_hash_of_the_data_is_theirs_alone(rows, settings_of_rows):
    base = data_hash(settings_of_rows())
    for change in (
        "seed=9",
        "data.labeled_rows=30",
        "split.test_fraction=0.3",
        "split.folds=3",
        "covalidation.repeats=1",
    ):
        assert base == data_hash(settings_of_rows(change))
    rows.to_csv("copy.csv", index=False)
    assert base == data_hash(settings_of_rows("data.source=copy.csv"))


@pytest.mark.parametrize(("column", "value"), [("kind", "lost"), ("x", 0.0), ("id", 99)])
def test_the_hash_changes_with_any_label_or_feature(rows, settings_of_rows, column, value):
    base = data_hash(settings_of_rows())
    rows.loc[0, column] = value
    rows.to_csv("rows.csv", index=False)
    assert base != data_hash(settings_of_rows())


@pytest.mark.parametrize("positive", ["null", "won"])
def test_rows_without_a_label_leave_the_labelled_data_as_they_were(rows, settings_of_rows, positive):
    changes = (f"data.positive={positive}", "data.shards=1")
    before = prepare(settings_of_rows(*changes))
    pd.concat([rows, pd.DataFrame({"id": [60], "x": [0.5], "kind": [None]})]).to_csv("rows.csv", index=False)
    after = prepare(settings_of_rows(*changes))
    assert before.labeled.equals(after.labeled)
    assert before.data_hash == after.data_hash


def test_a_wide_table_is_prepared_without_a_warning(rows, settings_of_rows):
    wide = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 120))).add_prefix("c")
    pd.concat([rows, wide], axis=1).to_csv("rows.csv", index=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (60, 123) == prepare(settings_of_rows()).labeled.shape


def test_no_folder_is_empty_since_dvc_would_not_restore_it(prepared):
    folders = [path for path in files.PREPARED.rglob("*") if path.is_dir()]
    assert [files.UNLABELED] == folders
    assert [] == files.shards()
    assert [] != list(files.UNLABELED.iterdir())


@pytest.mark.parametrize("stated", [["won", "lost"], ["lost", "won"]])
def test_a_type_that_has_another_class_last_than_the_names_is_told_unless_params_yaml_says_which(
    rows, settings_of_rows, stated
):
    rows.assign(kind=pd.Categorical(rows["kind"], stated, ordered=True)).to_parquet("rows.parquet")
    of_parquet = ("data.source=rows.parquet", "split.folds=2")
    told = [said for said in prepare(settings_of_rows(*of_parquet)).warnings if "data.positive" in said]
    assert (stated[-1] == "lost") == bool(told)
    assert not any(
        "data.positive" in said for said in prepare(settings_of_rows(*of_parquet, "data.positive=won")).warnings
    )
