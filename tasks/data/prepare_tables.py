"""From a user's rows to the prepared tables: test set, labelled rows, unlabelled shards."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout import seeds
from heldout.checks.equal_rows import Sets, sets
from heldout.errors import BadArgument
from heldout.losses import choose_loss
from heldout.rows import row_identity
from heldout.rows.row_sketch import Sketch
from heldout.schemes.halvings import most
from heldout.splits import class_shares
from heldout.splits.dependence import Dependence
from heldout.splits.partition import Partition, cut, make_halves, make_partition, stratify_halves
from tasks.data import drawn_rows, keys, read_source, row_roles, slices, target, total_row, unlabeled
from tasks.data.column_types import Column, typed, unread
from tasks.data.content_hash import content_hash, row_hashes, sets_hash
from tasks.data.known_rows import Identities
from tasks.data.row_contents import column_digest, contents
from tasks.data.test_set import cut_test_set, marked, units
from tasks.data.text_form import TextForm
from tasks.data.unlabeled import Schema, Shards
from tasks.params import Settings
from tasks.params.messages import with_key
from tasks.runtime.errors import UserError
from tasks.runtime.own_code import COMMAND
from tasks.storage import quarantine
from tasks.storage.files import TARGET
from tasks.storage.findings import RecordedFinding
from tasks.storage.quarantine import LeftOut
from tasks.storage.seen_rows import KEY, SeenRows


def _no_rows() -> NDArray[np.intp]:
    return np.empty(0, np.intp)


@dataclass(frozen=True, eq=False)
class RolesByPart:
    """The roles of the rows of each part, a column for each named role: group, time, weight."""

    labeled: pd.DataFrame = field(default_factory=pd.DataFrame)
    test: pd.DataFrame = field(default_factory=pd.DataFrame)
    all_labeled: pd.DataFrame = field(default_factory=pd.DataFrame)


@dataclass(frozen=True, eq=False)
class SourcePlaces:
    """Where the source has the rows: the labelled rows, those of each shard that has rows of the source, and all rows
    with a used label.
    """

    labeled: NDArray[np.intp] = field(default_factory=_no_rows)
    shards: tuple[NDArray[np.intp], ...] = ()
    with_label: NDArray[np.intp] = field(default_factory=_no_rows)


@dataclass(frozen=True, eq=False)
class Prepared:
    """All that `prepare` writes; the target is the last column of `labeled` and `test`."""

    labeled: pd.DataFrame
    test: pd.DataFrame | None
    shards: Shards
    partition: Partition
    halves: NDArray[np.int8]
    data_hash: str
    roles: RolesByPart = field(default_factory=RolesByPart)
    # of the test set, a column for each of report.slices
    test_slices: pd.DataFrame = field(default_factory=pd.DataFrame)
    copies: Sets | None = None  # which labelled rows have equal features
    warnings: tuple[str, ...] = ()
    seen: SeenRows = field(default_factory=SeenRows)
    # all labelled rows outside of the test set, in the order of the source, if split.rows takes a part
    all_labeled: pd.DataFrame | None = None
    row_ids: pd.DataFrame = field(default_factory=pd.DataFrame)  # of all rows with a label
    columns: Mapping[str, Column] = field(default_factory=dict)  # of the features: how a new shard's are read
    drawn: pd.DataFrame = field(default_factory=pd.DataFrame)  # the rows of `label-next` that have a label
    places: SourcePlaces = field(default_factory=SourcePlaces)
    left_out: tuple[RecordedFinding, ...] = ()  # what is said of rows that no run uses

    def __str__(self) -> str:
        part = "" if self.all_labeled is None else f" for the estimates, of {len(self.all_labeled)}"
        return f"{len(self.labeled)} labelled rows{part}, {0 if self.test is None else len(self.test)} test rows"


@dataclass(frozen=True, eq=False)
class ReadRows:
    """The rows of the source before any part is cut, without those of batches that no run uses.

    `pool` are the rows with a label, features and then the target, `hidden` those without; `written` the table by which
    rows have an identity, and `ids` the content, number and identity of the rows of `pool`. `in_test` is what the table
    says of the test set, None where it says nothing.
    """

    pool: pd.DataFrame
    hidden: pd.DataFrame
    written: pd.DataFrame
    roles: pd.DataFrame
    slices: pd.DataFrame
    in_test: pd.Series | None
    columns: Mapping[str, Column]
    ids: pd.DataFrame
    identities: Identities
    drawn: pd.DataFrame
    data_hash: str
    warnings: list[str]
    left_out: tuple[RecordedFinding, ...]

    def unit(self, settings: Settings) -> NDArray[np.uint64] | None:
        """A word for the group of each row of the pool, or for its copies that are kept together; else None."""
        if settings.data.groups is None and settings.split.duplicates == "allow":
            return None
        roles, _ = row_roles.with_copies(self.roles, self.pool.drop(columns=TARGET), self.pool[TARGET], settings)
        return units(self.pool, self.written, row_roles.dependence(roles.loc[self.pool.index], settings), settings)


def seen_in(settings: Settings, columns: str) -> SeenRows:
    """What the ledger must know of the same rows, identified by some `columns` of the source alone.

    So the rows of a run on a table without the other columns are found again.
    """
    return prepare(settings, columns).seen


def prepare(settings: Settings, seen_by: str | None = None) -> Prepared:
    """Read the source, cut the parts, draw the partitions. Raises UserError before anything is written.

    The user's shard files are read and checked later, one at a time. `seen_by` are the columns that identify the rows
    of `Prepared.seen`, all if None.
    """
    read = read_rows(settings)
    data, roles, ids, pool, hidden, written = settings.data, read.roles, read.ids, read.pool, read.hidden, read.written
    drawn = read.drawn
    roles, warnings = row_roles.with_copies(roles, pool.drop(columns=TARGET), pool[TARGET], settings)
    warnings += read.warnings
    stratify = target.stratified(pool[TARGET], settings)
    try:
        dependence = row_roles.dependence(roles.loc[pool.index], settings)
        unit = units(pool, written, dependence, settings)
        unit_of_test = ids["identity"].to_numpy() if unit is None else unit
        test, rest = cut_test_set(pool, unit_of_test, dependence, settings, read.in_test)
        warnings += row_roles.gap_messages(len(pool) - len(rest) - (0 if test is None else len(test)))
        row_roles.check_folds(row_roles.dependence(roles.loc[rest.index], settings), len(rest), settings)
        wanted = settings.data.labeled_rows
        every, rest = _draw_rows("data.labeled_rows", wanted, "labeled", rest, settings, stratify, roles)
        labeled, further = _draw_rows("split.rows", settings.split.rows, "rows", every, settings, stratify, roles)
        if len(further):
            target.check_same_kind(labeled[TARGET], every[TARGET], settings)
        hidden = pd.concat([rest, further, hidden]).sort_index() if len(further) or len(hidden) else rest
        dependence = row_roles.dependence(roles.loc[labeled.index], settings)
        row_roles.check_folds(dependence, len(labeled), settings)
        partition, halves = _draw(labeled[TARGET].to_numpy(), settings, dependence)
    except BadArgument as error:
        raise UserError(with_key(KEYS.get(error.argument, "data"), error)) from None
    if seen_by is not None and seen_by.startswith(KEY):
        known = Identities(written).by(seen_by)
        if known is not None:
            ids = _numbered(pd.Series(known.content, index=written.index).loc[pool.index].to_numpy(), pool.index)
    elif seen_by is not None:
        shared = [name for name in written.columns if column_digest(name) in seen_by.split()]
        if len(shared) == len(seen_by.split()):  # else those are rows of another table
            ids = _numbered(contents(written.loc[pool.index, shared]), pool.index)
    schema = Schema.of(labeled.drop(columns=TARGET), read.columns, label_names(settings), data.left_out)
    return Prepared(
        labeled=labeled.reset_index(drop=True),
        test=None if test is None else test.reset_index(drop=True),
        shards=_shards(hidden.drop(columns=TARGET), schema, settings),
        partition=partition,
        halves=halves,
        data_hash=read.data_hash,
        seen=replace(_seen(ids, test, every, labeled, partition, roles, settings), columns=read.identities.columns),
        roles=RolesByPart(
            labeled=roles.loc[labeled.index].reset_index(drop=True),
            test=roles.loc[[] if test is None else test.index].reset_index(drop=True),
            all_labeled=roles.loc[every.index].reset_index(drop=True),
        ),
        test_slices=read.slices.loc[[] if test is None else test.index].reset_index(drop=True),
        copies=sets(labeled.drop(columns=TARGET)),
        warnings=tuple(warnings),
        all_labeled=every.reset_index(drop=True) if len(further) else None,
        row_ids=_row_ids(ids, unit, every, test),
        columns=schema.columns,
        drawn=drawn,
        places=SourcePlaces(
            labeled=labeled.index.to_numpy(),
            shards=tuple(hidden.index.to_numpy()[rows] for rows in _parts(hidden, settings)),
            with_label=every.index.to_numpy(),
        ),
        left_out=read.left_out,
    )


def read_rows(settings: Settings) -> ReadRows:
    """Read the source. Raises UserError."""
    data = settings.data
    strings = [name for name, kind in (data.columns or {}).items() if kind not in ("numeric", "boolean")]
    strings += [*([data.groups] if data.groups else []), *data.key_columns]  # a name is no number
    text = TextForm.of(data)
    read = read_source.read(data.source, data.missing or (), strings, text)
    source, of_total = total_row.without(read.frame.reset_index(drop=True), data.target or TARGET)
    source, draws = drawn_rows.separate(source, settings)
    in_test = marked(source, settings)
    # a row stays itself where it moves into the test set, so that the ledger knows what it was used for
    written = _as_written(source, strings, settings).drop(columns=[] if in_test is None else [data.test_rows])
    identities = Identities(written, keys.columns(written, settings))
    kept, left_out = _used(identities, quarantine.read(settings))
    if kept is not None:
        source, written = source[kept], written[kept]
    roles = row_roles.read(source, settings)
    of_slices = slices.read(source, settings)
    rows = target.with_target(source, settings)
    features, columns = typed(rows.drop(columns=TARGET), data.columns, text)
    table = pd.concat([features, rows[TARGET]], axis=1)  # `assign` warns of many columns
    has_label = table[TARGET].notna().to_numpy()
    pool, hidden = (table, table.iloc[:0]) if has_label.all() else (table[has_label], table[~has_label])
    row_roles.check_complete(roles[has_label], settings)
    drawn = drawn_rows.returned(draws, has_label, settings)
    if draws is not None:
        roles = pd.concat([roles, drawn_rows.weights(drawn, roles.index)], axis=1)
    warnings = [
        f"data.columns: {tally.sentence(name)}" for name, tally in unread(rows.drop(columns=TARGET), columns).items()
    ]
    warnings += [f"data.source: {finding.line}" for finding in (*read.findings, *of_total)]
    if data.positive is None and (last := target.last_by_type(source[data.target or TARGET])) is not None:
        warnings.append(
            f"data.target: its type has {last!r} last, and what is about one of two classes (AUC, F1) is about the "
            f"other, the last by name; write {last!r} in data.positive if it is meant"
        )
    if len(hidden):
        pool = pool.assign(**{TARGET: target.without_gaps(pool[TARGET])})
    if settings.data.key_columns:
        keys.check(written[has_label], settings)
        every = np.ones(len(identities), np.bool_) if kept is None else kept
        ids = identities.numbered(every, written.index).loc[pool.index]
    elif kept is None:
        ids = _numbered(contents(written if has_label.all() else written[has_label]), pool.index)
    else:
        ids = identities.numbered(kept, written.index).loc[pool.index]
    return ReadRows(
        pool=pool,
        hidden=hidden,
        written=written,
        roles=roles,
        slices=of_slices,
        in_test=in_test,
        columns=columns,
        ids=ids,
        identities=identities,
        drawn=drawn,
        data_hash=content_hash(rows if has_label.all() else rows[has_label]),
        warnings=warnings,
        left_out=left_out,
    )


def _used(
    identities: Identities, batches: Sequence[LeftOut]
) -> tuple[NDArray[np.bool_] | None, tuple[RecordedFinding, ...]]:
    """Which rows of the table a run uses, None for all, and what is said of the others.

    Raises UserError where the rows of a batch cannot be known, since the table lacks a column that they had.
    """
    left = np.zeros(len(identities), np.bool_)
    said = []
    for one in batches:
        ids = identities.by(one.columns)
        if ids is None:
            raise UserError(
                f"data.source: no run uses the rows of batch {one.batch}, which are known by their columns, and the "
                "table lacks one of these; bring it back (data.drop leaves it out of the features), or remove the rows "
                f"from the table and use `{COMMAND} batch --release {one.batch}`"
            )
        found = np.isin(ids.of_rows, one.words) & ~left
        if found.any():
            said.append(one.finding(int(found.sum())))
            left |= found
    return (~left if left.any() else None), tuple(said)


def _numbered(content: NDArray[np.uint64], index: pd.Index) -> pd.DataFrame:
    """The content of each row, its number among equal rows of the whole table, and its identity."""
    number = row_identity.numbers(content)
    identity = row_identity.identities(content, number)
    return pd.DataFrame({"content": content, "number": number, "identity": identity}, index=index)


def _row_ids(
    ids: pd.DataFrame, unit: NDArray[np.uint64] | None, every: pd.DataFrame, test: pd.DataFrame | None
) -> pd.DataFrame:
    """row_ids.parquet: the rows of each part in its order, then the other rows with a label."""
    ids = ids[["content", "number"]] if unit is None else ids[["content", "number"]].assign(unit=unit)
    parts = {"used": every.index, "test": ids.index[:0] if test is None else test.index}
    parts["other"] = ids.index.difference(parts["used"].union(parts["test"]))
    return pd.concat([ids.loc[rows].assign(part=part) for part, rows in parts.items()], ignore_index=True)


def _as_written(source: pd.DataFrame, strings: list[str], settings: Settings) -> pd.DataFrame:
    """The table whose rows have an identity: its file is read without the keys of `data` that change values."""
    data = settings.data
    if not data.missing and data.read.decimal is None:
        return source
    table = read_source.read_table(data.source, (), strings, TextForm(data.read.separator)).reset_index(drop=True)
    return table.loc[source.index, [*source.columns]]


# the key of params.yaml for an argument that the science refuses
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
    "loss_max": "loss_max",
}


def _draw_rows(
    key: str,
    wanted: int | None,
    purpose: seeds.Purpose,
    pool: pd.DataFrame,
    settings: Settings,
    stratify: bool,
    roles: pd.DataFrame,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The `wanted` rows of `pool` and the others, drawn at random also in time; groups stay whole."""
    if wanted is None or wanted == len(pool):
        return pool, pool.iloc[:0]
    if wanted > len(pool):
        raise UserError(
            f"{key} is {wanted}, but {len(pool)} rows outside of the test set have a label; use at most that, or null"
        )
    group = row_roles.dependence(roles.loc[pool.index], settings).group
    state = seeds.random_state(settings.seed, purpose)
    part = cut(pool[TARGET].to_numpy(), wanted, stratify=stratify, random_state=state, group=group)
    return pool[part], pool[~part]


