"""The end of a night in the store: its entry in the ledger, and the morning that is read from all entries."""

import contextlib
import shutil
import stat
from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from heldout import digests
from tasks.outcome.items import Artifact
from tasks.outcome.nights import NIGHT, Morning, Unit, morning, night_said, shown_day
from tasks.outcome.operations import Of, cut
from tasks.params import Settings
from tasks.plans.read_design import read_design
from tasks.storage import files, fit_cache
from tasks.track import known_store, operations_ledger
from tasks.track.data_source import source_of
from tasks.track.experiments import find
from tasks.track.ledger_tags import KEY, PARENT, may_live
from tasks.track.lifecycle import TRIAL, pages
from tasks.track.registry import slug
from tasks.track.send import page_of, send
from tasks.track.store import artifact_folder, connect, database

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Run

_PREFECT = Path(".prefect")
_DVC = Path(".dvc/cache/files/md5")
_DATABASE = "prefect.db*"  # with the files next to it that SQLite has while it is open
_RUNS_A_PAGE = 100
FOLDER = "morning"  # of the ledger's run: a page for each registered name and source


def of_settings(settings: Settings) -> Of:
    """Whose nights these are."""
    return Of.made(settings.registered_model, source_of(settings))


def enter_night(settings: Settings, run_id: str, seconds: float, failed: str = "") -> None:
    """Add the entry of a night that ended: `run_id` is its run, empty if it had none, `failed` why it ended early."""
    client = connect(settings)
    if failed and known_store.refused(settings, operations_ledger.entries(client)):
        return  # nothing is entered into a store that is not that of the nights before
    run = client.get_run(run_id).data.tags.get(KEY, run_id) if run_id else ""
    more = {} if failed else {"rows": _rows(), "unit": _unit(settings)}
    sizes, free = dict(_sizes(settings)), shutil.disk_usage(Path()).free
    why = failed if failed == cut(failed) else f"{cut(failed)[:-1]}…"
    said = night_said(of_settings(settings), run, seconds, sizes, free, failed=why, **more)  # type: ignore[arg-type]
    operations_ledger.append(client, settings, NIGHT, said)
    if not failed:
        known_store.remember(settings, operations_ledger.entries(client))


def read_morning(settings: Settings) -> Morning:
    """What the store says now; without a night where there is no store yet.

    Raises UserError, or what MLflow raises, if the store does not answer.
    """
    of, now = of_settings(settings), datetime.now(UTC)
    path = database(settings)
    if path is not None and not path.exists():
        return morning((), of, now, lost=known_store.lost(settings, ()))
    client = connect(settings)
    entries = operations_ledger.entries(client)
    ended = {entry.said["run"] for entry in entries if entry.kind == NIGHT}
    lost, faults = known_store.lost(settings, entries), operations_ledger.faults(client, of)
    return morning(entries, of, now, unended=_unended(client, settings, ended), lost=lost, faults=faults)


def keep_page(settings: Settings) -> str:
    """Put the page into the store, in the place of the one before; returns its address in MLflow's pages.

    The ledger's run has it, so that there is one, and not one for each night.
    """
    client = connect(settings)
    run = operations_ledger.run_of(client)
    if run is None:
        return ""
    of = of_settings(settings)
    folder = f"{FOLDER}/{slug(of.name)}-{digests.content_hash(of.name, of.source)[:8]}"
    send(client, run.info.run_id, [Artifact(files.HISTORY, folder)])
    return f"{pages(settings)}/{page_of(client, run.info.run_id)}/artifacts/{folder}/{files.HISTORY.name}"


def _rows() -> int:
    """The labelled rows of the table, those of the test set too."""
    rows = files.read_json(files.SELECTION)["rows"]
    return int(rows["labeled"]) + int(rows["test"])


def _unit(settings: Settings) -> Unit:
    loss = read_design(settings).loss
    return Unit(loss.binary, loss.power, cut(loss.mean_called), cut(loss.shown_as))


def _sizes(settings: Settings) -> Iterator[tuple[str, int]]:
    """Bytes of what grows on this machine; a database or a bucket elsewhere has no size here."""
    path = database(settings)
    if path is not None:
        yield "MLflow", _bytes(path.parent.glob(f"{path.name}*"))
    for name, found in (
        ("artifacts", artifact_folder(settings).rglob("*")),
        ("Prefect", _PREFECT.glob(_DATABASE)),
        ("DVC", _DVC.rglob("*")),
        ("fits", fit_cache.FOLDER.rglob("*")),
    ):
        if size := _bytes(found):
            yield name, size


def _bytes(found: Iterable[Path]) -> int:
    total = 0
    for path in found:
        with contextlib.suppress(OSError):  # removed meanwhile
            status = path.lstat()
            total += status.st_size if stat.S_ISREG(status.st_mode) else 0
    return total


def _unended(client: "MlflowClient", settings: Settings, ended: Collection[str]) -> tuple[str, str]:
    """The time and the status of the newest run that may promote, if it is over and no entry says how it ended."""
    newest = next(_nights(client, settings), None)
    if newest is None or newest.data.tags.get(KEY) in ended or newest.info.status == "FINISHED":
        return "", ""
    if newest.info.status == "RUNNING" and may_live(newest.data.tags):
        return "", ""
    began = datetime.fromtimestamp(newest.info.start_time / 1000, UTC)
    return shown_day(began), "its process died" if newest.info.status == "RUNNING" else newest.info.status


def _nights(client: "MlflowClient", settings: Settings) -> "Iterator[Run]":
    """The runs of the data source that may promote, the newest first."""
    experiment = find(client, settings)
    token = None
    while experiment is not None:
        order = ["attributes.start_time DESC"]
        page = client.search_runs([experiment], max_results=_RUNS_A_PAGE, order_by=order, page_token=token)
        yield from (run for run in page if PARENT not in run.data.tags and TRIAL not in run.data.tags)
        if not (token := page.token):
            return
