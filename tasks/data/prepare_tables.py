"""From a user's rows to the prepared tables: test part, labelled rows, unlabelled shards."""

import hashlib
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout import holdout, seeds, time_order
from heldout.dependence import Dependence
from heldout.errors import BadArgument
from heldout.losses import choose_loss
from heldout.partition import Partition, cut, make_halves, make_partition, part_size, stratify_halves
from tasks.data import duplicates, read_source, row_roles, unlabeled
from tasks.data.column_types import typed, value_type_of
from tasks.data.dates import ColumnError
from tasks.data.duplicates import Sets
from tasks.data.unlabeled import Schema, Shards
from tasks.params import Settings
from tasks.params.messages import with_key
from tasks.runtime.errors import UserError, one_line
from tasks.storage.files import TARGET

_ROWS_AT_ONCE = 100_000


@dataclass(frozen=True, eq=False)
class Prepared:
    """All that `prepare` writes; the target is the last column of `labeled` and `test`."""

    labeled: pd.DataFrame
    test: pd.DataFrame | None
    shards: Shards
    partition: Partition
    halves: NDArray[np.int8]
    data_hash: str
    roles: pd.DataFrame = field(default_factory=pd.DataFrame)  # of the labelled rows, a column for each that is named
    test_roles: pd.DataFrame = field(default_factory=pd.DataFrame)
    copies: Sets | None = None  # which labelled rows have equal features, where that is allowed and there are some
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{len(self.labeled)} labelled rows, {0 if self.test is None else len(self.test)} test rows"


def prepare(settings: Settings) -> Prepared:
    """Read the source, cut the parts, draw the partitions. Raises UserError before anything is written.

    Shards of the user's own are read when they are asked for, and checked then.
    """
    data = settings.data
    strings = [name for name, kind in (data.columns or {}).items() if kind not in ("numeric", "boolean")]
    source = read_source.read_table(data.source, data.missing or (), strings).reset_index(drop=True)
    known = row_roles.read(source, settings)
    read = _with_target(source, settings)
    features, columns = typed(read.drop(columns=TARGET), data.columns)
    table = features.assign(**{TARGET: read[TARGET]})
    has_label = table[TARGET].notna().to_numpy()
    pool, hidden = (table, table.iloc[:0]) if has_label.all() else (table[has_label], table[~has_label])
    row_roles.check_complete(known[has_label], settings)
    known, said = row_roles.with_copies(known, pool.drop(columns=TARGET), pool[TARGET], settings)
    if len(hidden):
        pool = pool.assign(**{TARGET: _without_gaps(pool[TARGET])})
    stratify = _check_target(pool[TARGET], settings)
    try:
        test, rest = _cut_test(pool, settings, stratify, row_roles.dependence(known.loc[pool.index], settings))
        said += row_roles.told_of_gap(len(pool) - len(rest) - (0 if test is None else len(test)))
        labeled, rest = _keep_labels(rest, settings, stratify, row_roles.dependence(known.loc[rest.index], settings))
        hidden = pd.concat([rest, hidden]).sort_index() if len(hidden) else rest
        y = labeled[TARGET].to_numpy()
        folds = len(y) if settings.split.folds == "loo" else settings.split.folds
        dependence = row_roles.dependence(known.loc[labeled.index], settings)
        partition = make_partition(
            y,
            validation_fraction=settings.split.validation_fraction,
            folds=folds,
            tested_fraction=settings.progressive.tested_fraction,
            stratify=stratify,
            seed=settings.seed,
            dependence=dependence,
        )
        halves = make_halves(
            y,
            repeats=settings.covalidation.repeats,
            stratify=stratify_halves(y, folds, stratify),
            seed=settings.seed,
            dependence=dependence,
        )
    except BadArgument as error:
        raise UserError(with_key(KEYS.get(error.argument, "data"), error)) from None
    schema = Schema.of(labeled.drop(columns=TARGET), columns, _label_names(settings), data.drop)
    return Prepared(
        labeled=labeled.reset_index(drop=True),
        test=None if test is None else test.reset_index(drop=True),
        shards=_shards(hidden.drop(columns=TARGET), schema, settings),
        partition=partition,
        halves=halves,
        data_hash=_content_hash(read if has_label.all() else read[has_label]),
        roles=known.loc[labeled.index].reset_index(drop=True),
        test_roles=known.loc[[] if test is None else test.index].reset_index(drop=True),
        copies=duplicates.sets(labeled.drop(columns=TARGET)) if settings.split.duplicates == "allow" else None,
        warnings=tuple(said),
    )


# where a user finds the argument that the science refused
KEYS = {
    "groups": "data.groups",
    "time": "data.time",
    "gap": "split.gap",
    "folds": "split.folds",
    "stratify": "split.stratify",
    "validation_fraction": "split.validation_fraction",
    "test_fraction": "split.test_fraction",
    "tested_fraction": "progressive.tested_fraction",
    "repeats": "covalidation.repeats",
}


