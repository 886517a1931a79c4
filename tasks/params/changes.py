"""The settings that people change most, as the form that Prefect shows for a run of a deployment."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, create_model

from heldout.estimates.criteria import CRITERIA
from heldout.schemes.delivery import FORMS
from heldout.selection.rules import RULES
from tasks.params.by_name import KEY
from tasks.params.read_yaml import Dumper
from tasks.params.sections import Data, SelectionSection, SplitSection
from tasks.params.settings import Settings
from tasks.params.written import Written
from tasks.runtime.errors import UserError

AS_WRITTEN = "as in params.yaml"
_ONE_LINE = 1 << 30  # letters
if TYPE_CHECKING:
    _Criterion = str
    _Rule = str
    _Deliver = str
else:
    _Criterion = Literal[(AS_WRITTEN, *CRITERIA)]
    _Rule = Literal[(AS_WRITTEN, *RULES)]
    _Deliver = Literal[(AS_WRITTEN, *FORMS)]


def _meaning(section: type[BaseModel], name: str) -> str:
    return str(section.model_fields[name].description)


class Changes(BaseModel):
    """A run with any change of these settings is a trial: its winner is never the champion."""

    model_config = ConfigDict(extra="forbid")

    source: str = Field("", title="Data source", description=f"empty: as in params.yaml; {_meaning(Data, 'source')}")
    criterion: _Criterion = Field(AS_WRITTEN, title="Criterion", description=_meaning(SelectionSection, "criterion"))
    rule: _Rule = Field(AS_WRITTEN, title="Rule", description=_meaning(SelectionSection, "rule"))
    deliver: _Deliver = Field(AS_WRITTEN, title="Deliver", description=_meaning(Settings, "deliver"))
    folds: Annotated[int, Field(ge=2)] | Literal["loo"] | None = Field(
        None, title="Folds", description=f"None: as in params.yaml; {_meaning(SplitSection, 'folds')}"
    )
    candidates: list[str] = Field(
        [], title="Candidates", description="the candidates of params.yaml to compare; an empty list: all of them"
    )

    @classmethod
    def offering(cls, params: str) -> "type[Changes]":
        """The form in which the candidates of the file `params` are the choice."""
        names = tuple(each["name"] for each in _written(params))
        choice: Any = list[Literal[names]]  # type: ignore[valid-type]
        return create_model(cls.__name__, __base__=cls, __doc__=cls.__doc__, candidates=(choice, cls.model_fields[KEY]))

    def overrides(self, params: str) -> tuple[str, ...]:
        """The changes as overrides of the file `params`. Raises UserError for a candidate that is not in it."""
        keys = {
            "data.source": self.source or AS_WRITTEN,
            "selection.criterion": self.criterion,
            "selection.rule": self.rule,
            "deliver": self.deliver,
            "split.folds": self.folds or AS_WRITTEN,
            KEY: list(_chosen(params, self.candidates)) or AS_WRITTEN,
        }
        return tuple(f"{key}={_in_yaml(value)}" for key, value in keys.items() if value != AS_WRITTEN)


def _chosen(params: str, chosen: Sequence[str]) -> Iterator[Any]:
    """The candidates of these names, in the order of the file."""
    written = _written(params) if chosen else []
    known = [candidate["name"] for candidate in written]
    for name in chosen:
        if name not in known:
            raise UserError(f"candidates is {name!r}, but {params} has {', '.join(known)}; choose among these")
    yield from (candidate for candidate in written if candidate["name"] in chosen)


def _written(params: str) -> list[Any]:
    written = Written(Path(params), Settings.model_fields).value.get(KEY)
    candidates = written if isinstance(written, list) else []
    return [each for each in candidates if isinstance(each, dict) and isinstance(each.get("name"), str)]


def _in_yaml(value: object) -> str:
    return yaml.dump(value, Dumper=Dumper, default_flow_style=True, width=_ONE_LINE).removesuffix("\n...\n").strip()
