"""The one fit of the winner on all labelled rows outside of the test set, if the estimates use a part of them."""

import logging
from typing import Any

from heldout.fits.specs import hypothesis_key
from heldout.learners.fit_warnings import WarningCounts
from heldout.running.make import is_made
from tasks.fits import failed_candidates, worker
from tasks.fits.fan_out import run_all
from tasks.fits.work import Work
from tasks.params import Candidate, Settings
from tasks.plans import all_labeled
from tasks.runtime.errors import UserError
from tasks.storage.fit_cache import store

log = logging.getLogger("heldout")


def fit_all_labeled(settings: Settings, winner: Candidate) -> Any:
    """The hypothesis that a run without split.rows would deliver; stored like all fits.

    Raises UserError if the winner fails on these rows.
    """
    key = str(all_labeled.spec_of(settings, winner).key)
    owner = failed_candidates.key(settings, winner)
    arguments = (settings, winner, key)
    work = Work(f"all labelled rows · {winner.name}", worker.fit_all_labeled, arguments, (key,), candidate=owner)
    todo = [] if is_made(store, key, keep=True) else [work]
    for reason in run_all(settings.execution, "all labelled rows", todo, 1 - len(todo)):
        if reason is not None:
            raise UserError(
                f"candidates: {winner.name} was selected on {settings.split.rows} rows, and fails on all labelled "
                f"rows: {reason}; fix or remove it, or keep fewer labels with data.labeled_rows"
            )
    counted = WarningCounts.of([store.load(key).warned])
    if counted.concerned:
        log.warning("select: %s on all labelled rows: %s", winner.name, counted)
    return store.load(hypothesis_key(key))
