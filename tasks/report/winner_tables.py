"""The tables that `select` left about single rows, shards, and the curves of the winner."""

from dataclasses import dataclass, field

import pandas as pd


@dataclass(frozen=True, eq=False)
class WinnerTables:
    """Each table as it was written; one without a line has nothing to say."""

    hard_rows: pd.DataFrame = field(default_factory=pd.DataFrame)
    to_label: pd.DataFrame = field(default_factory=pd.DataFrame)
    shards: pd.DataFrame = field(default_factory=pd.DataFrame)
    calibration: pd.DataFrame = field(default_factory=pd.DataFrame)
    roc: pd.DataFrame = field(default_factory=pd.DataFrame)
    residuals: pd.DataFrame = field(default_factory=pd.DataFrame)
