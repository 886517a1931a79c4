"""The life of a run in MLflow: its start, its end, the loss of its store, and runs that died without an end."""

import hashlib
import logging
import subprocess
import time
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from tasks.outcome import operations
from tasks.outcome.chain import Entry
from tasks.outcome.items import HIDDEN, RUN_NAME, Item, Tag, settings_items
from tasks.params import Settings
from tasks.runtime import open_servers, pages_address
from tasks.runtime.errors import Incomplete, NotCompared, NotSent, UserError, without_login, without_secrets
from tasks.runtime.own_code import COMMAND
from tasks.runtime.process_identity import HOST, alive, identity
from tasks.storage import files
from tasks.storage.row_ids import Ids
from tasks.track import operations_ledger
from tasks.track.artifacts import check_location
from tasks.track.changed import GIT_COMMIT, GIT_DIRTY, Before
from tasks.track.experiments import experiment_id
from tasks.track.ledger_tags import (
    KEY,
    PROCESS,
    RUNS_ON,
    Earlier,
    after,
    check_readable,
    read_tested,
    tags_of,
    validations,
)
from tasks.track.send import send
from tasks.track.store import connect, failures, reason, runs
from tasks.track.trial import STAGE_ALONE, experiment_tags

if TYPE_CHECKING:
    from mlflow import MlflowClient

log = logging.getLogger("heldout")

_newest: dict[str, str] = {}  # the experiment and the id of the newest run of this process
_CLOCKS_DIFFER = timedelta(minutes=1)  # more is said
_DIGITS = 12  # of a hash
_COMPARED = 20  # earlier runs, for what a run has changed
TRIAL = f"{HIDDEN}trial"  # the tag of a run that may not promote: why
AGAIN_IN_STORE = "dvc repro --force --downstream select"  # gives a store the results that are here
Answer = TypeVar("Answer")


@dataclass
class Active:
    """The validation that this process records in its store, until that is lost; `key` is its name in the ledgers."""

    client: "MlflowClient"
    experiment: str
    run_id: str
    key: str
    started: int  # in milliseconds
    earlier: Earlier
    kinds: set[str] = field(default_factory=set)  # of its entries in the ledger of operations
    entries: int = 0  # of the ledger of operations, at the start
    removed: Mapping[str, Sequence[Entry]] = field(default_factory=dict)  # validations gone from the store, by entries
    unfinished: Collection[str] = ()  # earlier validations, by their ids or keys, that wrote no result
    code: Mapping[str, str] = field(default_factory=dict)  # the tags that say which code ran
    before: Sequence[Before] = ()  # earlier runs of the same data source, the newest first
    opens_test: bool = False  # whether the test set is opened for the winner of this run
    kept_sealed: bool = False  # whether rows were not opened, since the store was lost
    lost: str = ""  # why the store is asked nothing any more
    uncompared: str = ""  # why the winner could not be compared with the champion

    def ask(self, what: Callable[["MlflowClient"], Answer]) -> Answer | None:
        """The answer of the store; None if it is lost."""
        if self.lost:
            return None
        try:
            return what(self.client)
        except failures() as error:
            self.lost = reason(error)
            return None

    def tested(self, runs: Sequence[str]) -> Ids | None:
        """The identities of the rows on which earlier runs tested a winner; None where they are not known."""
        return self.ask(lambda _: read_tested(runs))

    def send(self, items: Iterable[Item]) -> None:
        """Send items to the run."""
        self.ask(lambda client: send(client, self.run_id, items))

    def enter(self, settings: Settings, kind: str, said: Mapping[str, Any]) -> None:
        """Add an entry about the run to the ledger of operations."""
        self.kinds.add(kind)
        self.ask(lambda client: operations_ledger.append_of_run(client, settings, self.run_id, kind, said))

    def has_entered(self, kind: str) -> bool:
        """Whether the run has such an entry."""
        return kind in self.kinds

    def send_candidate(self, name: str, items: Iterable[Item], *, failed: bool) -> None:
        """Send a candidate's items to a run of its own, below this one, which is FAILED for a candidate that failed."""

        def sent(client: "MlflowClient") -> None:
            tags = {"mlflow.parentRunId": self.run_id, **_of_this_process()}
            child = client.create_run(self.experiment, self.started, tags, name).info.run_id  # it took as long
            send(client, child, items)
            client.set_terminated(child, "FAILED" if failed else "FINISHED")

        self.ask(sent)


