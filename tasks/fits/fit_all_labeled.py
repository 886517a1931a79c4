"""The one fit of the winner on all labelled rows outside of the test part, if the estimates use a part of them."""

import logging
from typing import Any

from heldout import seeds
from heldout.fit_warnings import WarningCounts
from heldout.learners import open_random_states
from tasks.fits import worker
from tasks.fits.executor import Work
from tasks.fits.fan_out import run_all
from tasks.params import Candidate, Settings
from tasks.runtime.errors import UserError
from tasks.storage import files, fit_cache

log = logging.getLogger("heldout")


def fit_all_labeled(settings: Settings, winner: Candidate) -> Any:
    """The hypothesis that a run without split.rows would deliver; stored like all fits.

    Raises UserError if the winner fails on these rows.
    """
    work = work_of(settings, winner)
    todo = [] if fit_cache.has(work.keys[0]) else [work]
    for reason in run_all(settings, "all labelled rows", worker.fit_all_labeled, todo, 1 - len(todo)):
        if reason is not None:
            raise UserError(
                f"candidates: {winner.name} was selected on {settings.split.rows} rows, and fails on all labelled "
                f"rows: {reason}; fix or remove it, or keep fewer labels with data.labeled_rows"
            )
    hypothesis, warned = fit_cache.load(work.keys[0])
    counted = WarningCounts.of([warned])
    if counted.concerned:
        log.warning("select: %s on all labelled rows: %s", winner.name, counted)
    return hypothesis


def work_of(settings: Settings, winner: Candidate) -> Work:
    """The task of the fit; its key depends on the rows, their weights, the learner and its seed."""
    state = seeds.fit_state(settings.seed, "final", 0) if open_random_states(winner.learner()) else 0
    versions = [files.file_hash(path) for path in (files.ALL_LABELED, files.ALL_ROLES)]
    key = fit_cache.key("all labelled rows", winner.identity(), versions, state)
    return Work(f"all labelled rows · {winner.name}", (settings, winner, key, state), (key,))
