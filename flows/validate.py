"""Validate: the whole method, one step after the other."""

from flows.checkout import in_checkout
from flows.fit import fit
from flows.prepare import prepare
from flows.report import report
from flows.select import select
from flows.stage import named_flow
from flows.validation_run import validation_run
from tasks.params import load
from tasks.params.changes import Changes
from tasks.storage import dvc_commands
from tasks.track import lifecycle

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
        with validation_run(settings, overrides, asked=promote, scheduled=scheduled) as check_sources:
            prepare(params, overrides)  # rows are split: test set, folds, steps, halves; unlabelled rows into shards
            fit(params, overrides)  # each candidate on each part, block by block; half models compared on each shard
            select(params, overrides)  # estimates with their intervals, the choice, the test set if it is opened
            check_sources()
            report(params, overrides)  # what people read, MLflow, the registry
        dvc_commands.commit(settings)
    lifecycle.check_sent()