_active: Active | None = None
_incomplete: Incomplete | None = None  # what the last run that ended lacks


@contextmanager
def run(settings: Settings, trial: str = STAGE_ALONE, *, opens_test: bool = False) -> Iterator[None]:
    """The parent run of one validation; inside another run, that run goes on.

    `trial` says why the run may not promote its winner, and is empty if it may. A run that may, or that `opens_test`,
    opens the test set for its winner.

    Marks runs that a process of this machine left RUNNING when it died, and logs it. Ends as FINISHED, as FAILED
    with the reason, or as KILLED when interrupted. Raises UserError if the store does not answer at the start. If it
    is lost later, the run goes on without it: see `check_sent`.
    """
    global _active, _incomplete
    if _active is not None:
        yield
        return
    open_servers.warn(settings.tracking.store)
    _incomplete = None
    _active = begun = _begin(settings, trial)
    begun.opens_test = opens_test or not trial
    _newest.update(experiment=begun.experiment, run=begun.run_id)
    try:
        yield
    except BaseException as error:
        interrupted = isinstance(error, KeyboardInterrupt | SystemExit)
        if _active is begun:
            end_run("KILLED" if interrupted else "FAILED", "interrupted" if interrupted else str(error))
        raise
    if _active is begun:  # a failure has not ended it
        _end(begun, "FINISHED")


def active() -> Active:
    """The run that this process records."""
    if _active is None:
        raise RuntimeError("there is no run: call it inside of lifecycle.run()")
    return _active


def page(settings: Settings) -> str:
    """Where MLflow, its server or the pages of this checkout, shows the newest run of this process, if there is one."""
    return f"{pages(settings)}/#/experiments/{_newest['experiment']}/runs/{_newest['run']}" if _newest else ""


def pages(settings: Settings) -> str:
    """The address of MLflow's pages: of its server, or those of this checkout."""
    uri = settings.tracking.store
    return without_login(uri).rstrip("/") if uri.startswith("http") else pages_address.current()


def newest_run() -> str:
    """The id of the newest run of this process; empty without one."""
    return _newest.get("run", "")


def send_to_run(items: Iterable[Item]) -> None:
    """Send items to the active run, if there is one."""
    if _active is not None:
        _active.send(items)


def end_run(status: str, reason: str) -> None:
    """End the active run, if there is one, as FAILED or KILLED."""
    if _active is not None:
        _active.send([Tag("failure", reason)])
        _end(_active, status)


def check_sent() -> None:
    """Raise, once, NotSent if the store of the run that ended last was lost, and NotCompared if it did not compare."""
    global _incomplete
    if error := _incomplete:
        _incomplete = None
        raise error


def _begin(settings: Settings, trial: str) -> Active:
    from mlflow.tracking.context.registry import resolve_tags

    client = connect(settings)
    key = uuid.uuid4().hex
    code = _git()
    tags = {**code, "criterion": settings.criterion, KEY: key, **_of_this_process()}
    tags |= {RUN_NAME: settings.source_name, **experiment_tags()}  # the outcome adds to the name
    if trial:
        tags[TRIAL] = trial
    try:
        experiment = experiment_id(client, settings)
        check_location(client.get_experiment(experiment).artifact_location)
        _mark_dead(client)
        before = validations(client)
        check_readable(before)
        entries = operations_ledger.begin(client, settings, before)
        removed = operations_ledger.removed(client, entries, before)
        started = _later(_now(), after(before))
        run_id = client.create_run(experiment, started, resolve_tags(tags)).info.run_id
        earlier, finished = tags_of(before), operations.with_result(entries)
        keys = {**{id_: tags.get(KEY, id_) for id_, tags in earlier.items()}, **{key: key for key in removed}}
        begun = Active(
            client,
            experiment,
            run_id,
            key,
            started,
            earlier,
            entries=entries[-1].number,
            removed=removed,
            unfinished={name for name, key in keys.items() if key not in finished},
            code=code,
            before=[Before.of(one) for one in reversed(before) if one.info.experiment_id == experiment][:_COMPARED],
        )
        begun.send(settings_items(settings))
    except failures() as error:
        raise UserError(f"the store that tracking.uri names takes no run ({reason(error)}); fix it") from None
    if begun.lost:
        raise UserError(f"the store that tracking.uri names takes no run ({begun.lost}); fix it")
    if not before:
        _warn_of_lost_history(settings)
    return begun


