"""What becomes of old runs: they leave MLflow's store, Prefect's history and DVC's cache."""

import logging
from collections.abc import Iterator
from datetime import timedelta

import httpx
from prefect.exceptions import PrefectException

from tasks.params import Settings
from tasks.runtime import flow_runs
from tasks.runtime.errors import UserError
from tasks.storage import unnamed_outputs
from tasks.track import old_runs, store

log = logging.getLogger("heldout")

# 288 of them a day, of which most find nothing; what they find is in reports/watch.csv and in MLflow
_OF_FLOWS = {"watch": timedelta(days=7)}


def remove_old(settings: Settings, keep: timedelta, *, compact: bool = False) -> Iterator[str]:
    """Remove what is older than `keep` and needed by nobody; says what. `compact`: see `old_runs.prune`.

    Raises what MLflow's store or Prefect's server raises if it fails.
    """
    yield from old_runs.prune(settings, keep, compact=compact)
    yield f"Prefect: {flow_runs.remove_ended(keep, _OF_FLOWS)} runs, removed from the history of this folder's server"
    number, size = unnamed_outputs.remove(keep)
    yield f"DVC's cache: {number} files that no dvc.lock in git or here names, {size / 1e6:.1f} MB, removed"


def keep_to_policy(settings: Settings) -> None:
    """What a night does at its end, if `tracking.keep` is set. A store that fails now does not fail the night."""
    if settings.tracking.kept_for is None:
        return
    failing: tuple[type[Exception], ...] = UserError, PrefectException, httpx.HTTPError, *store.failures()
    try:
        for line in remove_old(settings, settings.tracking.kept_for):
            log.info("tracking.keep %s: %s", settings.tracking.keep, line)
    except failing as error:
        log.warning(
            "tracking.keep: not all old runs were removed (%s); the next night tries again", store.reason(error)
        )
