"""The rows of the test set that a winner may be tested on: those that no choice has used (decisions 25 and 62)."""

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from heldout.printable import printable
from tasks.outcome.ledger import Ledger, winner_id
from tasks.outcome.new_rows import KnownRows, fresh, hidden
from tasks.params import Candidate, Settings
from tasks.storage import files
from tasks.storage.atomic import replacing_file
from tasks.storage.row_ids import Ids, RowIds, read_row_ids, write_seen

log = logging.getLogger("heldout")

_NONE: Ids = np.empty(0, np.uint64)
# the identities of the rows on which runs tested a winner; None where they are not known
ReadTested = Callable[[Sequence[str]], Ids | None]


@dataclass(frozen=True, eq=False)
class UnusedRows:
    """What is known about the rows of the test set before a winner meets them.

    `rows` are tested now, row numbers of test.parquet; `sealed` is the number of further rows that are tested as soon
    as somebody asks. `winners` counts those that `rows`, or else the part, were opened for, with this winner if `rows`
    are tested; `others` those that the rows that are left out were opened for. `refused` says why no row may be tested.
    """

    rows: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, np.intp))
    sealed: int = 0
    winners: int = 0
    others: int = 0
    refused: str | None = None


def look(
    settings: Settings,
    winner: Candidate,
    ledger: Ledger,
    read_tested: ReadTested,
    *,
    asked: bool,
    unfinished: Collection[str] = (),
) -> UnusedRows | None:
    """The rows for a winner after the runs of the `ledger`, None without a test set; tested.parquet keeps which.

    All rows are unused as long as the part was opened for no other winner; afterwards those that are new. Rows that
    were tested for this winner, and for no other since, are tested again, which says nothing new; all other rows wait
    until somebody has `asked`. The `unfinished` runs of the ledger wrote no result: what they opened is opened.
    """
    if settings.split.test_fraction == 0:
        _write(_NONE)
        return None
    this = winner_id(winner, settings, files.read_seen_rows())
    ids = read_row_ids("test")
    finished = {one.winner for one in ledger.opened if one.run not in unfinished}
    died = {one.winner for one in ledger.opened} - finished
    found = _look(settings, this, ids, ledger, read_tested, asked=asked, died=len(died - {this}))
    if this in died:
        log.warning("E_test: a run that wrote no result had opened the test set for %s", printable(winner.name))
    if found.refused:
        log.warning("E_test: not opened: %s", found.refused)
    _write(ids.words(found.rows))
    return found


def seal(found: UnusedRows) -> UnusedRows:
    """The same without a row to test: the ledger did not take that they are opened."""
    log.warning("E_test: not opened: the MLflow store was lost, so that no later run would know of it")
    _write(_NONE)
    none = np.empty(0, np.intp)
    return replace(found, rows=none, sealed=found.sealed + len(found.rows), winners=found.winners - 1)


def _write(words: Ids) -> None:
    with replacing_file(files.TESTED) as draft:
        write_seen(draft, words)


def _look(
    settings: Settings, this: str, ids: RowIds, ledger: Ledger, read_tested: ReadTested, *, asked: bool, died: int
) -> UnusedRows:
    opened_for = {one.winner for one in ledger.opened}
    others = opened_for - {this}
    if asked and settings.selection.reopen_test:
        return UnusedRows(np.arange(len(ids.content)), winners=len(opened_for | {this}))
    last = max((place for place, one in enumerate(ledger.opened) if one.winner != this), default=-1)
    before, since = ([one.run for one in runs] for runs in (ledger.opened[: last + 1], ledger.opened[last + 1 :]))
    unused = None if ledger.used_by else _unused(settings, ids, read_tested(before) if before else _NONE)
    if unused is None or not len(unused):
        return UnusedRows(winners=len(opened_for), refused=_spent(len(others), died, ledger.used_by))
    again = None if asked or not since else read_tested(since[-1:])
    rows = unused if asked else unused[np.isin(ids.of_rows[unused], _NONE if again is None else again)]
    return UnusedRows(rows, len(unused) - len(rows), int(len(rows) > 0), len(others))


def _unused(settings: Settings, ids: RowIds, tested: Ids | None) -> NDArray[np.intp] | None:
    """The rows that are not among those that were `tested`; None where new rows cannot be told from these."""
    if tested is None:
        return None
    known, copies = KnownRows(tested), settings.split.duplicates == "keep_together" and settings.data.groups is None
    if len(tested) and hidden(ids, read_row_ids(), known, copies=copies):
        return None
    return fresh(ids, known)


def _spent(others: int, died: int, used_by: int) -> str:
    """Why no row of the test set is unseen, and what to do."""
    reasons = []
    if others:
        opened_for = f"{others} other winner{'s' * (others > 1)}"
        opened_for += f" ({died} of them by a run that wrote no result)" if died else ""
        reasons.append(
            f"the test set of these data was opened for {opened_for}; a second look, "
            "also at the same learner trained on another draw of rows, would be a choice among test errors, and no row "
            "of it is known to be new since"
        )
    if used_by:
        reasons.append(
            f"{used_by} earlier run{'s' * (used_by > 1)} used labels of its rows to train and to choose, since another "
            "split.test_key, split.test_fraction, data.test_rows, data.groups, data.time or split.duplicates, or a "
            "table with fewer columns, had left them outside"
        )
    return f"{'; and '.join(reasons)}. Set selection.reopen_test to true to open it anyway, or take new rows"
