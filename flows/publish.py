"""The outcome of a validation in Prefect's pages: in the log of the whole run, and as its artifacts."""

import logging
import re
from collections.abc import Iterator

import httpx
from prefect.artifacts import Artifact, LinkArtifact, MarkdownArtifact, TableArtifact
from prefect.exceptions import PrefectException
from prefect.runtime import flow_run

from heldout.printable import printable
from tasks.report import outcome_page
from tasks.report.sentences import sentences
from tasks.report.summary import Summary

log = logging.getLogger("heldout")

_NO_KEY = re.compile("[^a-z0-9]+")  # of an artifact, as Prefect allows it


def publish(summary: Summary, place: str, page: str, ledger: str, written: str) -> None:
    """Show the outcome on the page of the run that all stages belong to.

    `place` is where the model is in MLflow, `page` the address of its run there, `ledger` the head of the ledger of
    operations, `written` when and by which code. A server that does not take it is reported, and nothing else: the
    results are on disk.
    """
    whole = flow_run.root_flow_run_id
    named = {"flow_run_id": whole, "flow_run_name": flow_run.name, "flow_name": flow_run.flow_name}
    places = {"model": f"in MLflow {place}", "MLflow": page, **({"ledger": ledger} if ledger else {})}
    for entry in (
        outcome_page.first(summary),
        *(printable(f"{name}: {text}") for name, text in {**sentences(summary), **places}.items()),
    ):
        logging.getLogger("prefect.flow_runs").info("%s", entry, extra=named)
    try:
        for artifact in _artifacts(summary, page, written):
            artifact.flow_run_id = whole
            artifact.create(_sync=True)  # type: ignore[call-arg]  # a decorator of Prefect adds it
    except (httpx.HTTPError, PrefectException) as error:
        log.warning("Prefect's server did not take the artifacts: %s", error)


def _artifacts(summary: Summary, page: str, written: str) -> Iterator[Artifact]:
    scale = f"{summary.scale}, with intervals at {summary.level}"
    of = _NO_KEY.sub("-", summary.settings.source_name.lower()).strip("-") or "data"  # each source has its history
    yield MarkdownArtifact(
        key=f"{of}-outcome",
        description="what to ship, and what is known about it",
        markdown=outcome_page.text(summary, written),
    )
    yield TableArtifact(key=f"{of}-estimates", description=scale, table=outcome_page.rows(summary))
    if page:
        about = "the run in MLflow"
        yield LinkArtifact(key=f"{of}-mlflow-run", description=f"{about}, with its files", link=page, link_text=about)
