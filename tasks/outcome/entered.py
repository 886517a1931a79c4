"""What a selection enters into the ledger of operations: what it compared, and for whom it opened the test part."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from heldout.rows.row_sketch import Sketch
from tasks.outcome.ledger import Ledger, winner_id
from tasks.outcome.opening import Opening
from tasks.outcome.operations import cut
from tasks.params import Candidate, Settings
from tasks.storage import files
from tasks.storage.row_ids import WORD, read_words
from tasks.storage.seen_rows import SeenRows

Said = dict[str, Any]


def of_selection(
    settings: Settings, winner: Candidate, seen: SeenRows, ledger: Ledger, opening: Opening, *, after: int
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
    if opening.found is None or not opening.estimates:
        return
    words = read_words(files.TESTED)
    yield (
        "opened",
        {
            "winner": winner_id(winner, settings, seen),
            "rows": len(opening.found.rows),
            "others": opening.found.others,
            "reopened": settings.selection.reopen_test,
            "tested": str(Sketch.of(words[WORD].to_numpy(np.uint64))),
        },
    )
