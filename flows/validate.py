"""Validate: the whole method, one step after the other."""

from flows.checkout import in_checkout
from flows.covalidation import covalidation
from flows.cross_validation import cross_validation
from flows.events import failure_reported
from flows.holdout import holdout
from flows.new_batch import examine_new_rows
from flows.night import night
from flows.prepare import prepare
from flows.progressive import progressive
from flows.reach_store import reach_store
from flows.report import report
from flows.select import select
from flows.stage import named_flow
from tasks.data.source_files import check_unchanged, hash_sources
from tasks.params import load
from tasks.params.changes import Changes
from tasks.storage import dvc_commands
from tasks.track import lifecycle
from tasks.track.trial import why_trial

_NONE = Changes.model_validate({})


@named_flow
def validate(
    params: str = "params.yaml",
    overrides: tuple[str, ...] = (),
    promote: bool = False,
    changes: Changes = _NONE,
) -> None:
    """Which candidate, how large its error is, how far to trust that; and whether it is to be the champion.

    Args:
        params: the file with the parameters, in the checkout
        overrides: further parameters, each as a.b=c, as in split.repeats=3; they come after the changes below
        promote: register the winner; a run of a deployment without overrides and changes does so by itself
        changes: What is left empty is as in params.yaml. A run with any change is a trial, never the champion.
    """
    with in_checkout("validate", params, overrides) as scheduled:
        overrides = (*changes.overrides(params), *overrides)
        settings = load(params, overrides)
        trial = why_trial(settings, overrides, asked=promote, scheduled=scheduled)
        with night(settings, trial):
            with failure_reported(settings):
                if scheduled:
                    reach_store(settings)
                with lifecycle.run(settings, trial):
                    sources = hash_sources(settings)
                    examine_new_rows(settings, trial)
                    prepare(params, overrides)
                    progressive(params, overrides)
                    holdout(params, overrides)
                    cross_validation(params, overrides)
                    covalidation(params, overrides)
                    select(params, overrides)
                    check_unchanged(sources)
                    report(params, overrides)
            dvc_commands.commit(settings)
    lifecycle.check_sent()
