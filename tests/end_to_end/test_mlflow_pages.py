"""MLflow's pages in a real browser: each shows the numbers of estimates.csv."""

import contextlib
import json
import sqlite3
import urllib.parse
from dataclasses import dataclass, replace

import pandas as pd
import pytest
from mlflow import MlflowClient
from mlflow.entities import Metric

from tasks.track import shared_view
from tests.end_to_end.browser import CHROMIUM, keep, opened
from tests.end_to_end.conftest import Checkout
from tests.end_to_end.mlflow_pages import pages_of_mlflow

pytestmark = [
    pytest.mark.slow,
    pytest.mark.picture,
    pytest.mark.skipif(CHROMIUM is None, reason="needs the browser chromium on the PATH"),
]
PATIENCE = 120_000  # milliseconds
PORT = 5001  # tests of another process have the usual port


@dataclass(frozen=True)
class Shown:
    """The addresses of the pages, and what they are about."""

    address: str
    experiment: str
    run: str
    other: str
    winner: str
    estimates: pd.DataFrame
    checkout: Checkout


@pytest.fixture(scope="module")
def shown(validated, tmp_path_factory):
    """The run of `validated`, promoted, and a second one of the same metrics to compare it with."""
    checkout = validated.copy(tmp_path_factory.mktemp("pages") / "heldout")
    client = MlflowClient(f"sqlite:///{checkout.path}/mlruns/mlflow.db")
    experiment = client.get_experiment_by_name("heldout").experiment_id
    (parent,) = [run for run in client.search_runs([experiment]) if "mlflow.parentRunId" not in run.data.tags]
    other = client.create_run(experiment, run_name="another night").info.run_id
    client.log_batch(other, [Metric(name, value + 1, 0, 0) for name, value in parent.data.metrics.items()])
    client.set_terminated(other)
    winner = json.loads((checkout.path / "reports/selection.json").read_text())["selected"]
    estimates = pd.read_csv(checkout.path / "reports/estimates.csv").query("candidate == @winner").set_index("estimate")
    with pages_of_mlflow(checkout, port=PORT):
        yield Shown(f"http://127.0.0.1:{PORT}/#", experiment, parent.info.run_id, other, winner, estimates, checkout)


def percent(line) -> str:
    return f"{100 * line['value']:.1f} [{100 * line['low']:.1f}–{100 * line['high']:.1f}]"


def text_of(address: str, expected: str, picture: str | None = None) -> str:
    """All text of a page, once it has what is expected; its picture may be kept."""
    with opened(address, height=1400) as page:
        page.get_by_text(expected).first.wait_for(timeout=PATIENCE, state="attached")
        if picture is not None:
            keep(page, picture)
        return page.inner_text("body")


def test_the_address_that_is_printed_has_the_runs_with_their_estimates_and_no_assistant(shown):
    error = f"E_test {100 * shown.estimates['value']['E_test']:.1f} %"
    with opened(
        shown.address.removesuffix("#") + shared_view.address(shown.experiment), width=1400, height=800
    ) as page:
        page.get_by_text(error).first.wait_for(timeout=PATIENCE)
        for column in ("verdict", "E_cv", "E_test"):
            page.get_by_role("columnheader", name=column, exact=True).first.wait_for(timeout=PATIENCE)
        text = page.inner_text("body")
        line = shown.estimates.loc["E_test"]
        assert f"{100 * line['value']:.1f} % [{100 * line['low']:.1f}–{100 * line['high']:.1f}]" in text
        assert f"{line['value']:.6g}" not in text  # all digits of a metric
        assert shown.winner in text
        page.wait_for_selector("[data-assistant-ui]", state="attached", timeout=PATIENCE)
        assert [False] == [*{one.is_visible() for one in page.query_selector_all("[data-assistant-ui]")}]
        keep(page, "mlflow_runs")


