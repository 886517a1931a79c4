"""What Prefect knows of a run: names, tags, one parent, the outcome as artifacts and in the log; and of a mistake."""

import json
import sqlite3
from dataclasses import dataclass

import pandas as pd
import pytest

pytestmark = pytest.mark.slow
STAGES = ["prepare", "fit", "select", "report"]
RUNS = """
SELECT run.name, flow.name, run.tags, run.state_type, state.message, above.flow_run_id, run.id
FROM flow_run run JOIN flow ON flow.id = run.flow_id JOIN flow_run_state state ON state.id = run.state_id
LEFT JOIN task_run above ON above.id = run.parent_task_run_id ORDER BY run.created
"""


@dataclass(frozen=True)
class Run:
    """A flow run in Prefect's database."""

    name: str
    flow: str
    tags: str
    state: str
    message: str | None
    parent: str | None
    id: str


class Records:
    """Prefect's database."""

    def __init__(self, home) -> None:
        self._place = f"file:{home}/prefect.db?mode=ro"

    def ask(self, query: str, *values: str) -> list[tuple]:
        with sqlite3.connect(self._place, uri=True) as database:
            return database.execute(query, values).fetchall()

    def runs(self) -> list[Run]:
        return [Run(*line) for line in self.ask(RUNS)]

    def log(self, run: Run) -> str:
        return "\n".join(line for (line,) in self.ask("SELECT message FROM log WHERE flow_run_id = ?", run.id))

    def artifacts(self, run: Run) -> dict[str, object]:
        found = self.ask(
            "SELECT key, CAST(data AS TEXT) FROM artifact WHERE flow_run_id = ? AND key IS NOT NULL", run.id
        )
        return {key: json.loads(data) for key, data in found}


@pytest.fixture(scope="module")
def records(reproduced):
    return Records(reproduced.path / ".prefect")


def test_the_stages_of_a_repro_are_below_one_run_and_each_has_a_name_and_tags(records):
    whole, *stages = records.runs()[: 1 + len(STAGES)]
    assert ("digits · dvc repro · seed 0", "COMPLETED", None) == (whole.name, whole.state, whole.parent)
    assert [f"digits · {stage} · seed 0" for stage in STAGES] == [stage.name for stage in stages]
    assert {(whole.id, "COMPLETED")} == {(stage.parent, stage.state) for stage in stages}
    assert [{"digits", "dvc"}] * (1 + len(STAGES)) == [{*json.loads(run.tags)} for run in (whole, *stages)]


def test_the_page_of_a_run_has_the_numbers_the_sentences_and_the_way_to_mlflow(records, reproduced):
    whole = records.runs()[0]
    found, log = records.artifacts(whole), records.log(whole)
    assert {"digits-outcome", "digits-estimates", "digits-mlflow-run"} == {*found}
    found = {name.removeprefix("digits-"): data for name, data in found.items()}
    table = found["estimates"] if isinstance(found["estimates"], list) else json.loads(found["estimates"])
    shown = {line["candidate"].removesuffix(" (selected)"): line for line in table}
    estimates = pd.read_csv(reproduced.path / "reports/estimates.csv").dropna(subset="low")
    for line in estimates[estimates["estimate"] == "E_cv"].itertuples():
        assert f"{100 * line.value:.1f} [{100 * line.low:.1f}–{100 * line.high:.1f}]" == shown[line.candidate]["E_cv"]
    selection = json.loads((reproduced.path / "reports/selection.json").read_text())
    assert f"{selection['advice']}\n{selection['others']}\n" in log
    text = found["outcome"].replace("\\", "")
    assert text.startswith(f"# {selection['advice']}\n")
    assert all(f"\n{name} " in text for name in ("E_cv", "E_test", "others"))  # the strip
    assert "http://127.0.0.1:5000/#/experiments/" in found["mlflow-run"]
    assert "http://127.0.0.1:5000/#/experiments/" in log


def test_a_mistake_is_one_message_in_the_state_and_in_the_log_and_no_traceback(clone, server):
    said = clone(server).flow("prepare", "--set", "split.folds=700", check=False)
    assert 2 == said.returncode
    records = Records(server.folder)
    run = records.runs()[-1]
    assert ("digits · prepare · seed 0", "FAILED") == (run.name, run.state)
    assert said.stderr == f"error: {run.message}\n"
    log = records.log(run)
    assert run.message in log
    assert "Traceback" not in log
    assert "UserError" not in log