def _with_target(table: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    data = settings.data
    name = data.target or TARGET
    columns = one_line(", ".join(map(str, table.columns[:20])) + (", …" if len(table.columns) > 20 else ""))
    if name not in table.columns:
        raise UserError(f"data.target is {name!r}, which is no column of {data.source}; it has {columns}")
    unknown = [column for column in data.drop if column not in table.columns or column == name]
    if unknown:
        raise UserError(f"data.drop names {unknown[0]!r}, which is no feature of {data.source}; it has {columns}")
    features = table.drop(columns=list({name, *data.drop, *row_roles.named(settings).values()}))
    if TARGET in features.columns:
        raise UserError(
            f"data.source: a feature is called {TARGET!r}, the name of the prepared target; rename or drop it"
        )
    if features.empty:
        raise UserError(
            f"data.source: {data.source} has {len(table)} rows and {features.shape[1]} features; needs both"
        )
    strange = [column for column in data.columns or {} if column not in features.columns]
    if strange:
        raise UserError(f"data.columns names {strange[0]!r}, which is no feature of {data.source}; it has {columns}")
    target = _labels(table[name], name)
    if data.positive is not None:
        if not (target == data.positive).any():
            values = ", ".join(repr(value) for value in sorted(target.dropna().unique().tolist(), key=str)[:20])
            raise UserError(f"data.positive is {data.positive!r}, which no row of {name} has; it has {values}")
        target = (target == data.positive).astype("int64").where(target.notna())
    return features.assign(**{TARGET: target})


def _labels(target: pd.Series, name: str) -> pd.Series:
    """The target as plain values. Raises UserError if they are none."""
    try:
        value_type_of(target)
    except ColumnError as error:
        raise UserError(f"data.target: the column {name!r} {error}") from None
    if isinstance(target.dtype, pd.CategoricalDtype):
        target = target.astype(target.cat.categories.dtype if target.notna().all() else "object").infer_objects()
    if target.dtype.kind == "f" and np.isinf(target).any():
        row = int(np.isinf(target).to_numpy().argmax())
        raise UserError(
            f"data.target: {name} is infinite in row {row} (counted from 0); write a finite number, or leave it empty"
        )
    return target


def _without_gaps(target: pd.Series) -> pd.Series:
    """Labels in the type that they would have if none were missing: a gap turns integers into floats."""
    target = target.infer_objects()
    whole = target.dtype.kind == "f" and bool((target % 1 == 0).all())
    return target.astype("int64") if whole else target


def _check_target(target: pd.Series, settings: Settings) -> bool:
    """Whether the parts are stratified: as asked, where the target is a class."""
    name = settings.data.target or TARGET
    if target.nunique() < 2:
        found = target.unique().tolist()
        raise UserError(f"data.target: {name} has the single value {found}; at least two classes or numbers are needed")
    try:
        loss = choose_loss(settings.loss, target.to_numpy(), called=name)
    except (BadArgument, ValueError) as error:
        told = isinstance(error, BadArgument) and error.argument == "loss"
        raise UserError(str(error) if told else f"data.target: {name}: {error}") from None
    return settings.split.stratify and loss.of_classes


def _cut_test(
    pool: pd.DataFrame, settings: Settings, stratify: bool, dependence: Dependence
) -> tuple[pd.DataFrame | None, pd.DataFrame]:
    """The test part, and the rows that may be trained on: in time, those before it and its gap."""
    if settings.split.test_fraction == 0:
        return None, pool
    size = part_size(len(pool), settings.split.test_fraction, "test_fraction")
    if dependence.time is not None:
        part = time_order.last(dependence.time, size)
    else:
        state = seeds.random_state(settings.seed, "test")
        part = cut(pool[TARGET].to_numpy(), size, stratify=stratify, random_state=state, group=dependence.group)
    kept = dependence.purged(holdout.split(part))
    return pool.iloc[kept.validation], pool.iloc[kept.train]


def _keep_labels(
    pool: pd.DataFrame, settings: Settings, stratify: bool, dependence: Dependence
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows that keep their label, and the features of those that lose it; whole groups, in time random rows."""
    wanted = settings.data.labeled_rows
    if wanted is None or wanted == len(pool):
        return pool, pool.iloc[:0]
    if wanted > len(pool):
        raise UserError(f"data.labeled_rows is {wanted}, but {len(pool)} rows have a label; use at most that, or null")
    state = seeds.random_state(settings.seed, "labeled")
    part = cut(pool[TARGET].to_numpy(), wanted, stratify=stratify, random_state=state, group=dependence.group)
    return pool[part], pool[~part]


def _shards(hidden: pd.DataFrame, schema: Schema, settings: Settings) -> Shards:
    """The user's own unlabelled files, or else the rows without a label, dealt out at random."""
    data = settings.data
    if data.unlabeled is not None:
        return unlabeled.own(read_source.unlabeled_files(data.unlabeled), schema, data.missing or (), data.on_bad_shard)
    if hidden.empty:
        return Shards([])
    count = data.shards
    if count > len(hidden):
        raise UserError(
            f"data.shards is {count}, but {len(hidden)} rows have no label: a shard would be empty; use at most that"
        )
    order = np.random.default_rng(seeds.child(settings.seed, "shards")).permutation(len(hidden))
    return unlabeled.dealt(hidden, np.array_split(order, count))


def _label_names(settings: Settings) -> list[str]:
    """What a column of labels is called where there should be none."""
    return list(dict.fromkeys([settings.data.target or TARGET, TARGET]))


def _content_hash(rows: pd.DataFrame) -> str:
    """The identity of the labelled data, before any cut: the contamination ledger counts by it."""
    digest = hashlib.sha256("\n".join(map(str, rows.columns)).encode())
    numbers = dict.fromkeys(rows.select_dtypes("number").columns, "float64")  # whatever else is missing
    for first in range(0, max(len(rows), 1), _ROWS_AT_ONCE):
        piece = rows.iloc[first : first + _ROWS_AT_ONCE].astype(numbers)
        digest.update(pd.util.hash_pandas_object(piece, index=False).to_numpy().tobytes())
    return digest.hexdigest()