def test_the_charts_of_the_list_begin_with_the_decision_of_each_run_as_a_picture(shown):
    list_of = f"{shown.address}/experiments/{shown.experiment}/runs?viewStateShareKey=heldout&compareRunsMode=CHART"
    with opened(list_of, width=1400, height=800) as page:
        page.get_by_text("Add chart").first.wait_for(timeout=PATIENCE)
        # MLflow makes an image of 256 dots for the list
        page.wait_for_function("[...document.images].some(one => one.naturalWidth > 200)", timeout=PATIENCE)
        text = page.inner_text("body")
        assert text.index("Decision\n(1)") < text.index("\ndecision\n") < text.index("Estimates\n(")
        assert "\nE_test\n" not in text  # folded: a bar has no interval
        keep(page, "mlflow_charts")


def test_the_list_calls_runs_by_the_error_to_plan_with_winner_and_data(shown):
    error = f"E_test {100 * shown.estimates['value']['E_test']:.1f} % · {shown.winner} · digits"
    text = text_of(f"{shown.address}/experiments/{shown.experiment}/runs", error)
    assert "digits (" in text  # the data set


def test_the_page_of_a_run_has_its_note_and_no_machinery(shown):
    address = f"{shown.address}/experiments/{shown.experiment}/runs/{shown.run}"
    text = text_of(address, f"Ship {shown.winner}: ", "mlflow_run")
    assert text.index("plan with") < text.index("Show more") < text.index("Metrics (")
    assert percent(shown.estimates.loc["E_cv"]) in text
    assert percent(shown.estimates.loc["E_prog"]) in text
    assert "compared" not in text.replace("ever compared on these labels", "")
    assert "rows.labeled" not in text


@pytest.mark.long
def test_a_link_of_the_note_leads_to_the_report(shown):
    with opened(f"{shown.address}/experiments/{shown.experiment}/runs/{shown.run}", height=1400) as page:
        link = page.get_by_role("link", name="report", exact=True).first  # it opens a page of its own
        link.wait_for(timeout=PATIENCE)
        page.goto(shown.address.removesuffix("#") + str(link.get_attribute("href")))
        page.get_by_text("artifacts/report.html").first.wait_for(timeout=PATIENCE)


def test_the_metrics_of_a_comparison_begin_with_the_estimates(shown):
    both = urllib.parse.quote(json.dumps([shown.run, shown.other]))
    asked = f"runs={both}&experiments={urllib.parse.quote(json.dumps([shown.experiment]))}"
    text = text_of(f"{shown.address}/compare-runs?{asked}", "E_cv_high")
    first = text.split("Show diff only\n")[2].split()  # after parameters; the page draws the first lines alone
    names = first[: [name[:1].isalpha() for name in first].index(False)]
    assert {"E_cv", "E_cv_high", "E_prog"} <= {*names}
    assert [] == [name for name in names[:8] if not name.startswith("E_")]
    for name in ("E_cv", "E_prog"):
        value = round(shown.estimates["value"][name], 3)
        assert {f"{value:g}", f"{1 + value:g}"} <= {*first}


@pytest.mark.long
def test_the_page_of_the_champion_describes_it(shown):
    text = text_of(f"{shown.address}/models/digits/versions/1", f"Ship {shown.winner}: ", "mlflow_model")
    assert percent(shown.estimates.loc["E_cv"]) in text
    assert "champion" in text


@pytest.mark.long
def test_prefects_link_to_the_run_has_the_port_at_which_the_pages_are_shown(shown):
    alone = replace(shown.checkout, own={})  # with a Prefect server of its own
    alone.flow("report")
    with contextlib.closing(sqlite3.connect(alone.path / ".prefect/prefect.db")) as database:
        found = database.execute("SELECT data FROM artifact WHERE key = 'digits-mlflow-run'").fetchall()
    ((link,),) = found
    assert f"{shown.address}/experiments/{shown.experiment}/runs/" in link
