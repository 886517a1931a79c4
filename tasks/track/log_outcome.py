"""The outcome of a validation in MLflow: the parent run, a child run for each candidate, and the registered model."""

import io
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from heldout.fits.fit_cost import FitCost
from tasks.fits.model_process import Model
from tasks.outcome.contest import Promotion
from tasks.outcome.items import DATA_HASH, RUN_NAME, Artifact, Item, Tag
from tasks.outcome.operations import cut
from tasks.params import Settings
from tasks.report.decision_strip import decision_strip
from tasks.report.note import BETWEEN
from tasks.report.page import dated
from tasks.report.run_items import candidate_items, labeled_rows, outcome_items, version_tags
from tasks.report.summary import Summary
from tasks.storage import files
from tasks.track import lifecycle, trial
from tasks.track.changed import changed
from tasks.track.downloads import downloads
from tasks.track.experiments import show_unit
from tasks.track.ledger_tags import ledger_items
from tasks.track.operations_ledger import HEAD, head
from tasks.track.promote import promote
from tasks.track.registry import log_model, sample
from tasks.track.send import as_input
from tasks.track.shared_view import PICTURE

if TYPE_CHECKING:
    from mlflow import MlflowClient

_TIED = (files.REPORT, files.SUMMARY, files.SELECTION, files.METRICS, files.ESTIMATES)  # any of them names a report
HARD_ROWS = "hard_rows.json"
_COPY = f"{files.REPORT.name} in MLflow"
_LOST = "the store was lost during the run"


def log_outcome(
    settings: Settings,
    summary: Summary,
    headline: Iterable[Item],
    model: Model,
    costs: Mapping[str, FitCost],
    written: str,
) -> tuple[Promotion, str]:
    """Log everything on the active run and its children, the promotion last; returns it, and where the model is.

    `headline` is the name of the run and its note, `costs` are what is known of some candidates. `written`, when and by
    which code, is added to the report there.
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
    against = changed(settings, {**run.code, DATA_HASH: files.read_data_hash()}, run.before)
    run.send([*_with_change(headline, against), *outcome_items(summary), data])
    for candidate in settings.candidates:
        failed = candidate.name in summary.failures
        run.send_candidate(
            candidate.name, [*candidate_items(candidate, summary, costs.get(candidate.name)), data], failed=failed
        )
    if not (hard := summary.tables.hard_rows).empty:  # which the list of runs shows side by side
        run.ask(lambda client: client.log_table(run.run_id, hard, HARD_ROWS))
    picture = _picture(summary)
    run.ask(lambda client: client.log_image(run.run_id, picture, key=PICTURE, synchronous=True))
    run.ask(lambda client: show_unit(client, run.experiment, summary.loss))
    with downloads() as folder:
        copy = folder / files.REPORT.name
        files.write_text(copy, dated(files.REPORT.read_text(encoding="utf-8"), summary, written))
        run.send([Artifact(copy)])
        run.enter(settings, "reported", _reported(summary, {_COPY: files.file_hash(copy)}))
    run.send([Tag(HEAD, head())])

    advice = summary.decision
    stopped = advice.advice if advice.verdict == "not_yet" else ""

    def promoted(client: "MlflowClient") -> tuple[Promotion, str]:
        info = log_model(client, model, sample(), run.run_id, winner.name)
        told = version_tags(winner, summary)
        return promote(client, settings, winner, model, info, told, stopped, anyway=trial.promotes_anyway())

    decision, place = run.ask(promoted) or (Promotion("no", _LOST, trial=True), "not yet")
    if not decision.compared:
        run.uncompared = decision.reason
    return decision, place


def _picture(summary: Summary) -> Any:
    """The decision strip as MLflow's charts show it: an array of colours, shape (height, width, 4)."""
    from matplotlib.image import imread

    from heldout.display import strip_picture

    png, _ = strip_picture.draw(decision_strip(summary), narrow=True).png()
    return imread(io.BytesIO(png))


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


def _reported(summary: Summary, more: Mapping[str, str]) -> dict[str, Any]:
    """What ties the report to the ledger: the hashes of its files, and of some `more`, and what it says."""
    return {
        "files": {**{path.name: files.file_hash(path) for path in _TIED}, **more},
        "winner": cut(summary.selected),
        "compared": summary.selection["contamination"],
        "E_test": summary.selection["E_test"],
    }
