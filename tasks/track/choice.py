"""A choice in both ledgers, and with it the intention to open the test set, before a row of it is scored."""

from collections.abc import Sequence

from tasks.outcome import selection_entries, unused_rows
from tasks.outcome.ledger import Ledger
from tasks.outcome.unused_rows import UnusedRows
from tasks.params import Candidate, Settings
from tasks.storage import files
from tasks.storage.seen_rows import SeenRows
from tasks.track import lifecycle
from tasks.track.ledger_tags import ledger_items


def enter_choice(
    settings: Settings,
    winner: Candidate,
    compared: Sequence[Candidate],
    seen: SeenRows,
    ledger: Ledger,
    found: UnusedRows | None,
) -> UnusedRows | None:
    """Say in the run's tags and in the ledger of operations what was compared, and that the rows `found` are opened.

    Returns the rows that may be scored: all stay sealed where the store is lost, since no later run would know of it.
    """
    run, opens = lifecycle.active(), found is not None and len(found.rows) > 0
    run.send(ledger_items(settings, files.read_data_hash(), seen, winner, compared, test_opened=opens))
    for kind, said in selection_entries.before_opening(settings, winner, seen, ledger, found, after=run.entries):
        run.enter(settings, kind, said)
    if found is not None and opens and run.lost:
        run.kept_sealed = True
        return unused_rows.seal(found)
    return found
