"""Report: draw the pictures, write the page, log everything to MLflow, print the table."""

from flows.stage import stage
from tasks.outcome.deliver import compare_speed
from tasks.params import Settings
from tasks.report import plots, render
from tasks.report.summary import read_summary
from tasks.storage import files, model_file
from tasks.track import mlflow_runs


@stage
def report(settings: Settings) -> None:
    """Tell people and MLflow what was found."""
    summary = read_summary(settings)
    plots.draw(summary)
    render.write_report(summary)
    model = model_file.load(files.MODEL)
    winner = next(candidate for candidate in settings.candidates if candidate.name == summary.selection["selected"])
    with mlflow_runs.run(settings):
        model_address = mlflow_runs.log_outcome(settings, summary, model)
        speed = compare_speed(settings, winner, model)
        mlflow_runs.tag_speed(speed)
    render.print_summary(summary, model_address, speed)
