"""The outcome of a validation in MLflow: the parent run, a child run for each candidate, and the registered model."""

import warnings
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from tasks.fits.model_process import Model
from tasks.outcome.contest import Promotion
from tasks.outcome.items import RUN_NAME, Item, Tag
from tasks.outcome.operations import cut
from tasks.params import Settings
from tasks.report.note import BETWEEN
from tasks.report.run_items import candidate_items, labeled_rows, outcome_items, version_tags
from tasks.report.summary import Summary
from tasks.storage import files
from tasks.track import lifecycle
from tasks.track.changed import changed
from tasks.track.experiments import show_unit
from tasks.track.ledger_tags import ledger_items
from tasks.track.operations_ledger import HEAD, head
from tasks.track.promote import promote
from tasks.track.registry import log_model, sample
from tasks.track.send import as_input

if TYPE_CHECKING:
    from mlflow import MlflowClient

_TIED = (files.REPORT, files.SUMMARY, files.SELECTION, files.METRICS, files.ESTIMATES)  # any of them names a report
HARD_ROWS = "hard_rows.json"
_LOST = "the store was lost during the run"


def log_outcome(
    settings: Settings, summary: Summary, headline: Iterable[Item], model: Model, speed: object | None
) -> tuple[Promotion, str]:
    """Log everything on the active run and its children, the promotion last; returns it, and where the model is.

    `headline` is the name of the run and its note.
    """
    # hints about integer columns and about two equal kinds of source, which no user can act upon
    warnings.filterwarnings("ignore", category=UserWarning, module=r"mlflow\.")
    run = lifecycle.active()
    winner = next(candidate for candidate in settings.candidates if candidate.name == summary.selected)
    if not run.has_entered("compared"):  # `select` ran before this run, which reports it again
        compared = [candidate for candidate in settings.candidates if candidate.name not in summary.failures]
        data_hash, seen, opened = (
            files.read_data_hash(),
            files.read_seen_rows(),
            summary.selection["E_test"] is not None,
        )
        run.send(ledger_items(settings, data_hash, seen, winner, compared, test_opened=opened))
        run.enter(settings, "compared", {"compared": summary.selection["contamination"], "again": True})
    data = as_input(labeled_rows(settings))
    against = changed(settings, {**run.code, "data_hash": files.read_data_hash()}, run.before)
    run.send([*_with_change(headline, against), *outcome_items(summary, speed), data])
    for candidate in settings.candidates:
        failed = candidate.name in summary.failures
        run.send_candidate(candidate.name, [*candidate_items(candidate, summary), data], failed=failed)
    if not (hard := summary.tables.hard_rows).empty:  # which the list of runs shows side by side
        run.ask(lambda client: client.log_table(run.run_id, hard, HARD_ROWS))
    run.ask(lambda client: show_unit(client, run.experiment, summary.loss))
    run.enter(settings, "reported", _reported(summary))
    run.send([Tag(HEAD, head())])

    advice = summary.decision
    stopped = advice.advice if advice.verdict == "not_yet" else ""

    def promoted(client: "MlflowClient") -> tuple[Promotion, str]:
        info = log_model(client, model, sample(), run.run_id, winner.name)
        return promote(client, settings, winner, model, info, version_tags(winner, summary), stopped)

    decision, place = run.ask(promoted) or (Promotion("no", _LOST, trial=True), "not yet")
    if not decision.compared:
        run.uncompared = decision.reason
    return decision, place


def _with_change(headline: Iterable[Item], against: str) -> Iterator[Item]:
    """The headline; what changed against the run before is in the name, before its last part, the data; and a tag."""
    if not against:
        yield from headline
        return
    for item in headline:
        if isinstance(item, Tag) and item.name == RUN_NAME:
            first, between, source = item.value.rpartition(BETWEEN)
            yield Tag(item.name, f"{first}{between}{against}{BETWEEN}{source}")
        else:
            yield item
    yield Tag("changed", against)


def _reported(summary: Summary) -> dict[str, Any]:
    """What ties the report to the ledger: the hashes of its files, and what it says."""
    return {
        "files": {path.name: files.file_hash(path) for path in _TIED},
        "winner": cut(summary.selected),
        "compared": summary.selection["contamination"],
        "E_test": summary.selection["E_test"],
    }
