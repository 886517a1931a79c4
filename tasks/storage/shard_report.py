"""What `prepare` found in one unlabelled shard."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ShardReport:
    """What was found in one shard: `bad` is why it is not used, `notes` what is told of one that is.

    `file` is the user's own, None for rows whose label was hidden; `shard` the prepared file, None for a
    bad one; `rows` its rows, None where they cannot be read; `noted` the rows with a value that no
    labelled row has come near (out of the range, or another category).
    """

    file: str | None
    rows: int | None
    shard: str | None = None
    bad: str | None = None
    noted: int = 0
    notes: tuple[str, ...] = ()
