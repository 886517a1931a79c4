"""The page of the morning: in a real browser over a quarter in a real store, and as real nights leave it."""

import re
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest
from axe_playwright_python.sync_playwright import Axe
from mlflow import MlflowClient

from tasks.outcome.nights import morning
from tasks.params import load
from tasks.report import history_page
from tasks.track import operations_ledger
from tasks.track.morning import read_morning
from tasks.track.store import connect
from tests import nights
from tests.end_to_end.browser import CHROMIUM, keep, opened
from tests.end_to_end.conftest import ROOT
from tests.end_to_end.report_layout import (
    COLLIDING,
    CUT_OFF,
    OPEN_ALL,
    SCREEN,
    TOO_WIDE,
    WIDER_THAN_THEIR_PLACE,
    height,
)

needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="needs the browser chromium on the PATH")
SHADES = """['backgroundColor', 'color'].map(name => {
    const parts = getComputedStyle(document.body)[name].match(/\\d+/g).slice(0, 3).map(Number);
    return parts.reduce((sum, part) => sum + part, 0) / 765; })"""
SHOWN = "[...document.querySelectorAll('svg')].filter(one => one.checkVisibility())"
SMALLEST = f"""Math.min(...{SHOWN}.flatMap(svg => [...svg.querySelectorAll('text')]).map(one =>
    parseFloat(getComputedStyle(one).fontSize) * Math.hypot(one.getScreenCTM().a, one.getScreenCTM().b)))"""


def told(append) -> None:
    """90 nights, at whose end a batch is held back and an alarm is raised, and the last of which failed."""
    nights.quarter(append)
    why = ["the champion errs 39 % on it, 14 % before"]
    append("batch", nights.OF.said(run="run90", rows=120, verdict="held", reasons=why), nights.at(90, -0.2))
    nights.ended(append, 90, failed="data.target is 'left', which is no column of data/raw/churn.csv")
    alarm = ["monday: the rows are distributed otherwise than those of the reference: age is greater"]
    append("watched", nights.OF.said(model="churn/1", shards=90, raised=True, alarms=alarm), nights.at(90, 0.2))


NOW = nights.at(90, 1)


@pytest.fixture(scope="module")
def quarter(tmp_path_factory):
    """The page of a quarter."""
    made = nights.Chain()
    told(made.append)
    path = tmp_path_factory.mktemp("quarter") / "history.html"
    path.write_text(history_page.page(morning(made.entries, nights.OF, NOW)), encoding="utf-8")
    return path


def violations(page):
    return [
        (one["id"], [node["html"][:120] for node in one["nodes"]]) for one in Axe().run(page).response["violations"]
    ]


@pytest.mark.slow
@pytest.mark.picture
@needs_browser
def test_a_quarter_is_one_screen_with_the_first_line_first_and_hints_for_each_night(quarter):
    with opened(quarter.as_uri(), width=1400, height=SCREEN) as page:
        keep(page, "history")
        assert height(page) <= SCREEN
        assert page.inner_text("h1").startswith("Look: ")
        assert violations(page) == []
        assert [] == page.evaluate(CUT_OFF) + page.evaluate(COLLIDING)
        assert page.evaluate(SMALLEST) >= 11.5
        assert 91 == page.locator("svg .hint").locator("visible=true").count()
        page.evaluate(OPEN_ALL)
        assert violations(page) == []
        assert 91 == page.locator("tbody tr").count()


@pytest.mark.long
@needs_browser
@pytest.mark.parametrize("width", [390, 700, 1000])
def test_at_no_width_one_scrolls_sideways_or_meets_letters_that_are_too_small(quarter, width):
    with opened(quarter.as_uri(), width=width, height=844) as page:
        page.evaluate(OPEN_ALL)
        assert page.evaluate(TOO_WIDE) <= 0
        assert [] == page.evaluate(WIDER_THAN_THEIR_PLACE)
        assert [] == page.evaluate(CUT_OFF) + page.evaluate(COLLIDING)
        assert page.evaluate(SMALLEST) > 8.5
        assert violations(page) == []


@pytest.mark.long
@needs_browser
def test_in_the_dark_it_is_dark_and_on_paper_one_light_page(quarter):
    with opened(quarter.as_uri(), width=1400, height=SCREEN, color_scheme="dark") as page:
        background, letters = page.evaluate(SHADES)
        assert background < 0.2 < 0.8 < letters
        assert violations(page) == []
        page.emulate_media(media="print")
        background, letters = page.evaluate(SHADES)
        assert letters < 0.2 < 0.8 < background
        assert 1 == page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n")


