"""A store that is away for some minutes at night need not cost the night: asked again, before any fit."""

from prefect import task
from prefect.cache_policies import NO_CACHE

from tasks.params import Settings
from tasks.track import store


@task(
    name="reach the store",
    task_run_name="reach the store",
    retries=3,
    retry_delay_seconds=[5, 60, 300],
    retry_jitter_factor=0.5,  # not all at once, where many checkouts share a store
    cache_policy=NO_CACHE,
)
def reach_store(settings: Settings) -> None:
    """Return when the store answers. Raises UserError if it does not at the last time.

    The only thing in a run that is tried again: arithmetic that fails once would fail again.
    """
    store.connect(settings)