def _draw(y: NDArray[np.generic], settings: Settings, dependence: Dependence) -> tuple[Partition, NDArray[np.int8]]:
    """The partition of the labelled rows, and the halves of co-validation."""
    of_classes = choose_loss(settings.judged_by, y).of_classes
    stratify = of_classes and class_shares.stratified(y, settings.split.stratify)
    strata = class_shares.strata(y, of_classes)
    folds = len(y) if settings.split.folds == "loo" else settings.split.folds
    partition = make_partition(
        strata,
        validation_fraction=settings.split.validation_fraction,
        folds=folds,
        tested_fraction=settings.progressive.tested_fraction,
        stratify=stratify,
        seed=settings.seed,
        dependence=dependence,
    )
    halves = make_halves(
        strata,
        repeats=most(len(y)) if settings.covalidation.repeats == "auto" else settings.covalidation.repeats,
        stratify=stratify_halves(strata, folds, stratify),
        seed=settings.seed,
        dependence=dependence,
    )
    return partition, halves


def _seen(
    ids: pd.DataFrame,
    test: pd.DataFrame | None,
    every: pd.DataFrame,
    labeled: pd.DataFrame,
    partition: Partition,
    roles: pd.DataFrame,
    settings: Settings,
) -> SeenRows:
    """What the contamination ledger must know: `ids` are those of every row with a label."""
    hashes = pd.Series(row_hashes(every, roles.loc[every.index]), index=every.index)
    of_labeled, held_out = hashes[labeled.index].to_numpy(), partition.validation
    columns = f"{[*every.dtypes.astype(str).items()]} {[*roles.columns]} {settings.split.gap}"
    # what else makes another g of the same rows of the source
    made_by = [
        settings.data.missing,
        settings.data.read.decimal,
        settings.data.read.dayfirst,
        settings.split.test_fraction if settings.data.test_rows is None else "as the table says",
    ]
    # rows that the seed drew; all labelled rows are no choice, also if there are more of them than last night
    drawn = [] if settings.data.labeled_rows is None else [hashes.to_numpy()]
    return SeenRows(
        labeled=Sketch.of(ids["identity"].to_numpy()),
        used=Sketch.of(ids.loc[every.index, "identity"].to_numpy()),
        test=None if test is None else Sketch.of(ids.loc[test.index, "identity"].to_numpy()),
        partition=sets_hash(columns, of_labeled[~held_out], of_labeled[held_out]),
        trained=sets_hash(f"{columns} {made_by}", *drawn),
    )


def _shards(hidden: pd.DataFrame, schema: Schema, settings: Settings) -> Shards:
    """The user's unlabelled files, or else the rows without a label, dealt out at random."""
    data = settings.data
    if data.unlabeled is not None:
        return unlabeled.from_files(
            read_source.unlabeled_files(data.unlabeled),
            schema,
            data.missing or (),
            data.on_bad_shard,
            TextForm.of(data),
        )
    return unlabeled.from_rows(hidden, _parts(hidden, settings))


def _parts(hidden: pd.DataFrame, settings: Settings) -> list[NDArray[np.intp]]:
    """The places of the rows of each shard among the `hidden` rows; none where the user has files of shards."""
    count = settings.data.shards
    if settings.data.unlabeled is not None or hidden.empty:
        return []
    if count > len(hidden):
        raise UserError(
            f"data.shards is {count}, but {len(hidden)} rows have no label: a shard would be empty; use at most that"
        )
    order = np.random.default_rng(seeds.child(settings.seed, "shards")).permutation(len(hidden))
    return [np.sort(rows) for rows in np.array_split(order, count)]


def label_names(settings: Settings) -> list[str]:
    """The names of columns in a shard that hold labels."""
    return list(dict.fromkeys([settings.data.target or TARGET, TARGET]))
