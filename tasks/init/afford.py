"""The rows, the fits and the search that the budget allows, from small fits on the prepared rows."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet
from numpy.typing import NDArray

from heldout.checks.column_kind import kind_of_dtype
from heldout.losses import choose_loss
from tasks.data.prepare_tables import Prepared
from tasks.fits import executor, measured_costs
from tasks.init import search
from tasks.init.learners import Family
from tasks.init.search import Search
from tasks.params import Settings
from tasks.plans import budget
from tasks.plans.budget import Choice, Cost, TableSize
from tasks.storage.files import TARGET

_LITTLE = 20_000  # values, each as long as ten characters of text: their fits need no measurement
_OF_LITTLE = Cost((_LITTLE,), (0.07,), (0.0,))  # about the mean of the fits of all families on so little


def afford(
    settings: Settings,
    prepared: Prepared,
    shards: Sequence[Path] | None,
    families: Sequence[Family],
    minutes: float | None,
) -> tuple[Choice, Search]:
    """The choice for a table of which no row was given up yet; `shards` are the user's unlabelled files, if any.

    `settings` have each of the `families` once. A little table is not measured, and neither is any if `minutes` is
    None: all rows, and the most fits; without a budget, the largest search too.
    """
    X, y = prepared.labeled.drop(columns=TARGET), prepared.labeled[TARGET].to_numpy()
    table = TableSize(
        labeled=len(X),
        test=0 if prepared.test is None else len(prepared.test),
        unlabeled=sum(map(len, prepared.shards)) if shards is None else sum(map(_rows, shards)),
        own_unlabeled=shards is not None,
        copies=prepared.copies is not None,
        dependent=bool({"group", "time"} & {*prepared.roles.labeled.columns}),
    )
    workers = settings.execution.workers
    seconds = math.inf if minutes is None else 60 * minutes
    if minutes is None or X.size + _characters(X) / 10 <= _LITTLE:
        guessed, choice = {family.name: _OF_LITTLE for family in families}, budget.richest(table)
        found, choice = search.choose(families, guessed, table, choice, seconds, workers)
        return replace(choice, seconds=None), found
    costs = _measured(settings, X, y)
    choice = budget.choose([costs[family.name] for family in families if family.always], table, seconds, workers)
    found, choice = search.choose(families, costs, table, choice, seconds, workers)
    return choice, found


def _characters(X: pd.DataFrame) -> float:
    """The characters of all texts."""
    texts = [str(name) for name, dtype in X.dtypes.items() if kind_of_dtype(dtype) == "text"]
    return sum(float(X[name].str.len().sum()) for name in texts)


def _measured(settings: Settings, X: pd.DataFrame, y: NDArray[np.generic]) -> dict[str, Cost]:
    """The cost of each candidate."""
    local = settings.execution.model_copy(update={"executor": "local"})
    try:
        loss = choose_loss(settings.judged_by, y, called="the target")
        measured = measured_costs.measure_all(executor.executor(local), settings, X, y, loss)
    finally:
        executor.stop()
    return {name: cost for name, (cost, _) in measured.items()}


def _rows(path: Path) -> int:
    """About how many rows a file has: a line each, if it is no Parquet file."""
    if path.suffix == ".parquet":
        return int(pyarrow.parquet.read_metadata(path).num_rows)
    with path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
