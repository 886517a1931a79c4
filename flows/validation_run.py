"""What stands around the steps of a validation: its run in MLflow, the night that it is part of, and its failure."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from flows.events import failure_reported
from flows.new_batch import examine_new_rows
from flows.night import night
from flows.reach_store import reach_store
from tasks.data.source_files import check_unchanged, hash_sources
from tasks.params import Settings
from tasks.track import known_store, lifecycle
from tasks.track.trial import why_trial


@contextmanager
def validation_run(
    settings: Settings, overrides: Sequence[str], *, asked: bool, scheduled: bool
) -> Iterator[Callable[[], None]]:
    """Be in a run, once its new rows were looked at; yields a check that its sources are what they were.

    It may promote its winner if that was `asked` for, or if it is `scheduled`. Raises UserError, and Held for new rows
    that wait for a person.
    """
    trial = why_trial(settings, overrides, asked=asked, scheduled=scheduled)
    with night(settings, trial), failure_reported(settings):
        if scheduled:
            reach_store(settings)
        if not trial:
            known_store.check(settings)
        with lifecycle.run(settings, trial):
            sources = hash_sources(settings)
            examine_new_rows(settings, trial)
            yield lambda: check_unchanged(sources)
