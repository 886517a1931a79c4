"""A night as a whole: how long it took and whether it failed, in the ledger, and the page that is read in the morning.

It comes last. A store or a server that fails now changes nothing of the night, which is over.
"""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from prefect.artifacts import MarkdownArtifact
from prefect.exceptions import PrefectException
from prefect.runtime import flow_run

from tasks.outcome.nights import Morning
from tasks.params import Settings
from tasks.report import history_page
from tasks.report.history_lines import as_markdown
from tasks.runtime.errors import UserError, one_line, without_secrets
from tasks.storage import files
from tasks.track import known_store, lifecycle, morning, store
from tasks.track.trial import opens_sealed

log = logging.getLogger("heldout")

ARTIFACT = "morning"


@contextmanager
def night(settings: Settings, trial: str) -> Iterator[None]:
    """Around a validation that may promote; nothing for a `trial`. An interruption is no end of a night.

    The first line of the first says that nights open a test set that no key opens.
    """
    if trial:
        yield
        return
    if (said := opens_sealed(settings, trial)) and known_store.head(settings) is None:
        log.warning("the night: %s", said)
    before, started = lifecycle.newest_run(), time.monotonic()

    def end(failed: str = "") -> None:
        own = lifecycle.newest_run()
        _end(settings, "" if own == before else own, time.monotonic() - started, failed)

    try:
        yield
    except Exception as error:
        end(one_line(without_secrets(str(error))) or type(error).__name__)
        raise
    end()


def keep_page(settings: Settings) -> Morning | None:
    """Write reports/history.html from the store, and put it there; returns what it shows, None if that failed."""
    failing: tuple[type[Exception], ...] = UserError, *store.failures()
    try:
        made = morning.read_morning(settings)
        history_page.write_history(made)
        address = morning.keep_page(settings)
    except failing as error:
        log.warning("the page of all nights could not be made (%s)", store.reason(error))
        return None
    in_mlflow = f", in MLflow {address}" if address else ""  # a store that is not that of the last night has none
    log.info("%s (all nights: %s%s)", made.first_line, files.HISTORY, in_mlflow)
    return made


def _end(settings: Settings, run_id: str, seconds: float, failed: str) -> None:
    failing: tuple[type[Exception], ...] = UserError, *store.failures()
    try:
        morning.enter_night(settings, run_id, seconds, failed)
    except failing as error:
        log.warning("the ledger did not take the end of the night (%s)", store.reason(error))
        return
    if (made := keep_page(settings)) is not None:
        _publish(made)


def _publish(made: Morning) -> None:
    """The same among the artifacts of the whole run."""
    told = "whether anything must be done, and the last nights"
    artifact = MarkdownArtifact(key=ARTIFACT, description=told, markdown=as_markdown(made))
    artifact.flow_run_id = flow_run.root_flow_run_id
    try:
        artifact.create(_sync=True)  # type: ignore[call-arg]  # a decorator of Prefect adds it
    except (httpx.HTTPError, PrefectException) as error:
        log.warning("Prefect's server did not take the artifact %s: %s", ARTIFACT, error)
