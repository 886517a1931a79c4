"""Report: draw the pictures, write the page, log everything to MLflow, print the table."""

from prefect import flow

from tasks import files, models, pictures, reporting, tracking
from tasks.delivery import compare_speed
from tasks.execution import RUNNER
from tasks.params import load
from tasks.summary import read_summary


@flow(name="report", task_runner=RUNNER)
def report(params: str = "params.yaml", overrides: tuple[str, ...] = ()) -> None:
    """Tell people and MLflow what was found."""
    settings = load(params, overrides)
    summary = read_summary(settings)
    pictures.draw(summary)
    reporting.write_report(summary)
    model = models.load(files.MODEL)
    winner = next(candidate for candidate in settings.candidates if candidate.name == summary.selection["selected"])
    with tracking.run(settings):
        model_address = tracking.log_outcome(settings, summary, model)
        speed = compare_speed(settings, winner, model)
        tracking.tag_speed(speed)
    reporting.print_summary(summary, model_address, speed)
