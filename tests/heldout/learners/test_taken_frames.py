"""What of a frame reaches a booster: refused by its type before the fit, or as it documents it."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from lightgbm import LGBMClassifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.pipeline import make_pipeline
from xgboost import XGBClassifier

import heldout
from heldout.errors import BadArgument
from heldout.preprocessing import auto
from heldout.rows.frames import checked_frame

N = 60
A = np.random.default_rng(0).normal(size=N)
B = np.array(["u", "v", "w"])[np.arange(N) % 3]
LIGHT = LGBMClassifier(n_estimators=3, verbose=-1)


def validate(learner, X):
    return heldout.validate({"a": learner}, X, (A > 0).astype(int), estimates=["E_val"], progress=False)


@pytest.mark.parametrize("learner", [LIGHT, make_pipeline(LIGHT), CalibratedClassifierCV(LIGHT)])
@pytest.mark.parametrize("dtype", [pl.Enum(["u", "v", "w"]), pl.Categorical, pl.String])
def test_a_column_of_polars_that_ends_the_process_of_lightgbm_is_refused_by_name(learner, dtype):
    with pytest.raises(BadArgument, match=r"gives lightgbm the column 'b' of the type .*: give X.to_pandas\(\)"):
        validate(learner, pl.DataFrame({"a": A, "b": pl.Series(B, dtype=dtype)}))


def test_numbers_of_polars_and_what_another_step_made_of_columns_are_taken():
    frame = pl.DataFrame({"a": A, "b": B})
    assert validate(LIGHT, frame.select("a", c=pl.col("a") > 1)).estimates
    assert validate(make_pipeline(auto(LIGHT), LIGHT), frame).estimates
    with pytest.raises(BadArgument, match="gives xgboost the column 'b' of the type String"):
        validate(XGBClassifier(n_estimators=3), frame)


def test_string_views_become_strings_whose_rows_can_be_taken():
    frame = pa.table({"a": A, "b": pa.array(B.tolist(), pa.string_view())}).to_pandas(types_mapper=pd.ArrowDtype)
    assert B[:3].tolist() == checked_frame(frame, "X").iloc[:3]["b"].tolist()
    assert validate(make_pipeline(auto(LIGHT), LIGHT), frame).estimates
