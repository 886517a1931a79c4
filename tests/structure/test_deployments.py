"""prefect.yaml: what each deployment promises, and when it runs."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WRITTEN = yaml.safe_load((ROOT / "prefect.yaml").read_text(encoding="utf-8"))["deployments"]
CRONS = {deployment["name"]: each for deployment in WRITTEN for each in deployment["schedules"] if "cron" in each}
STEPS = {"nightly-validation": timedelta(days=1), "weekly-study": timedelta(days=7)}


def test_each_deployment_has_a_limit_a_timeout_and_a_schedule_that_is_off():
    for deployment in WRITTEN:
        assert {"limit": 1, "collision_strategy": "CANCEL_NEW"} == deployment["concurrency_limit"]
        assert deployment["timeout_seconds"] > 0
        assert {"params", "overrides"} <= {*deployment["parameters"]}
        assert [False] == [schedule["active"] for schedule in deployment["schedules"]]


def test_the_runner_keeps_its_files_in_the_checkout_and_none_in_a_shared_folder(tmp_path, monkeypatch):
    from prefect.runner import Runner

    from flows.deployments import own_runner

    monkeypatch.chdir(tmp_path)
    shared, own = Runner(name="heldout"), own_runner()
    assert [name for name, value in vars(shared).items() if "runner_storage" in str(value)] == ["_tmp_dir"]
    assert own._tmp_dir.is_relative_to(tmp_path / ".cache")
    assert not any("runner_storage" in str(value) for value in vars(own).values())
    assert (tmp_path / ".cache").stat().st_mode & 0o077 == 0


@pytest.mark.slow
@pytest.mark.fault("schedule")
@pytest.mark.parametrize("name", STEPS)
def test_each_night_has_one_run_whatever_the_clocks_do(name):
    from prefect.server.schemas.schedules import CronSchedule

    schedule = CronSchedule(cron=CRONS[name]["cron"], timezone=CRONS[name]["timezone"])
    begin = datetime(2027, 12, 1, tzinfo=UTC)  # 29 February 2028, and two changes of the hour in most zones

    def dates(start):
        return asyncio.run(schedule.get_dates(n=366 * timedelta(days=1) // STEPS[name], start=start))

    found = dates(begin)
    seconds = [date.timestamp() for date in found]
    assert {STEPS[name].total_seconds()} == {
        later - earlier for earlier, later in zip(seconds, seconds[1:], strict=False)
    }
    assert {*found[1:-1]} <= {*dates(begin + STEPS[name])}  # a clock that is set plans the same times again


@pytest.mark.slow
def test_nothing_that_computes_is_tried_again():
    from flows.deployments import Deployment
    from flows.reach_store import reach_store
    from tasks.fits import fan_out

    flows = [Deployment.model_validate(deployment).flow() for deployment in WRITTEN]
    assert {0} == {flow.retries for flow in flows}
    assert 0 == fan_out._units.retries
    assert 3 == reach_store.retries
    assert reach_store.retry_jitter_factor > 0


@pytest.mark.slow
def test_each_parameter_of_a_deployment_has_a_meaning_and_candidates_are_a_choice(monkeypatch):
    from prefect.utilities.callables import parameter_schema

    from flows.deployments import Deployment

    monkeypatch.chdir(ROOT)
    names = [*yaml.safe_load((ROOT / "params.yaml").read_text())["candidates"]]
    for deployment in WRITTEN:
        schema = parameter_schema(Deployment.model_validate(deployment).flow())
        assert [] == [name for name, each in schema.properties.items() if not each.get("description")]
        if "Changes" in schema.definitions:
            fields = schema.definitions["Changes"]["properties"]
            assert names == fields["candidates"]["items"]["enum"]
            assert all(each["title"] and each["description"] for each in fields.values())
    assert {"params", "overrides", "promote", "changes"} == {
        *parameter_schema(Deployment.model_validate(WRITTEN[0]).flow()).properties
    }
