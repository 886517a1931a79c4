"""`python -m flows log`: the runs that their store did not take are sent to the store that `tracking` names now."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tasks.fits.model_process import opened
from tasks.outcome.items import Parameter, Tag
from tasks.params import Settings
from tasks.runtime.errors import UserError
from tasks.track import operations_ledger, pending
from tasks.track.experiments import experiment_of
from tasks.track.ledger_tags import KEY
from tasks.track.lifecycle import TRIAL, send_child
from tasks.track.promote import PROMOTED, REASON
from tasks.track.registry import log_model
from tasks.track.send import send
from tasks.track.store import connect, failures, reason, runs

if TYPE_CHECKING:
    from mlflow import MlflowClient

_UNDECIDED = "its store was lost during the run, so nothing was decided; the next run that may promote decides"


@dataclass(frozen=True)
class Sent:
    """A run that its store has now: when it began, and how it ended."""

    when: str
    status: str

    def __str__(self) -> str:
        return f"sent: the run of {self.when}, {self.status}"


def send_pending(settings: Settings) -> Iterator[Sent]:
    """Send each run once, the oldest first, and say which; nothing is promoted. Raises UserError if the store fails.

    A run that a store has in part, since it was lost or this command was stopped, is replaced there.
    """
    records = pending.read_all()
    if not records:
        return
    client = connect(settings)
    for record in records:
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(record.started / 1000))
        try:
            _send(client, settings, record)
        except failures() as error:
            raise UserError(
                f"the run of {when} was not sent: the store that tracking.uri names failed ({reason(error)}); it "
                f"stays in {record.folder}"
            ) from None
        pending.remove(record)
        yield Sent(when, record.status)


def _send(client: "MlflowClient", settings: Settings, record: pending.PendingRun) -> None:
    for begun in list(runs(client, f"tags.{KEY} = '{record.key}'")):
        run_id = begun.info.run_id
        if PROMOTED in begun.data.tags:  # the last that a run is sent: it has everything but its end
            send(client, run_id, [item for item in record.whole.items if isinstance(item, Tag)])
            client.set_terminated(run_id, record.status, record.ended)
            return
        for child in list(runs(client, f"tags.`mlflow.parentRunId` = '{run_id}'")):
            client.delete_run(child.info.run_id)
        client.delete_run(run_id)
    values = {item.name: item.value for item in record.whole.items if isinstance(item, Parameter)}
    experiment = experiment_of(client, settings, record.experiment, values)
    run_id = client.create_run(experiment, record.started, dict(record.tags)).info.run_id
    send(client, run_id, record.whole.items)
    for candidate in record.candidates:
        send_child(client, experiment, run_id, candidate, (record.started, record.ended))
    if record.model:
        with opened(record.model_file, settings) as model:
            log_model(client, model, pending.read_sample(record), run_id)
    _enter(client, settings, record, run_id)
    why = record.tags.get(TRIAL)
    reason = f"a trial: {why}" if why else _UNDECIDED
    send(client, run_id, [Tag(REASON, reason), Tag(PROMOTED, "no")])
    client.set_terminated(run_id, record.status, record.ended)


def _enter(client: "MlflowClient", settings: Settings, record: pending.PendingRun, run_id: str) -> None:
    """Enter the run into the ledger of operations; of entries that are there too, the last holds.

    Its M was counted in the store of that time, which need not be this one.
    """
    for kind, said in record.entries:
        of_now = {name: value for name, value in said.items() if name != "after"}
        entry = operations_ledger.append_of_run(client, settings, run_id, kind, {**of_now, "late": True})
        if kind == "reported":
            send(client, run_id, [Tag(operations_ledger.HEAD, str(entry.head))])
