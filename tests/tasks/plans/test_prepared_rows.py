"""A forecast is about the rows of the present settings, whoever prepared rows before."""

import pandas as pd

from tasks.plans.prepared_rows import make_sure
from tasks.storage import files


def folds() -> int:
    return pd.read_parquet(files.PARTITION)["fold"].nunique()


def test_rows_are_prepared_where_there_are_none_and_where_they_are_of_other_settings(rows, settings_of_rows):
    make_sure(settings_of_rows())
    assert 5 == folds()
    before = files.LABELED.stat().st_mtime_ns
    make_sure(settings_of_rows("execution.workers=7"))  # which no row depends on
    assert before == files.LABELED.stat().st_mtime_ns
    make_sure(settings_of_rows("split.folds=3"))
    assert 3 == folds()
