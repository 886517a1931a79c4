"""What `prepare` found in one unlabelled shard."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ShardReport:
    """What was found in one shard: `bad` is the reason why it is not used, `notes` are findings in a shard in use.

    `file` is the user's file, None for rows whose label was hidden; `shard` the prepared file, None for a
    bad shard; `rows` the number of rows, None where they cannot be read; `noted` the number of rows with a
    value outside of the labelled rows' range or categories.
    """

    file: str | None
    rows: int | None
    shard: str | None = None
    bad: str | None = None
    noted: int = 0
    notes: tuple[str, ...] = ()
