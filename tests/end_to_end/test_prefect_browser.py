"""Prefect's pages in a real browser: the run, its artifacts, the form of the deployment."""

import json
import os
import signal
import socket
import sqlite3
import tomllib

import pandas as pd
import pytest

from tests.end_to_end.browser import CHROMIUM, keep, opened

PAGES = "http://127.0.0.1:4200"
READY = f"PREFECT_API_URL={PAGES}/api"
PATIENCE_SECONDS, STOP_SECONDS, PAGE_MILLISECONDS = 500, 60, 60_000


@pytest.mark.long
@pytest.mark.picture
@pytest.mark.timeout(1200)
@pytest.mark.skipif(CHROMIUM is None, reason="needs the browser chromium on the PATH")
def test_the_pages_show_the_outcome_the_numbers_and_a_form_with_choices(clone, write_params, tmp_path):
    for port in (4200, 5000):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                pytest.skip(f"port {port} is taken")
    checkout, said = clone(), tmp_path / "said.txt"
    write_params(checkout.path / "params.yaml")
    with said.open("w") as file:
        process = checkout.start("python", "-m", "flows.serve", stdout=file, stderr=file)
        try:
            checkout.wait_until(lambda: READY in said.read_text().splitlines(), process, PATIENCE_SECONDS)
            checkout.run("prefect", "deployment", "run", "validate/nightly-validation", "--watch")
            wrong = ("validate/nightly-validation", "--watch", "-p", 'changes={"folds": 700}')
            assert "Failed" in checkout.run("prefect", "deployment", "run", *wrong, check=False).stdout
            look(checkout)
            os.kill(process.pid, signal.SIGINT)
            assert 0 == process.wait(STOP_SECONDS)
        finally:
            for left in [process, *checkout.processes()]:
                left.kill()
    assert "Traceback" not in said.read_text()


def look(checkout) -> None:
    """Open each page, and find what belongs there."""
    selection = json.loads((checkout.path / "reports/selection.json").read_text())
    table = pd.read_csv(checkout.path / "reports/estimates.csv").dropna(subset="low")
    profile = tomllib.loads((checkout.path / ".prefect/profiles.toml").read_text())["profiles"]["heldout"]
    with sqlite3.connect(f"file:{checkout.path}/.prefect/prefect.db?mode=ro", uri=True) as database:
        query = "SELECT state_type, id FROM flow_run WHERE deployment_id IS NOT NULL"
        runs = dict(database.execute(query).fetchall())
        named = "SELECT id FROM flow_run WHERE name = 'digits · fit · seed 0'"
        (fits, *_) = [one for (one,) in database.execute(named)]
        artifacts = dict(database.execute("SELECT key, id FROM artifact WHERE key IS NOT NULL").fetchall())
        ((deployment,),) = database.execute("SELECT id FROM deployment WHERE name = 'nightly-validation'").fetchall()
    with opened(width=1400, height=1000) as page:
        page.set_default_timeout(PAGE_MILLISECONDS)

        def find(path: str, *texts: str) -> None:
            page.goto(f"{PAGES}{path}")
            for text in texts:
                page.get_by_text(text).first.wait_for()

        page.goto(PAGES)
        page.locator("input[type=password]").fill(profile["PREFECT_API_AUTH_STRING"])
        page.keyboard.press("Enter")
        page.get_by_text("Deployments").first.wait_for()
        headline = f"Ship {selection['selected']}: "
        find(f"/runs/flow-run/{runs['COMPLETED']}", "digits · validate · seed 0", "deployment", headline)
        assert f"E_test{' ' * 3}" in page.inner_text("body")  # the strip, in the first of our lines in the log
        keep(page, "prefect_run")
        find(f"/runs/flow-run/{fits}", "digits · fit · seed 0")  # its bars are drawn, without texts
        find(f"/runs/flow-run/{runs['FAILED']}", "split.folds is 700; it must lie between 2 and 120")
        find(f"/artifacts/artifact/{artifacts['digits-outcome']}", headline)
        of_E_cv = table[table["estimate"] == "E_cv"].itertuples()
        cells = [f"{100 * line.value:.1f} [{100 * line.low:.1f}–{100 * line.high:.1f}]" for line in of_E_cv]
        find(f"/artifacts/artifact/{artifacts['digits-estimates']}", f"{selection['selected']} (selected)", *cells)
        find(f"/deployments/deployment/{deployment}/run", "as in params.yaml", "number of folds of cross-validation")
        keep(page, "prefect_form")
        page.get_by_text("No items selected").click()
        page.keyboard.press("ArrowDown")
        page.get_by_text("neighbours").first.wait_for()
