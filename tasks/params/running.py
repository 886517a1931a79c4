"""The sections of params.yaml about how and where runs take place, and what holds over many of them."""

import os
import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, PrivateAttr, field_validator, model_validator

from heldout import defaults
from tasks.params import allowed_imports
from tasks.params.sections import Count, Fraction, Module, ParamsSection
from tasks.runtime import dask_scheduler
from tasks.runtime.errors import Misplaced

VARIABLE = "MLFLOW_TRACKING_URI"
DEFAULT = "sqlite:///mlruns/mlflow.db"


class Execution(ParamsSection):
    """Where fits run, and which modules may be imported."""

    executor: Literal["local", "dask"] = Field(
        "local", description="local: processes of this machine; dask: the workers of the scheduler below"
    )
    workers: Count = Field(2, description="number of processes of this machine that fit at the same time")
    scheduler: str | None = Field(
        None,  # of Dask's own configuration
        description="for dask: address of its scheduler, as in tcp://127.0.0.1:8786. A scheduler can run programs: one "
        "of another machine or user must also be named by DASK_SCHEDULER_ADDRESS or have your certificates",
    )
    budget: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(
        None,
        description="minutes that a run may take: where more are expected, it ends before its first fit, and names the "
        "command that writes fewer rows, folds, repeats or finalists, plan --budget. init plans for as many, or for 5; "
        "null for no limit",
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
        defaults.SHORTCUTS,
        description="auto: skip fits if the held-out predictions follow exactly from fewer fits; off: make every fit",
        json_schema_extra={"enum": ["auto", "off", False]},
    )
    allowed_modules: list[Module] = Field(
        list(allowed_imports.DEFAULT),
        description="modules that candidates and extensions (docs/extending.md) may come from; no others are "
        "imported. Name your own module, which is next to this file, or an installed package. An imported module runs "
        "its code, so read this line in a file from a stranger",
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


class Operations(ParamsSection):
    """What holds over many nights."""

    promote_level: Fraction = Field(
        default=0.95,
        description="a winner replaces the champion only if it is shown at this level to err less: of learners that do "
        "not, at most a share of 1 - promote_level is ever promoted, however many nights one looks",
    )
    alarm_level: Annotated[float, Field(ge=0.5, lt=1)] = Field(
        default=0.95,
        description="watch raises an alarm at evidence 1 / (1 - alarm_level): without drift, it ever does so with "
        "probability 1 - alarm_level at most, however many shards come. The same for new labelled rows: a batch that "
        "is like those before is ever held back with this probability at most",
    )

    @property
    def false_alarm(self) -> float:
        """The probability, at most, that an alarm is ever raised without drift: 0.05 for 0.95, to the last digit."""
        return round(1 - self.alarm_level, 12)


class Tracking(ParamsSection):
    """Where runs are recorded."""

    uri: Annotated[str, Field(min_length=1)] | None = Field(
        None,
        description="MLflow's store: sqlite:/// and a path below the checkout, postgresql://USER@HOST/DATABASE, or the "
        f"address of a server; null takes it from the environment variable {VARIABLE}, and is {DEFAULT} where that is "
        "not set. A server of another machine or user must be named there too, since it gets your login",
    )
    artifacts: Annotated[str, Field(pattern=r"^s3://[a-z0-9][a-z0-9.-]+(/[\w.=-]+)*$")] | None = Field(
        None,
        description="where MLflow's artifacts are kept: s3://BUCKET/PREFIX, with the address and the keys in AWS's "
        "environment variables; null: next to a SQLite file, where a server puts them, or else in mlruns/artifacts of "
        "this checkout. Models and reports go there: read this line in a file from a stranger",
    )
    experiment: Annotated[str, Field(min_length=1)] = Field(
        "heldout",
        description="MLflow's experiment, of the data source that comes first; others have their name at its end",
    )
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

    _inherited: str = PrivateAttr(default_factory=lambda: os.environ.get(VARIABLE, ""))

    @property
    def address(self) -> str:
        """The store, as it is written here or in the environment."""
        return self.uri or self._inherited or DEFAULT

    @property
    def own_stores(self) -> list[str]:
        """The stores, or servers of stores, that the user has named outside of this file."""
        host, port = (os.environ.get(name, "") for name in ("PGHOST", "PGPORT"))
        return [self._inherited, f"postgresql://{host}{f':{port}' * bool(port)}" * bool(host)]

    @property
    def store(self) -> str:
        """The address as SQLAlchemy takes it: for a plain postgresql:// it would ask for psycopg2, not for psycopg."""
        return re.sub(r"^postgres(ql)?://", "postgresql+psycopg://", self.address)

    @property
    def named_by(self) -> str:
        """What names the store: the key, or the environment variable."""
        return VARIABLE if self.uri is None and self._inherited else "tracking.uri"

    @model_validator(mode="after")
    def _below_the_checkout(self) -> "Tracking":
        """A store in a file is below the current folder: a file from a stranger writes nowhere else."""
        if not _is_allowed(self.address):
            whose = "is" if self.uri else f"is null, and the environment variable {VARIABLE} is"
            raise Misplaced(
                f"{whose} {self.address!r}; write sqlite:/// and a path below the checkout, as in {DEFAULT}, or the "
                "address of a server",
                ("uri",),
            )
        return self


def _is_allowed(uri: str) -> bool:
    """Whether the address is of a server, or of a file below the current folder."""
    if "://" in uri and not uri.startswith(("sqlite", "file:")):
        return True
    path = uri.removeprefix("sqlite:///")
    here = Path.cwd()  # a copy of DVC's links mlruns to another place
    below = Path(os.path.normpath(here / path)).is_relative_to(here)
    return path != uri and below and not re.search("[?#:]", path)
