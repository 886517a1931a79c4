"""The files of unlabelled rows that `watch` reads: found, and compared with the labelled rows of the validated run."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

from tasks.data import foreign_strings, read_source, unlabeled
from tasks.data.column_types import Column
from tasks.data.prepare_tables import label_names
from tasks.data.text_form import TextForm
from tasks.data.unlabeled import Schema
from tasks.params import Settings
from tasks.runtime.errors import UserError
from tasks.storage import files, stage_settings
from tasks.storage.shard_report import ShardReport
from tasks.storage.watch_files import shown_name


def shard_files(settings: Settings, named: Sequence[str]) -> list[Path]:
    """The files that `named` paths, folders and globs are; without any, those that `data.unlabeled` names now.

    If `data.unlabeled` is null, they are the prepared shards. Raises UserError for a name without a file.
    """
    if not named:
        pattern = settings.data.unlabeled
        return files.shards() if pattern is None else read_source.unlabeled_files(pattern)
    found: dict[Path, None] = {}
    for name in named:
        try:
            found |= dict.fromkeys(read_source.unlabeled_files(name))
        except UserError as error:
            raise UserError(_as_named(error, named=True)) from None
    return list(found)


def validated_shards() -> dict[Path, str]:
    """The validated run's shards in order, and the file of each, as `shard_files` has them."""
    prepared = {files.UNLABELED / str(one.shard): one for one in files.read_shard_reports() if one.shard is not None}
    return {shard: one.file or str(shard) for shard, one in prepared.items()}


def from_shard_on(since: str) -> list[Path]:
    """The validated run's shards from one on, which is named by its file or the stem of it.

    Raises UserError if no shard has that name, or several have.
    """
    by_file = validated_shards()
    shards, named = list(by_file), [Path(file) for file in by_file.values()]
    found = [at for at, path in enumerate(named) if since in (str(path), shown_name(path))]
    if len(found) != 1:
        known = f"{named[0]} to {named[-1]}" if named else "none, as data.unlabeled is null"
        raise UserError(
            f"since: {since!r} is {'no shard' if not found else f'the name of {len(found)} shards'} of the validated "
            f"run, which are {known}; give the file of one, and validate first if it arrived later"
        )
    return shards[found[0] :]


def checked(
    settings: Settings, paths: Sequence[Path], *, named: bool
) -> Iterator[tuple[pd.DataFrame | None, ShardReport]]:
    """The rows of each file with the columns of the labelled rows, None for a bad shard, and a report.

    At the end raises UserError for bad shards, as `Shards.checked`.
    """
    data = settings.data
    text = TextForm.of(data)
    shards = unlabeled.from_files(paths, _schema(settings), data.missing or (), data.on_bad_shard, text)
    try:
        yield from shards.checked()
    except UserError as error:
        raise UserError(_as_named(error, named=named)) from None


def _as_named(error: UserError, *, named: bool) -> str:
    return str(error).replace("data.unlabeled", "--shard").replace(", or null", "") if named else str(error)


def _schema(settings: Settings) -> Schema:
    """The schema of the labelled rows, as `prepare` left them.

    Raises UserError where strings of a foreign kind were read by another package, or by another version of it.
    """
    features, _ = files.read_table(files.LABELED)
    written = files.read_json(files.COLUMNS)
    columns = {
        str(name): Column(written[name]["kind"], written[name]["source"], dtype, written[name]["format"])
        for name, dtype in features.dtypes.items()
    }
    foreign = [name for name, column in columns.items() if foreign_strings.is_foreign(column.format)]
    if foreign and not stage_settings.read_by_these_extensions():
        raise UserError(
            f"the column {foreign[0]!r} of the labelled rows was read by another version of the package that adds its "
            "kind, so that new rows would be read otherwise; validate again, or install that version"
        )
    return Schema.of(features, columns, label_names(settings), settings.data.left_out)
