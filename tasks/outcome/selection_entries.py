"""What a selection enters into the ledger of operations: what it compared, for whom it opens the test set, E_test."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from heldout.rows.row_sketch import Sketch
from tasks.outcome.ledger import Ledger, winner_id
from tasks.outcome.opening import Opening
from tasks.outcome.operations import cut
from tasks.outcome.unused_rows import UnusedRows
from tasks.params import Candidate, Settings
from tasks.storage import files
from tasks.storage.row_ids import WORD, read_words
from tasks.storage.seen_rows import SeenRows

Said = dict[str, Any]


def before_opening(
    settings: Settings, winner: Candidate, seen: SeenRows, ledger: Ledger, found: UnusedRows | None, *, after: int
) -> Iterator[tuple[str, Said]]:
    """The kinds of the entries and what they say; `after` is how many entries there were when the run began."""
    yield (
        "compared",
        {
            "compared": ledger.compared,
            "winner": cut(winner.name),
            "of": cut(settings.data.source),
            "after": after,
        },
    )
    if found is None or not len(found.rows):
        return
    words = read_words(files.TESTED)
    yield (
        "opened",
        {
            "winner": winner_id(winner, settings, seen),
            "rows": len(found.rows),
            "others": found.others,
            "reopened": settings.selection.reopen_test,
            "tested": str(Sketch.of(words[WORD].to_numpy(np.uint64))),
        },
    )


def after_opening(opening: Opening) -> Iterator[tuple[str, Said]]:
    """The result; nothing where no row was scored."""
    for estimate in opening.estimates:
        yield "tested", {"rows": estimate.n_tested, "E_test": files.rounded(estimate.value)}
