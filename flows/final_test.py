"""Final test: the winner of the last run meets the test set, after all choices are made."""

from flows.checkout import in_checkout
from flows.events import failure_reported
from flows.report import report
from flows.select import select
from flows.stage import named_flow
from tasks.params import load
from tasks.storage import dvc_commands
from tasks.track import lifecycle

_TRIAL = "it opened the test set of an earlier run"


@named_flow
def final_test(params: str = "params.yaml", overrides: tuple[str, ...] = ()) -> None:
    """Open the test set for the winner of the last run, and report again; no fit is made."""
    with in_checkout("final_test", params, overrides):
        settings = load(params, overrides)
        with failure_reported(settings), lifecycle.run(settings, _TRIAL, opens_test=True):
            select(params, overrides)
            report(params, overrides)
        dvc_commands.commit(settings)
    lifecycle.check_sent()
