"""From a user's rows to the prepared tables: test part, labelled rows, unlabelled shards."""

import hashlib
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout import holdout, seeds, time_order
from heldout.dependence import Dependence
from heldout.errors import BadArgument
from heldout.losses import ZERO_ONE, natural_loss
from heldout.partition import Partition, cut, make_halves, make_partition, part_size, stratify_halves
from tasks import copies, roles, sources
from tasks.copies import Sets
from tasks.errors import UserError
from tasks.params import Settings

TARGET = "target"


@dataclass(frozen=True, eq=False)
class Prepared:
    """All that `prepare` writes; the target is the last column of `labeled` and `test`."""

    labeled: pd.DataFrame
    test: pd.DataFrame | None
    shards: list[pd.DataFrame]
    partition: Partition
    halves: NDArray[np.int8]
    data_hash: str
    roles: pd.DataFrame = field(default_factory=pd.DataFrame)  # of the labelled rows, a column for each that is named
    test_roles: pd.DataFrame = field(default_factory=pd.DataFrame)
    copies: Sets | None = None  # which labelled rows have equal features, where that is allowed and there are some
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        unlabeled = sum(map(len, self.shards))
        return (
            f"{len(self.labeled)} labelled rows, {0 if self.test is None else len(self.test)} test rows, "
            f"{unlabeled} unlabelled in {len(self.shards)} shards"
        )


def prepare(settings: Settings) -> Prepared:
    """Read the source, cut the parts, draw the partitions. Raises UserError before anything is written."""
    source = sources.read_table(settings.data.source).reset_index(drop=True)
    known = roles.read(source, settings)
    table = _with_target(source, settings)
    has_label = table[TARGET].notna().to_numpy()
    pool, hidden = table[has_label], table[~has_label]
    roles.check_complete(known[has_label], settings)
    known, said = roles.with_copies(known, pool.drop(columns=TARGET), pool[TARGET], settings)
    if len(hidden):
        pool = pool.assign(**{TARGET: _without_gaps(pool[TARGET])})
    stratify = _check_target(pool[TARGET], settings)
    try:
        test, rest = _cut_test(pool, settings, stratify, roles.dependence(known.loc[pool.index], settings))
        said += roles.told_of_gap(len(pool) - len(rest) - (0 if test is None else len(test)))
        labeled, rest = _keep_labels(rest, settings, stratify, roles.dependence(known.loc[rest.index], settings))
        hidden = pd.concat([rest, hidden]).sort_index()
        y = labeled[TARGET].to_numpy()
        folds = len(y) if settings.split.folds == "loo" else settings.split.folds
        dependence = roles.dependence(known.loc[labeled.index], settings)
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
        raise UserError(f"{KEYS.get(error.argument, 'data')}: {error}") from None
    features = [name for name in table.columns if name != TARGET]
    return Prepared(
        labeled=labeled.reset_index(drop=True),
        test=None if test is None else test.reset_index(drop=True),
        shards=_shards(hidden[features], settings),
        partition=partition,
        halves=halves,
        data_hash=_content_hash(table[has_label]),
        roles=known.loc[labeled.index].reset_index(drop=True),
        test_roles=known.loc[[] if test is None else test.index].reset_index(drop=True),
        copies=copies.sets(labeled[features]) if settings.split.duplicates == "allow" else None,
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
    columns = ", ".join(map(str, table.columns[:20])) + (", …" if len(table.columns) > 20 else "")
    if name not in table.columns:
        raise UserError(f"data.target is {name!r}, which is no column of {data.source}; it has {columns}")
    unknown = [column for column in data.drop if column not in table.columns or column == name]
    if unknown:
        raise UserError(f"data.drop names {unknown[0]!r}, which is no feature of {data.source}; it has {columns}")
    features = table.drop(columns=list({name, *data.drop, *roles.named(settings).values()}))
    if TARGET in features.columns:
        raise UserError(
            f"data.source: a feature is called {TARGET!r}, the name of the prepared target; rename or drop it"
        )
    if features.empty:
        raise UserError(
            f"data.source: {data.source} has {len(table)} rows and {features.shape[1]} features; needs both"
        )
    target = table[name]
    if data.positive is not None:
        if not (target == data.positive).any():
            values = ", ".join(repr(value) for value in sorted(target.dropna().unique().tolist(), key=str)[:20])
            raise UserError(f"data.positive is {data.positive!r}, which no row of {name} has; it has {values}")
        target = (target == data.positive).astype("int64").where(target.notna())
    return features.assign(**{TARGET: target})


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
        return settings.split.stratify and natural_loss(target.to_numpy()) is ZERO_ONE
    except (BadArgument, ValueError) as error:
        raise UserError(f"data.target: {name}: {error}") from None


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


def _shards(hidden: pd.DataFrame, settings: Settings) -> list[pd.DataFrame]:
    """The user's own unlabelled files, or else the rows without a label, dealt out at random."""
    if settings.data.unlabeled is not None:
        return [
            _like(hidden, sources.read_shard(path), str(path))
            for path in sources.unlabeled_files(settings.data.unlabeled)
        ]
    if hidden.empty:
        return []
    count = settings.data.shards
    if count > len(hidden):
        raise UserError(
            f"data.shards is {count}, but {len(hidden)} rows have no label: a shard would be empty; use at most that"
        )
    order = np.random.default_rng(seeds.child(settings.seed, "shards")).permutation(len(hidden))
    return [hidden.iloc[np.sort(part)].reset_index(drop=True) for part in np.array_split(order, count)]


def _like(features: pd.DataFrame, shard: pd.DataFrame, path: str) -> pd.DataFrame:
    missing = [column for column in features.columns if column not in shard.columns]
    if missing:
        raise UserError(
            f"data.unlabeled: the shard {path} lacks the column {missing[0]!r} of the labelled rows; add it"
        )
    return shard[list(features.columns)].reset_index(drop=True)


def _content_hash(rows: pd.DataFrame) -> str:
    """The identity of the labelled data, before any cut: the contamination ledger counts by it."""
    digest = hashlib.sha256("\n".join(map(str, rows.columns)).encode())
    rows = rows.astype(dict.fromkeys(rows.select_dtypes("number").columns, "float64"))  # whatever else is missing
    digest.update(pd.util.hash_pandas_object(rows, index=False).to_numpy().tobytes())
    return digest.hexdigest()
