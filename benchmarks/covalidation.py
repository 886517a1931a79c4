"""The disagreement of 30 pairs of half models next to the bare matrix product, and next to their own `predict`.

python -m benchmarks.covalidation SHARDS    # the peak memory of this process in GB after so many shards
"""

import resource
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import run
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

import heldout
from benchmarks.measured import PEER, Row, against, draw
from heldout.batched import blocks, together
from heldout.learners.fitting import answers
from heldout.losses import SQUARED, ZERO_ONE
from heldout.rows.frames import take
from heldout.unlabelled.disagreement import disagreements
from tasks.storage import files

_PAIRS, _COLUMNS = 30, 50
_WORK = f"co-validation, {_PAIRS} partitions, p = {_COLUMNS}"
_ROWS_A_SHARD = 20_000  # where memory is watched


def rows(scale: int) -> Iterator[Row]:
    """The rows of this work, on one thread; sizes are divided by `scale`."""
    with threadpool_limits(1), tempfile.TemporaryDirectory() as folder:
        shard = Path(folder) / "shard.parquet"
        n = 500_000 // scale
        _table(n).to_parquet(shard)
        linear = _halves(LogisticRegression(), _PAIRS)
        yield _arithmetic(linear, shard, passes=20)
        yield _with_reading(linear, shard, passes=2)
        few = files.read_shard(shard).iloc[: 100_000 // scale]
        scaled = _halves(make_pipeline(StandardScaler(), LogisticRegression()), _PAIRS)
        yield _against_each("LogisticRegression", linear, few, 1 / 4)
        yield _against_each("LogisticRegression behind a StandardScaler", scaled, few, 1 / 8)
        yield _against_each("RandomForestClassifier(50)", _halves(RandomForestClassifier(50), 10), few[:285], 1 / 3)
        table = files.read_shard(shard).to_numpy()
        yield _by_validate(Ridge(), table)
        yield _by_validate(LogisticRegression(), table)
    for shards in (20, 200) if scale == 1 else ():  # memory is not divided
        yield _memory(shards)


def _arithmetic(hypotheses: list[Any], shard: Path, passes: int) -> Row:
    table = files.read_shard(shard)
    product = _product(hypotheses)
    return against(
        f"{_WORK}, LogisticRegression: labels and pairs, from memory",
        passes * len(table),
        f"the matrix product alone, NumPy {np.__version__}, in the same blocks; {passes} passes over {len(table)} rows",
        lambda: [disagreements(hypotheses, table, ZERO_ONE) for _ in range(passes)],
        lambda: [product(table) for _ in range(passes)],
        bar=2,
    )


def _with_reading(hypotheses: list[Any], shard: Path, passes: int) -> Row:
    product, n = _product(hypotheses), len(files.read_shard(shard))
    return against(
        f"{_WORK}, LogisticRegression: the same, with reading a Parquet shard",
        passes * n,
        f"reading it alike, and the matrix product, NumPy {np.__version__}",
        lambda: [disagreements(hypotheses, files.read_shard(shard), ZERO_ONE) for _ in range(passes)],
        lambda: [product(files.read_shard(shard)) for _ in range(passes)],
        bar=2,
    )


def _product(hypotheses: list[Any]) -> Callable[[Any], bool]:
    """All scores of a table without their intercepts; those of a block are dropped before the next."""
    coefficients = np.concatenate([hypothesis.coef_.reshape(1, -1) for hypothesis in hypotheses])
    loss = ZERO_ONE if hasattr(hypotheses[0], "classes_") else SQUARED

    def product(table: Any) -> bool:
        values, most = np.asarray(table), together(hypotheses, table, loss).rows_at_once
        return all((coefficients @ values[rows].T).size for rows in blocks(len(values), most))

    return product


def _against_each(learner: str, hypotheses: list[Any], table: pd.DataFrame, bar: float) -> Row:
    return against(
        f"co-validation, {len(hypotheses) // 2} partitions, p = {_COLUMNS}, {learner}",
        len(table),
        f"each half model's own predict, {PEER}",
        lambda: disagreements(hypotheses, table, ZERO_ONE),
        lambda: _each(hypotheses, table),
        bar,
        times=3,
    )


def _each(hypotheses: list[Any], table: Any) -> None:
    predictions = [answers(hypothesis, table, ZERO_ONE) for hypothesis in hypotheses]
    for first, second in zip(predictions[::2], predictions[1::2], strict=True):
        (first != second).mean()


def _by_validate(learner: Any, table: Any) -> Row:
    X, classes, numbers = draw(2000, _COLUMNS)
    y, loss = (numbers, "squared") if isinstance(learner, Ridge) else (classes, "zero_one")

    def ours() -> None:
        heldout.validate(
            {"learner": learner}, X, y, unlabeled=table, loss=loss, repeats=_PAIRS, estimates=["disagreement"]
        )

    return against(
        f"{_WORK}, {type(learner).__name__}, with its 60 fits, by heldout.validate",
        len(table),
        f"60 fits, {PEER}, and the matrix product",
        ours,
        lambda: _product(_halves(learner, _PAIRS, named=False))(table),
        bar=2,
        times=3,
    )


def _memory(shards: int) -> Row:
    few = 2
    most, least = _peak(shards), _peak(few)
    return Row(
        f"{_WORK}, {shards} shards of {_ROWS_A_SHARD} rows: peak memory of a process, GB",
        shards * _ROWS_A_SHARD,
        f"itself with {few} shards",
        most,
        least,
        most / least,
        1.1,
        "of the peak memory",
    )


def _peak(shards: int) -> float:
    command = [sys.executable, "-m", __name__, str(shards)]
    return float(run(command, capture_output=True, text=True, check=True).stdout)  # noqa: S603


def _halves(learner: Any, pairs: int, *, named: bool = True) -> list[Any]:
    """Hypotheses of two halves each of 2000 rows, in a data frame or without names in an array."""
    X, classes, numbers = draw(2000, _COLUMNS)
    table, y = pd.DataFrame(X, columns=_names()) if named else X, numbers if isinstance(learner, Ridge) else classes
    hypotheses = []
    for pair in range(pairs):
        order = np.random.default_rng(pair).permutation(len(y))
        hypotheses += [clone(learner).fit(take(table, half), y[half]) for half in (order[::2], order[1::2])]
    return hypotheses


def _table(n: int) -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(1).normal(size=(n, _COLUMNS)), columns=_names())


def _names() -> list[str]:
    return [f"x{column:02d}" for column in range(_COLUMNS)]


def main() -> None:
    """Read a shard and compare half models on it, so many times; print the peak."""
    hypotheses = _halves(LogisticRegression(), _PAIRS)
    with threadpool_limits(1), tempfile.TemporaryDirectory() as folder:
        for number in range(int(sys.argv[1])):
            shard = Path(folder) / f"{number}.parquet"
            _table(_ROWS_A_SHARD).to_parquet(shard)
            disagreements(hypotheses, files.read_shard(shard), ZERO_ONE)
            shard.unlink()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9)


if __name__ == "__main__":
    main()
