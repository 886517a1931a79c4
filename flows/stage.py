"""What holds for every flow: a name, tags, and no traceback for a mistake of the user; the stages of a validation."""

import os
from collections.abc import Callable
from typing import Any

from prefect import flow, runtime
from prefect.client.schemas.objects import FlowRun
from prefect.task_runners import ThreadPoolTaskRunner

from tasks.params import Settings, load
from tasks.params.from_server import check_given
from tasks.params.run_name import BETWEEN, run_name
from tasks.runtime.errors import UserError
from tasks.runtime.flow_runs import identify
from tasks.runtime.user_mistakes import without_traceback
from tasks.storage import stage_settings
from tasks.track import lifecycle

# threads only wait for the executor; a few more than the workers keep it busy, many would lock sqlite
RUNNER: Any = ThreadPoolTaskRunner(max_workers=(os.cpu_count() or 1) + 2)


def named_flow(work: Callable[..., None]) -> Any:
    """A flow called like the function `work`."""
    about = str(work.__doc__).partition("\n")[0]  # without its arguments, which Prefect shows in a form
    options = {"flow_run_name": _name, "on_running": [begin], "task_runner": RUNNER}
    return flow(name=work.__name__, description=about, **options)(without_traceback(work))


def stage(work: Callable[[Settings], None]) -> Any:
    """A flow called like the function `work`, which is given the parameters of a file with its overrides."""

    def run(params: str = "params.yaml", overrides: tuple[str, ...] = ()) -> None:
        settings, name = load(params, overrides), work.__name__
        stage_settings.check(name, settings)
        stage_settings.forget(name)
        work(settings)
        stage_settings.write(name, settings)
        lifecycle.check_sent()

    run.__name__, run.__doc__ = work.__name__, work.__doc__
    return named_flow(run)


def begin(flow: Any, flow_run: FlowRun, state: Any) -> None:  # noqa: ARG001  # the arguments of Prefect's hooks
    """Note on a run who runs it, what it is about, and how it was started: a hook of Prefect, for `on_running`."""
    source, named, _ = flow_run.name.partition(BETWEEN)
    scheduled = flow_run.deployment_id or runtime.deployment.id
    started = "dvc" if "DVC_STAGE" in os.environ else "deployment" if scheduled else "by hand"
    identify(flow_run, sorted({*flow_run.tags, started, *([source] if named else [])}))


def _name() -> str:
    """The name of the present run; a server's parameters are looked at before the file that they name."""
    name = str(runtime.flow_run.flow_name)
    given = runtime.flow_run.parameters
    params, overrides = given["params"], given["overrides"]
    try:
        if runtime.deployment.id is not None:
            check_given(params, overrides)
        if "changes" in given:
            overrides = (*given["changes"].overrides(params), *overrides)
    except UserError:  # which the flow reports
        return name
    return run_name(name, params, overrides)
