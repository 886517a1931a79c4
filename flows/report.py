"""Report: draw the pictures, write the page, log everything to MLflow, print the table."""

from prefect import flow

from tasks import files, models, pictures, reporting, tracking
from tasks.params import load
from tasks.summary import read_summary


@flow(name="report")
def report(params: str = "params.yaml", overrides: tuple[str, ...] = ()) -> None:
    """Tell people and MLflow what was found."""
    settings = load(params, overrides)
    summary = read_summary(settings)
    pictures.draw(summary)
    reporting.write_report(summary)
    with tracking.run(settings):
        model_address = tracking.log_outcome(settings, summary, models.load(files.MODEL))
    reporting.print_summary(summary, model_address)
