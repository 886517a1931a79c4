"""The rows with which new shards are compared: of any kind, evenly from all shards, and the same when read again."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from heldout.monitoring.column_alarm import ColumnAlarm
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.outcome.fixed_reference import FixedReference
from tasks.runtime.errors import UserError
from tasks.storage import files


def table(rows: int, seed: int, *, jobs: str = "abc") -> pd.DataFrame:
    """A column of each kind, with gaps."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=rows),
            "whole": rng.integers(0, 5, size=rows),
            "job": rng.choice([f"job {letter}" for letter in jobs], size=rows),
            "true": rng.random(size=rows) < 0.5,
            "day": [f"2020-01-{day:02}" for day in rng.integers(1, 29, size=rows)],
            "text": [f"free text {number}" for number in rng.permutation(rows)],
            "label": rng.integers(0, 2, size=rows),
        }
    )
    frame.loc[rng.random(rows) < 0.1, ["x", "job"]] = np.nan
    return frame


def prepared(settings_with, checkout, *shards: pd.DataFrame, tested: str = "0") -> None:
    table(200, 0).to_csv("table.csv", index=False)
    changes = ["data.source=table.csv", "data.target=label", "data.positive=null", "data.labeled_rows=null"]
    changes += [
        "candidates=[{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}]",
        f"split.test_fraction={tested}",
    ]
    if shards:
        (checkout / "new").mkdir()
        for number, shard in enumerate(shards):
            shard.drop(columns="label").to_csv(f"new/{number}.csv", index=False)
        changes.append("data.unlabeled=new/*.csv")
    write_prepared(prepare(settings_with(*changes)))


def test_rows_of_every_kind_are_those_that_were_prepared(settings_with, checkout):
    prepared(settings_with, checkout, table(50, 1), table(70, 2, jobs="abcd"))
    fixed = FixedReference.of_validated_run()
    fixed.write()
    again = FixedReference.parsed(fixed.numbers())
    assert (fixed.content, 200, (50, 70)) == (again.content, again.known, again.shards)
    for rows, path in zip(again.of_shards(), files.shards(), strict=True):
        expected = files.read_shard(path)
        assert rows.astype("str").equals(expected.astype("str"))
    again.check_columns()
    assert [True, True] == [again.holds(path) for path in sorted(Path("new").glob("*.csv"))]
    # the alarm answers its own rows, and those of a shard that was never seen
    alarm = ColumnAlarm.of(again.known_rows, again.of_shards())
    assert alarm.after(files.read_shard(files.shards()[0])).log < 0


def test_of_many_rows_as_many_are_taken_evenly_from_all_shards(settings_with, checkout):
    large = [table(3, 1).iloc[np.zeros(rows, dtype=int)].assign(x=np.arange(rows)) for rows in (30_000, 10_000)]
    prepared(settings_with, checkout, *large)
    fixed = FixedReference.of_validated_run()
    assert (15_000, 5_000) == fixed.shards
    steps = [np.diff(rows["x"]) for rows in fixed.of_shards()]
    assert all(set(step.tolist()) == {2.0} for step in steps)
    assert str(fixed).startswith("20000 rows of 2 files, ")


def test_without_unlabelled_rows_it_is_the_test_set_and_without_that_nothing(settings_with, checkout):
    prepared(settings_with, checkout, tested="0.25")
    fixed = FixedReference.of_validated_run()
    assert fixed.shards == (len(pd.read_parquet(files.TEST)),)
    assert () == fixed.files
    files.TEST.unlink()
    with pytest.raises(UserError, match=r"data\.unlabeled is null and split\.test_fraction is 0"):
        FixedReference.of_validated_run()
