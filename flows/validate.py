"""Validate: the whole method, one step after the other."""

from prefect import flow

from flows.checkout import in_checkout
from flows.covalidation import covalidation
from flows.cross_validation import cross_validation
from flows.events import failure_reported
from flows.holdout import holdout
from flows.prepare import prepare
from flows.progressive import progressive
from flows.reach_store import reach_store
from flows.report import report
from flows.select import select
from tasks.data.source_files import check_unchanged, hash_sources
from tasks.params import load
from tasks.runtime.flow_runs import identify
from tasks.storage import dvc_commands
from tasks.track import lifecycle
from tasks.track.trial import why_trial


@flow(name="validate", on_running=[identify])
def validate(params: str = "params.yaml", overrides: tuple[str, ...] = (), promote: bool = False) -> None:
    """Which candidate, how large its error is, how far to trust that; and whether it is to be the champion."""
    with in_checkout("validate", params, overrides) as scheduled:
        settings = load(params, overrides)
        trial = why_trial(settings, overrides, asked=promote, scheduled=scheduled)
        with failure_reported(settings):
            if scheduled:
                reach_store(settings)
            with lifecycle.run(settings, trial):
                sources = hash_sources(settings)
                prepare(params, overrides)
                holdout(params, overrides)
                cross_validation(params, overrides)
                progressive(params, overrides)
                covalidation(params, overrides)
                select(params, overrides)
                check_unchanged(sources)
                report(params, overrides)
        dvc_commands.commit(settings)
    lifecycle.check_sent()