def _warn_of_lost_history(settings: Settings) -> None:
    """Say that the results in this checkout, if there are some, are of a validation that the empty store lacks."""
    if not files.SELECTION.is_file():
        return
    known = files.read_json(files.SELECTION)
    opened = ", nor that the test set was opened: E_test may be a second look" if known.get("test_openings") else ""
    log.warning(
        "%s has no validation, and %s is of one: what was compared before (%s) does not count in the bounds of this "
        "run%s. If the store was lost, stop, and put a copy back",
        without_secrets(settings.tracking.address),
        files.SELECTION,
        known.get("contamination", "an unknown number"),
        opened,
    )


def _end(ended: Active, status: str) -> None:
    global _active, _incomplete
    _active = None
    if ended.uncompared:
        _incomplete = NotCompared(f"{ended.uncompared}; all else is done, and the results are complete")
    ended.ask(lambda client: client.set_terminated(ended.run_id, status, max(_now(), ended.started)))
    if ended.lost:
        but = ", but for the test set, which stays sealed until the store can say that it was opened"
        _incomplete = NotSent(
            f"the MLflow store was lost during the run ({ended.lost}), so it lacks the run, and nothing was promoted; "
            f"the results here are complete{but * ended.kept_sealed}. When the store answers again, run the same again "
            f"(finished fits are stored), as `{COMMAND} validate`, or after `dvc repro` as `{AGAIN_IN_STORE}`"
        )


def _now() -> int:
    return int(1000 * time.time())


def _later(now: int, after: int) -> int:
    """When a run starts that follows another one: now, or later if the clock was set back."""
    if (behind := timedelta(milliseconds=after - now)) > _CLOCKS_DIFFER:
        log.warning(
            "the newest run of the store began %s after the clock of this machine: one of their clocks is, or was, "
            "wrong. This run follows it in the store, whatever the time",
            timedelta(seconds=round(behind.total_seconds())),
        )
    return max(now, after)


def _mark_dead(client: "MlflowClient") -> None:
    for left in list(runs(client, f"attributes.status = 'RUNNING' and tags.`{RUNS_ON}` = '{HOST}'")):
        if not alive(left.data.tags.get(PROCESS, "")):
            client.set_tag(left.info.run_id, "failure", "its process died before the run ended")
            client.set_terminated(left.info.run_id, "KILLED")
            if "mlflow.parentRunId" not in left.data.tags:
                log.warning("the run %s died before its end; it is now marked KILLED", left.info.run_name)


def _of_this_process() -> dict[str, str]:
    """The tags by which a later process finds out that this one died."""
    return {RUNS_ON: HOST, PROCESS: identity()}


def _git() -> dict[str, str]:
    """The commit, and a hash of what differs from it but in files that a run writes; empty of a clean checkout."""
    commit = _answer("rev-parse", "HEAD").strip()
    changes = _answer("diff", "HEAD", "--", ".", ":!dvc.lock") if commit else ""
    dirty = {GIT_DIRTY: hashlib.sha256(changes.encode()).hexdigest()[:_DIGITS]} if changes else {}
    return {GIT_COMMIT: commit or "not in git", **dirty}


def _answer(*arguments: str) -> str:
    answer = subprocess.run(["git", *arguments], capture_output=True, text=True, errors="replace", check=False)  # noqa: S603, S607
    return answer.stdout
