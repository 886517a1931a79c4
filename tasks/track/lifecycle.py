"""The life of a run in MLflow: its start, its end, and runs that died without an end."""

import logging
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tasks.outcome.items import Item, Tag, settings_items
from tasks.params import Settings
from tasks.runtime.process_identity import HOST, alive, identity
from tasks.track.send import send
from tasks.track.store import connect, experiment_id
from tasks.track.trial import STAGE_ALONE

if TYPE_CHECKING:
    from mlflow import ActiveRun, MlflowClient

log = logging.getLogger("heldout")

TRIAL = "trial"  # the tag of a run that may not promote: why


@contextmanager
def run(settings: Settings, trial: str = STAGE_ALONE) -> Iterator[None]:
    """The parent run of one validation; inside another run, that run goes on.

    `trial` says why the run may not promote its winner, and is empty if it may.

    Marks runs that a process of this machine left RUNNING when it died, and logs it. Ends as FINISHED, as FAILED
    with the reason, or as KILLED when interrupted. Raises UserError if the store cannot be reached.
    """
    import mlflow

    if mlflow.active_run() is not None:
        yield
        return
    client = connect(settings)
    experiment = experiment_id(client, settings)
    _mark_dead(client, experiment)
    tags = {"git_commit": _git_commit(), "criterion": settings.criterion, **_of_this_process()}
    if trial:
        tags[TRIAL] = trial
    parent = mlflow.start_run(experiment_id=experiment, tags=tags).info.run_id
    send(client, parent, settings_items(settings))
    try:
        yield
    except BaseException as error:
        interrupted = isinstance(error, KeyboardInterrupt | SystemExit)
        end_run("KILLED" if interrupted else "FAILED", "interrupted" if interrupted else str(error))
        raise
    active = mlflow.active_run()  # none, if a failure has ended it
    if active is not None and active.info.run_id == parent:
        mlflow.end_run("FINISHED")


@contextmanager
def child_run(client: "MlflowClient", parent: "ActiveRun", name: str, *, failed: bool) -> Iterator[str]:
    """The id of a run below `parent`, which ends as FINISHED or, for a candidate that failed, as FAILED."""
    tags = {"mlflow.parentRunId": parent.info.run_id, **_of_this_process()}
    child = client.create_run(parent.info.experiment_id, tags=tags, run_name=name).info.run_id
    yield child
    client.set_terminated(child, "FAILED" if failed else "FINISHED")


def in_run() -> bool:
    """Whether this process validates as a whole, stage after stage."""
    return _active() is not None


def send_to_run(items: Iterable[Item]) -> None:
    """Send items to the active run, if there is one."""
    active = _active()
    if active is not None:
        import mlflow

        send(mlflow.MlflowClient(), active.info.run_id, items)


def end_run(status: str, reason: str) -> None:
    """End the active run, if there is one, as FAILED or KILLED."""
    if in_run():
        import mlflow

        send_to_run([Tag("failure", reason)])
        mlflow.end_run(status)


def tag_seconds(stage: str, seconds: float) -> None:
    """Note on the active run, if there is one, how long a stage took; its metrics are estimates alone."""
    send_to_run([Tag(f"seconds.{stage}", f"{seconds:.2f}")])


def _active() -> "ActiveRun | None":
    if "mlflow" not in sys.modules:  # its import takes a second, for which a single stage need not wait
        return None
    import mlflow

    return mlflow.active_run()


def _mark_dead(client: "MlflowClient", experiment: str) -> None:
    query = f"attributes.status = 'RUNNING' and tags.host = '{HOST}'"
    for left in client.search_runs([experiment], query, max_results=1000):
        if not alive(left.data.tags.get("process", "")):
            client.set_tag(left.info.run_id, "failure", "its process died before the run ended")
            client.set_terminated(left.info.run_id, "KILLED")
            if "mlflow.parentRunId" not in left.data.tags:
                log.warning("the run %s died before its end; it is now marked KILLED", left.info.run_name)


def _of_this_process() -> dict[str, str]:
    """The tags by which a later process finds out that this one died."""
    return {"host": HOST, "process": identity()}


def _git_commit() -> str:
    answer = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False)  # noqa: S607
    return answer.stdout.strip() or "not in git"
