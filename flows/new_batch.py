"""New labelled rows are looked at before a validation uses them; a batch that is unlike those before is held back."""

import logging

from flows.events import batch_held
from tasks.outcome.items import Tag
from tasks.params import Settings
from tasks.runtime.errors import Held
from tasks.track import batches, lifecycle

log = logging.getLogger("heldout")


def examine_new_rows(settings: Settings, trial: str) -> None:
    """Examine the new labelled rows of the data source, and say what was found.

    Rows are examined in every validation, from the first on that may promote, which `trial` says by being empty. Raises
    Held where rows of the past are not in the table as they were: nothing is fitted, compared, promoted or opened.
    """
    run = lifecycle.active()
    found = run.ask(lambda client: batches.examine(client, settings, run.key, may_begin=not trial))
    if found is None:
        return
    run.send([Tag("batch", found.words)])
    if found.batch.whole and found.held:
        batch_held(settings, found.batch, found.words)
        raise Held(f"{found.words}; {batches.remedy(found.batch)}")
    if found.held:
        log.warning("%s; %s", found.words, batches.remedy(found.batch))
        batch_held(settings, found.batch, found.words)
    else:
        loud = found.batch.reasons or found.batch.noticed or found.batch.together  # a new table is a warning
        log.log(logging.WARNING if loud else logging.INFO, "%s", found.words)
