"""data/prepared, written completely or not at all."""

from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pandas as pd

from tasks.data.prepare_tables import Prepared
from tasks.data.unlabeled import Shards
from tasks.runtime.errors import UserError
from tasks.storage import files, source_rows
from tasks.storage.atomic import replacing
from tasks.storage.findings import Found, write_applied
from tasks.storage.lazy_table import ROWS_A_GROUP
from tasks.storage.row_ids import ROW_IDS
from tasks.storage.shard_report import ShardReport


def write_prepared(prepared: Prepared, found: Found = Found()) -> list[ShardReport]:  # noqa: B008 (it is frozen)
    """Write all files below data/prepared, or none; shards one at a time. Returns a report for each shard.

    `found` is what `init` found in the table. Raises UserError for shards that cannot be used.
    """
    try:
        return _write_prepared(prepared, found)
    except UserError:
        with suppress(OSError):  # an empty folder is ours; a folder with other files stays
            files.PREPARED.parent.rmdir()
        raise


def _write_prepared(prepared: Prepared, found: Found) -> list[ShardReport]:
    with replacing(files.PREPARED) as folder:
        prepared.labeled.to_parquet(folder / files.LABELED.name, row_group_size=ROWS_A_GROUP)
        prepared.row_ids.to_parquet(folder / ROW_IDS.name)
        if prepared.test is not None:
            prepared.test.to_parquet(folder / files.TEST.name)
        of_test = ((files.TEST_ROLES, prepared.roles.test), (files.TEST_SLICES, prepared.test_slices))
        for path, roles in ((files.ROLES, prepared.roles.labeled), *of_test):
            if path == files.ROLES or (len(roles) and (path == files.TEST_ROLES or len(roles.columns))):
                roles.rename_axis("row").reset_index().to_parquet(folder / path.name)
        if prepared.all_labeled is not None:
            prepared.all_labeled.to_parquet(folder / files.ALL_LABELED.name, row_group_size=ROWS_A_GROUP)
            prepared.roles.all_labeled.rename_axis("row").reset_index().to_parquet(folder / files.ALL_ROLES.name)
        if prepared.copies is not None:
            copies = pd.DataFrame({"row": np.arange(len(prepared.copies)), "copies": prepared.copies})
            copies.to_parquet(folder / files.COPIES.name)
        reports = _write_shards(prepared.shards, folder / files.UNLABELED.name)
        of_shards = {f"shard-{number:05d}.parquet": rows for number, rows in enumerate(prepared.places.shards)}
        source_rows.as_table({source_rows.LABELED: prepared.places.labeled, **of_shards}).to_parquet(
            folder / source_rows.SOURCE_ROWS.name
        )
        files.write_json(folder / files.SHARDS.name, [asdict(report) for report in reports])
        _write_partitions(prepared, folder)
        (folder / files.DATA_HASH.name).write_text(prepared.data_hash + "\n")
        files.write_json(folder / files.SEEN_ROWS.name, prepared.seen.texts())
        columns = {
            name: {"kind": column.kind, "source": column.source, "format": column.format}
            for name, column in prepared.columns.items()
        }
        files.write_json(folder / files.COLUMNS.name, columns)
        write_applied(folder, found)
    return reports


def _write_shards(shards: Shards, folder: Path) -> list[ShardReport]:
    folder.mkdir()
    reports: list[ShardReport] = []
    for shard, report in shards.checked():
        if shard is None:
            reports.append(report)
            continue
        name = f"shard-{sum(known.bad is None for known in reports):05d}.parquet"
        shard.to_parquet(folder / name)
        reports.append(replace(report, shard=name))
    if not any(folder.iterdir()):
        (folder / ".none").touch()  # DVC warns of an empty folder, and does not restore it
    return reports


def _write_partitions(prepared: Prepared, folder: Path) -> None:
    partition = prepared.partition
    rows = np.arange(len(partition.fold))
    pd.DataFrame(
        {"row": rows, "validation": partition.validation, "fold": partition.fold, "step": partition.step}
    ).to_parquet(folder / files.PARTITION.name)
    repeats, n = prepared.halves.shape
    pd.DataFrame(
        {"repeat": np.repeat(np.arange(repeats), n), "row": np.tile(rows, repeats), "half": prepared.halves.ravel()}
    ).to_parquet(folder / files.HALVES.name)
