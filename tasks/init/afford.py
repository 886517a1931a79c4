"""The rows and the fits that the budget allows, from small fits on the prepared rows."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow.parquet

from heldout.examine.column_kind import kind_of_dtype
from heldout.losses import choose_loss
from tasks.data.prepare_tables import Prepared
from tasks.fits import executor, measured_costs
from tasks.params import Settings
from tasks.plans import budget
from tasks.plans.budget import Choice, TableSize
from tasks.storage.files import TARGET

_LITTLE = 20_000  # values, each as long as ten characters of text: their fits need no measurement


def afford(settings: Settings, prepared: Prepared, shards: Sequence[Path] | None) -> Choice:
    """The choice for a table of which no row was given up yet; `shards` are the user's unlabelled files, if any.

    A small table is not measured, and neither is any if execution.budget is null: all rows, and the most fits.
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
    texts = [str(name) for name, dtype in X.dtypes.items() if kind_of_dtype(dtype) == "text"]
    characters = sum(float(X[name].str.len().sum()) for name in texts)
    if settings.execution.budget is None or X.size + characters / 10 <= _LITTLE:
        return budget.richest(table)
    local = settings.execution.model_copy(update={"executor": "local"})
    try:
        loss = choose_loss(settings.loss, y, called="the target")
        measured = measured_costs.measure_all(executor.executor(local), settings, X, y, loss)
    finally:
        executor.stop(local)
    costs = [cost for cost, _ in measured.values()]
    return budget.choose(costs, table, 60 * settings.execution.budget, local.workers)


def _rows(path: Path) -> int:
    """About how many rows a file has: a line each, if it is no Parquet file."""
    if path.suffix == ".parquet":
        return int(pyarrow.parquet.read_metadata(path).num_rows)
    with path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
