"""The sections of params.yaml about how and where runs take place, and what holds over many of them."""

import os
import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from tasks.params import allowed_imports
from tasks.params.notify import Receiver
from tasks.params.sections import Count, Fraction, Module, Section
from tasks.runtime import dask_scheduler
from tasks.runtime.errors import Misplaced


class Execution(Section):
    """Where fits run, and which modules may be imported."""

    executor: Literal["local", "dask"] = Field(
        description="local: processes of this machine; dask: the workers of the scheduler below"
    )
    workers: Count = Field(description="number of processes of this machine that fit at the same time")
    scheduler: str | None = Field(
        None,  # of Dask's own configuration
        description="for dask: address of its scheduler, as in tcp://127.0.0.1:8786. A scheduler can run programs: one "
        "of another machine or user must also be named by DASK_SCHEDULER_ADDRESS or have your certificates",
    )
    budget: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(
        None,
        description="minutes that a run may take: init chooses split.rows and the number of fits by it, and plan says "
        "whether it is enough; no run is stopped by it; null for no limit",
    )
    fit_timeout: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(
        None,
        description="seconds that a fit and its test may take: a candidate with a longer fit is recorded as failed, "
        "and no further task of it is started; null for no limit",
    )
    cache_gb: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(
        10.0,
        description="gigabytes of finished fits that are kept: at the start of a run, files beyond that are removed, "
        "the least recently used first; null for no limit",
    )
    shortcuts: Literal["auto", "off"] = Field(
        "auto",
        description="auto: skip fits if the held-out predictions follow exactly from fewer fits; off: make every fit",
        json_schema_extra={"enum": ["auto", "off", False]},
    )
    allowed_modules: list[Module] = Field(
        list(allowed_imports.DEFAULT),
        description="modules that candidates may come from; no others are imported. Name your own module, which is "
        "next to this file. An imported module runs its code, so read this line in a file from a stranger",
    )

    @field_validator("shortcuts", mode="before")
    @classmethod
    def _off(cls, written: Any) -> Any:
        return "off" if written is False else written  # YAML reads off as false

    @model_validator(mode="after")
    def _reachable(self) -> "Execution":
        if self.scheduler is not None and not dask_scheduler.is_address(self.scheduler):
            raise Misplaced(f"is {self.scheduler!r}; write tcp://HOST:PORT or tls://HOST:PORT", ("scheduler",))
        if self.executor == "dask" and self.scheduler is None and dask_scheduler.configured() is None:
            raise Misplaced(
                "is dask, which needs execution.scheduler, as in tcp://127.0.0.1:8786, or the environment variable "
                f"{dask_scheduler.VARIABLE}",
                ("executor",),
            )
        return self


class Operations(Section):
    """What holds over many nights."""

    promote_level: Fraction = Field(
        default=0.95,
        description="a winner replaces the champion only if it is shown at this level to err less: of learners that do "
        "not, at most a share of 1 - promote_level is ever promoted, however many nights one looks",
    )
    notify: Receiver | None = Field(
        default=None,
        description="a URL, or webhook: URL, that is sent a POST when a run failed, the champion changed or an alarm "
        "was raised; $NAME takes it from an environment variable, since this file is in git. Numbers go there: read "
        "this line in a file from a stranger",
    )
    alarm_level: Annotated[float, Field(gt=0, le=0.5)] = Field(
        default=0.05,
        description="watch raises an alarm at evidence 1 / alarm_level: without drift, the probability that it ever "
        "does so is at most alarm_level, however many shards come",
    )


class Tracking(Section):
    """Where runs are recorded."""

    uri: Annotated[str, Field(min_length=1)] = Field(description="MLflow's store; its artifacts are next to it")
    experiment: Annotated[str, Field(min_length=1)] = Field(description="MLflow's experiment")
    registered_model: Annotated[str, Field(min_length=1, pattern=r"^[\w. ()+,=-]+$")] | None = Field(
        None,
        description="name under which winners of runs that may promote are registered; the one in use has the alias "
        "champion. null: the name of the data source, such as digits, so that projects that share a store keep apart",
    )
    promote: Literal["scheduled", "always", "never"] = Field(
        "scheduled",
        description="which runs may register and promote their winner. scheduled: those of a deployment, and validate "
        "--promote; always: also those started by hand, with --set or by dvc repro, but no experiment of DVC; never: "
        "none",
    )

    @field_validator("uri")
    @classmethod
    def _below_the_checkout(cls, uri: str) -> str:
        """A store in a file is below the current folder: a file from a stranger writes nowhere else."""
        if "://" in uri and not uri.startswith(("sqlite", "file:")):
            return uri
        path = uri.removeprefix("sqlite:///")
        here = Path.cwd()
        below = Path(os.path.normpath(here / path)).is_relative_to(
            here
        )  # a copy of DVC's links mlruns to another place
        if path == uri or not below or re.search("[?#:]", path):
            raise Misplaced(
                f"is {uri!r}; write sqlite:/// and a path below the checkout, as in sqlite:///mlruns/mlflow.db, or the "
                "address of a server"
            )
        return uri
