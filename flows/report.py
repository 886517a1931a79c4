"""Report: draw the pictures, write the page, log everything to MLflow, print the table."""

from flows.events import champion_decided
from flows.publish import publish
from flows.stage import stage
from tasks.fits import executor
from tasks.fits.model_process import Model, opened
from tasks.outcome.deliver import compare_speed
from tasks.params import Settings
from tasks.plans import fit_costs
from tasks.report import page, plots
from tasks.report.headline import told
from tasks.report.metrics import write_metrics
from tasks.report.note import note, run_name
from tasks.report.read_summary import read_summary
from tasks.report.summary_page import write_summary
from tasks.report.terminal_summary import print_summary
from tasks.storage import files
from tasks.track import lifecycle
from tasks.track.changed import written
from tasks.track.log_outcome import log_outcome
from tasks.track.operations_ledger import head


@stage
def report(settings: Settings) -> None:
    """Report to people and to MLflow what was found."""
    with opened(files.existing(files.MODEL), settings, "`dvc repro` writes it again") as model:
        _report(settings, model)


def _report(settings: Settings, model: Model) -> None:
    # no fit is left: its workers would wait while two models are asked in processes of their own
    executor.stop(wait=False)
    summary = read_summary(settings)
    plots.draw(summary)
    page.write_report(summary)
    write_metrics(summary)
    write_summary(summary)
    model.load()
    winner = next(candidate for candidate in settings.candidates if candidate.name == summary.selected)
    with lifecycle.run(settings):
        costs = fit_costs.of_each(settings.candidates, files.file_hash(files.LABELED))
        when = written(lifecycle.active().code)
        speed = compare_speed(settings, winner, model)
        decision, place = log_outcome(settings, summary, [run_name(summary), note(summary, when)], model, costs, when)
        estimates = summary.estimates_of(summary.selected)
        said = {"model": place, **told(summary)}
        champion_decided(settings, decision, said, dict(zip(estimates["estimate"], estimates["value"], strict=True)))
    print_summary(summary, decision, place, costs, speed, head())
    publish(summary, place, lifecycle.page(settings), head(), when)
