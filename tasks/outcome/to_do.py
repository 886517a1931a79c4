"""Whether somebody must do something, and what: the one home of these words.

They are the first line of the morning page and of its text. Each ends with what to type, where a
command helps.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tasks.runtime.own_code import COMMAND

NOTHING = "Nothing to do"
AGAIN = f"`{COMMAND} trigger`, or `{COMMAND} validate --promote`"


@dataclass(frozen=True)
class Matter:
    """What is the matter, and what to do about it."""

    what: str
    do: str

    def __str__(self) -> str:
        return f"{self.what}; {self.do}"


def first_line(matters: Sequence[Matter]) -> str:
    """The first matter, and how many more there are; that there is nothing to do where there is none."""
    if not matters:
        return NOTHING
    more = f" (and {len(matters) - 1} more)" if len(matters) > 1 else ""
    return f"Look: {matters[0]}{more}"


def run_failed(reason: str = "", when: str = "") -> Matter:
    """A run ended before its report."""
    what = f"the night of {when} failed" if when else "a run failed"
    return Matter(f"{what}{f': {reason}' if reason else ''}", f"fix it, and run again: {AGAIN}")


def died(when: str, status: str) -> Matter:
    """A run's process is gone, and it said nothing."""
    return Matter(f"the night of {when} did not end ({status})", f"run again: {AGAIN}")


def never() -> Matter:
    """No night has run."""
    return Matter("no night has run yet", f"run the first: {AGAIN}")


def missing(since: str, usual: str) -> Matter:
    """No night came when one was to come."""
    return Matter(
        f"no night has ended since {since}, and one came about every {usual}",
        "see in Prefect's pages whether the schedule is on and `make serve` runs",
    )


def store_lost(why: str) -> Matter:
    """The store lacks what this folder has seen in it."""
    begin = f"`{COMMAND} validate --promote --new-store`"
    return Matter(why, f"put its newest copy back, or correct tracking.uri; to begin with this store as it is: {begin}")


def store_changed(found: str, more: int = 0) -> Matter:
    """The ledger and the store say different things."""
    others = f" (and {more} more)" if more else ""
    return Matter(f"{found}{others}", f"`{COMMAND} verify` says all that was found")


def uncompared(version: str) -> Matter:
    """The champion or the winner gives no answers."""
    return Matter(
        f"the champion{f', version {version},' if version else ''} cannot be compared with the winners",
        f"remove the alias champion to begin again, or return to the version before: `{COMMAND} rollback`",
    )


def rows_changed(when: str = "", *, both: bool = False) -> Matter:
    """An alarm is raised."""
    since = f" (alarm since {when})" if when else ""
    moved = f"; then compare later rows with them: `{COMMAND} watch --new-reference --since SHARD`, that of the alarm"
    return Matter(
        f"the rows have changed{since}",
        "look at the new ones, label some, and validate again" + moved * both,
    )


def held_back(batch: int, rows: int, reasons: str = "") -> Matter:
    """New labelled rows are in quarantine."""
    why = f": {reasons}" if reasons else ""
    release, drop = (f"`{COMMAND} batch --{verb} {batch}`" for verb in ("release", "drop"))
    return Matter(
        f"new labelled rows are held back, and no run uses them (batch {batch}, {rows} rows{why})",
        f"look at them, then {release} or {drop}",
    )


def held_delivery(
    batch: int, left: int, rows: int, *, gone: Sequence[str] = (), corrected: int = 0, reasons: str = ""
) -> Matter:
    """Rows of the past are not in the table as they were; columns that are `gone`, or a correction, are why."""
    release = f"`{COMMAND} batch --release {batch}`"
    if gone:
        names = ", ".join(gone)
        return Matter(
            f"the table is held, and no run uses it (batch {batch}): it lacks {names}, which {left} rows of the past "
            "had",
            f"bring the column{'s' * (len(gone) > 1)} back (data.drop leaves one out of the features)",
        )
    if corrected:
        return Matter(
            f"the table is held, and no run uses it (batch {batch}): {corrected} rows of the past have other values"
            + (f": {reasons}" if reasons else ""),
            f"bring the right table; or if these values are right, {release}",
        )
    return Matter(
        f"the table is held, and no run uses it (batch {batch}): {left} rows of the past left it or changed, and "
        f"{rows} rows are new",
        f"bring the table back as it was, with its new rows; or if these are to be gone, {release}, by which the new "
        "rows are examined",
    )


def look_together(batch: int, found: str) -> Matter:
    """The last batches are unlike those before, though none was unlike enough to be held back."""
    drop = f"`{COMMAND} batch --drop NUMBER`"
    return Matter(
        f"the last batches together are unlike the rows before (batch {batch}: {found})",
        f"look at their rows: `{COMMAND} batch` lists them, {drop} leaves one out",
    )


def pinned(candidate: str = "") -> Matter:
    """A winner would be the champion without a pin."""
    of = f" of {candidate}" if candidate else ""
    release = f"`{COMMAND} rollback --release{f' {candidate}' if candidate else ''}`"
    return Matter(f"a pin prevents a promotion{of}", f"release it ({release}), or leave it until new rows outweigh it")


def withheld(candidate: str) -> Matter:
    """A winner would be the champion if the advice were to ship it."""
    promote = f"`{COMMAND} validate --promote --anyway`"
    return Matter(
        f"{candidate} is not promoted, since the advice is not to ship it",
        f"read the advice in its report; to use it all the same: {promote}",
    )


def little_room(nights: int) -> Matter:
    """The disk is full soon."""
    left = f"for about {nights} more night{'s' * (nights != 1)} like the last"
    return Matter(f"the disk has room {left}", f"remove old models: `{COMMAND} prune --keep 90d`, then `mlflow gc`")
