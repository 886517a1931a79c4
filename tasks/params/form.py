"""The settings that people change most, as the form that Prefect shows for a run of a deployment."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

from tasks.params.read_yaml import Dumper
from tasks.params.sections import CriterionName, Data, RuleName, SelectionSection, SplitSection
from tasks.params.settings import Deliver, Settings
from tasks.params.yaml_lines import Written
from tasks.runtime.errors import UserError

CANDIDATES = "candidates"
_ONE_LINE = 1 << 30  # letters


def _meaning(section: type[BaseModel], name: str) -> str:
    return str(section.model_fields[name].description)


class Form(BaseModel):
    """What is left empty is as params.yaml has it. A run with any of these settings is a trial, never the champion."""

    model_config = ConfigDict(extra="forbid")

    source: str | None = Field(None, title="Data source", description=_meaning(Data, "source"))
    criterion: CriterionName | None = Field(
        None, title="Criterion", description=_meaning(SelectionSection, "criterion")
    )
    rule: RuleName | None = Field(None, title="Rule", description=_meaning(SelectionSection, "rule"))
    deliver: Deliver | None = Field(None, title="Deliver", description=_meaning(Settings, "deliver"))
    folds: Annotated[int, Field(ge=2)] | Literal["loo"] | None = Field(
        None, title="Folds", description=_meaning(SplitSection, "folds")
    )
    candidates: list[str] = Field(
        [], title="Candidates", description="those of params.yaml that are compared; none chosen: all of them"
    )

    def overrides(self, params: str) -> tuple[str, ...]:
        """The form as overrides of the file `params`. Raises UserError for a candidate that is not in it."""
        keys = {
            "data.source": self.source,
            "selection.criterion": self.criterion,
            "selection.rule": self.rule,
            "deliver": self.deliver,
            "split.folds": self.folds,
            CANDIDATES: list(_chosen(params, self.candidates)) or None,
        }
        return tuple(f"{key}={_in_yaml(value)}" for key, value in keys.items() if value is not None)


def names(params: str) -> list[str]:
    """The names of the candidates that are written in the file `params`; a grid is one."""
    written = Written(Path(params), Settings.model_fields).value.get(CANDIDATES)
    return [
        str(candidate["name"]) for candidate in written or () if isinstance(candidate, dict) and "name" in candidate
    ]


def _chosen(params: str, chosen: Sequence[str]) -> Iterator[Any]:
    """The candidates of these names, in the order of the file."""
    known = names(params) if chosen else []
    for name in chosen:
        if name not in known:
            raise UserError(f"candidates is {name!r}, but {params} has {', '.join(known)}; choose among these")
    written = Written(Path(params), Settings.model_fields).value[CANDIDATES] if chosen else []
    yield from (candidate for candidate in written if candidate.get("name") in chosen)


def _in_yaml(value: object) -> str:
    return yaml.dump(value, Dumper=Dumper, default_flow_style=True, width=_ONE_LINE).removesuffix("\n...\n").strip()