@pytest.mark.long
def test_a_real_store_that_took_the_entries_one_by_one_gives_the_same_page(quarter, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a store is below the present folder
    source = ["data.source=data/raw/churn.csv", "data.target=left", "data.positive=null"]
    settings = load(ROOT / "params.yaml", [*source, f"tracking.uri=sqlite:///{tmp_path}/mlflow.db"])
    client = connect(settings)

    def append(kind, said, time) -> int:
        monkeypatch.setattr(operations_ledger, "_now", lambda: time.isoformat(timespec="milliseconds"))
        return operations_ledger.append(client, settings, kind, said).number

    told(append)
    made = replace(read_morning(settings), now=NOW)
    assert made.of == nights.OF
    # no night came since, and the store has entries but no models
    matters = [one for one in made.matters if "no night" not in one.what and "models:/" not in one.what]
    whole = history_page.page(replace(made, matters=matters))
    numbers = re.compile(r"(?<=batch )\d+|(?<=--release )\d+|(?<=--drop )\d+|(?<=operations: )\d+")
    assert numbers.sub("", quarter.read_text(encoding="utf-8")) == numbers.sub("", whole)


def artifacts(database) -> list[str]:
    with closing(sqlite3.connect(database)) as found:
        return [text for (text,) in found.execute("SELECT data FROM artifact WHERE key = 'morning' ORDER BY created")]


@pytest.mark.slow
def test_a_night_leaves_its_page_in_reports_in_mlflow_and_in_prefect(validated, server):
    page = (validated.path / "reports/history.html").read_text()
    assert "<h1>Nothing to do.</h1>" in page
    assert "version 1" in page
    client = MlflowClient(f"sqlite:///{validated.path}/mlruns/mlflow.db")
    (ledger,) = client.search_runs([client.get_experiment_by_name("heldout ledger").experiment_id])
    (kept,) = (validated.path / "mlruns/artifacts").rglob(f"{ledger.info.run_id}/artifacts/morning/*/history.html")
    assert page == kept.read_text()
    assert any("Nothing to do" in told and "sklearn:digits" in told for told in artifacts(server.folder / "prefect.db"))
    assert "up to date" in validated.run("dvc", "status").stdout


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_nights_that_end_well_or_fail_or_die_are_what_the_command_says(clone, write_params):
    checkout = clone()
    params = checkout.path / "params.yaml"
    write_params(params)
    none = checkout.flow("history", check=False)
    assert (3, True) == (none.returncode, none.stdout.startswith("Look: no night has run yet; run the first: "))
    assert not (checkout.path / "mlruns/mlflow.db").exists()
    checkout.flow("validate")  # by hand: no night
    assert "no champion, 0 nights" in words(checkout.flow("history", check=False))
    said = checkout.flow("validate", "--promote").stdout
    assert "Nothing to do (all nights: reports/history.html, in MLflow http://127.0.0.1:5000/#/experiments/" in said
    assert " 1 night (sklearn:digits" in words(checkout.flow("history"))
    greedy = {"estimator": "sklearn.neighbors.KNeighborsClassifier", "params": {"n_neighbors": 1000}}
    bad = write_params(checkout.path / "bad.yaml", candidates=[{"name": "greedy", **greedy}])
    failed = checkout.flow("validate", "--promote", "--params", bad, check=False)
    assert 2 == failed.returncode
    told = checkout.flow("history", check=False)
    assert 3 == told.returncode
    assert told.stdout.startswith("Look: the night of ")
    assert "failed: candidates: greedy failed" in words(told)
    process = checkout.start("python", "-m", "flows", "validate", "--promote")
    checkout.wait_until(lambda: running(checkout), process, 300)
    process.kill()
    process.wait()
    checkout.wait_until(lambda: not checkout.processes())
    told = checkout.flow("history", check=False)
    assert (3, True) == (told.returncode, "did not end" in words(told))
    checkout.flow("validate", "--promote")
    told = checkout.flow("history")
    assert "Nothing to do." == told.stdout.partition("\n")[0]
    assert " 3 nights (sklearn:digits" in words(told)
    assert "verified: nothing was removed" in checkout.flow("verify").stdout
    checkout.run("dvc", "repro")
    assert (checkout.path / "reports/history.html").exists()


def words(ran) -> str:
    """What it printed, without the ends of its lines."""
    return " ".join(ran.stdout.split())


def running(checkout) -> bool:
    with closing(sqlite3.connect(checkout.path / "mlruns/mlflow.db")) as found:
        return bool(found.execute("SELECT count(*) FROM runs WHERE status = 'RUNNING'").fetchone()[0])
