"""Tables as companies export them, with several traps each, through the whole of init: all that is expected is said."""

from pathlib import Path

import pytest

from studies.company_tables import company_tables
from tasks.init import start
from tasks.params import load
from tasks.storage import dvc_commands, findings
from tests.variants import some

TABLES = {table.name: table for table in company_tables()}
NAMES = (
    "subscriptions, with files of open rows",
    "machines, with units and -999",
    "leads, the open ones without a label",
    "churn, months of customers",
    "stays, with the day of discharge",
)


@pytest.mark.parametrize("name", some(NAMES, NAMES[0]))
def test_what_a_careful_reader_would_ask_about_is_said_and_no_other_alarm(name, monkeypatch):
    monkeypatch.setattr(dvc_commands, "track", lambda paths: None)
    table = TABLES[name]
    path, shards = table.write(Path("given"))
    lines = start.initialize(str(path), table.target, None if shards is None else str(shards), Path.cwd())
    unseen = [one.trap for one in table.expected if not any(one.is_met_by(line) for line in lines)]
    assert ([] if name != "stays, with the day of discharge" else ["patients repeat"]) == unseen
    alarms = [f"{one.topic} {one.line}" for one in findings.read(load("params.yaml")).findings if one.open]
    assert [] == [alarm for alarm in alarms if not any(one.is_met_by(alarm) for one in table.expected)]
