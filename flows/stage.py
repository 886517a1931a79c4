"""What every stage of a validation is: a Prefect flow of its parameters, whose seconds are noted on the active run."""

import os
import time
from collections.abc import Callable
from typing import Any

from prefect import flow
from prefect.task_runners import ThreadPoolTaskRunner

from tasks.params import Settings, load
from tasks.runtime.flow_runs import identify
from tasks.storage import stage_settings
from tasks.track import lifecycle

# threads only wait for the executor; a few more than the workers keep it busy, many would lock sqlite
RUNNER: Any = ThreadPoolTaskRunner(max_workers=(os.cpu_count() or 1) + 2)


def stage(work: Callable[[Settings], None]) -> Any:
    """A flow called like the function `work`, which is given the parameters of a file with its overrides."""

    @flow(name=work.__name__, description=work.__doc__, task_runner=RUNNER, on_running=[identify])
    def run(params: str = "params.yaml", overrides: tuple[str, ...] = ()) -> None:
        started = time.monotonic()
        settings, name = load(params, overrides), work.__name__
        stage_settings.check(name, settings)
        stage_settings.forget(name)
        work(settings)
        stage_settings.write(name, settings)
        lifecycle.tag_seconds(name, time.monotonic() - started)
        lifecycle.check_sent()

    return run
