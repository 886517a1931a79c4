"""Prefect plans a run for each schedule of prefect.yaml, with the libraries of requirements.lock.

Two of them stopped that without a word in the terminal: SQLAlchemy 2.1 with Prefect 3.8.8, whose insertion it refused;
whenever 0.10.5 with Prefect 3.9.1, whose cron times it refused before Python 3.13.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PROGRAM = """
import asyncio, json, sys
from datetime import timedelta

import sqlalchemy as sa
from prefect.server import models
from prefect.server.database import provide_database_interface
from prefect.server.schemas.core import Deployment, DeploymentSchedule, Flow
from prefect.server.schemas.schedules import CronSchedule, IntervalSchedule
from prefect.server.services.scheduler import schedule_deployments


def schedule(interval=None, **cron):
    made = IntervalSchedule(interval=timedelta(seconds=interval)) if interval else CronSchedule(**cron)
    return DeploymentSchedule(schedule=made, active=True)


async def planned(written):
    db = provide_database_interface()
    seen, tables = set(), db.Base.metadata.tables.values()
    for table, index in [(table, index) for table in tables for index in table.indexes]:
        table.indexes -= {index} if index.name in seen else set()  # declared for each database that Prefect knows
        seen.add(index.name)
    async with (await db.engine()).begin() as connection:
        await connection.run_sync(db.Base.metadata.create_all)
    ids = {}
    async with db.session_context(begin_transaction=True) as session:
        flow = await models.flows.create_flow(session=session, flow=Flow(name="flow"))
        for name, schedules in written.items():
            new = Deployment(name=name, flow_id=flow.id, schedules=[schedule(**each) for each in schedules])
            ids[name] = (await models.deployments.create_deployment(session=session, deployment=new)).id
    await schedule_deployments()
    async with db.session_context() as session:
        runs = (await session.execute(sa.select(db.FlowRun.deployment_id, db.FlowRun.state_type))).all()
    return {name: [state for of, state in runs if of == one] for name, one in ids.items()}


print(json.dumps(asyncio.run(planned(json.loads(sys.argv[1])))))
"""


@pytest.mark.slow
@pytest.mark.fault("schedule")
def test_a_run_of_each_schedule_is_planned(tmp_path):
    written = yaml.safe_load((ROOT / "prefect.yaml").read_text(encoding="utf-8"))["deployments"]
    schedules = {
        one["name"]: [{key: value for key, value in each.items() if key != "active"} for each in one["schedules"]]
        for one in written
    }
    address = {"PREFECT_API_DATABASE_CONNECTION_URL": f"sqlite+aiosqlite:///{tmp_path}/prefect.db"}
    environment = {**os.environ, "PREFECT_HOME": str(tmp_path), **address}
    command = [sys.executable, "-c", PROGRAM, json.dumps(schedules)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    planned = json.loads(done.stdout.splitlines()[-1])
    assert {*schedules} == {*planned}
    for states in planned.values():
        assert {"SCHEDULED"} == {*states}
