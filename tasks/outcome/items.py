"""What a run reports to a tracking store: typed records, of which none knows the store."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from tasks.params import Candidate, Settings


@dataclass(frozen=True)
class TrackedMetric:
    """A number, with the ends of its interval where it has one; a curve has one of the same name for each step."""

    name: str
    value: float
    step: int = 0
    low: float | None = None
    high: float | None = None

    def numbers(self) -> Iterator[tuple[str, float]]:
        """E_cv, E_cv_low, E_cv_high."""
        for end, number in (("", self.value), ("_low", self.low), ("_high", self.high)):
            if number is not None:
                yield f"{self.name}{end}", number


@dataclass(frozen=True)
class Parameter:
    """A setting that the run followed."""

    name: str
    value: str


@dataclass(frozen=True)
class Tag:
    """A text by which runs are searched and read."""

    name: str
    value: str


@dataclass(frozen=True)
class Artifact:
    """A file that is kept with the run, below `folder`."""

    path: Path
    folder: str | None = None


@dataclass(frozen=True)
class Note:
    """Markdown at the top of a run's page; `PAGE` in it becomes the address of that page."""

    text: str


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table of the file `source`, the hash of its content, and in `context` what the run used it for."""

    name: str
    table: pd.DataFrame
    target: str
    source: Path
    digest: str
    context: str


@dataclass(frozen=True)
class Input:
    """A `Dataset` as MLflow keeps it: `described` are texts about the table, not the table."""

    described: Mapping[str, str]
    context: str


Item = TrackedMetric | Parameter | Tag | Note | Artifact | Dataset | Input
PAGE = "{page}"  # no escaped text has a brace
ROOT = "_RMSE"  # at the end of the name of a metric: the root of a mean squared loss, as people read it
CANDIDATES = "candidates."  # before the name of a candidate, in the name of a parameter
HIDDEN = "mlflow.heldout."  # a tag that begins so is on no page of MLflow: programs read it back
_SETTINGS, _LETTERS = f"{HIDDEN}settings.", 5000  # and a number: settings that the page has no room for, as JSON
_NAMES, _MOST = "candidates", 25  # the parameter with the candidates' names; parameters of a run
DATA_HASH = "data_hash"  # a tag: of the prepared rows
RUN_NAME, NOTE = "mlflow.runName", "mlflow.note.content"  # tags that MLflow shows as name and description

_NAME = re.compile(r"[\w.: -]{1,250}")  # of a parameter, as stores allow it
_ALLOWED = str.maketrans("=+(", ":  ", "),")  # tree(depth=3) is tree depth:3 there


def parameters(values: Mapping[str, Any], prefix: str = "") -> Iterator[Parameter]:
    """A parameter for each value; the keys of nested mappings are joined by dots.

    A mapping with a key that is no name, such as a column called [/luck], is a value.
    """
    for name, value in values.items():
        if isinstance(value, Mapping) and value and all(_NAME.fullmatch(f"{prefix}{name}.{key}") for key in value):
            yield from parameters(value, f"{prefix}{name}.")
        else:
            yield Parameter(f"{prefix}{name}", str(value))


def settings_items(settings: Settings) -> Iterator[Parameter | Tag]:
    """What a run set otherwise than by default, and what tells runs apart in any case; the rest of many is hidden.

    A candidate's are candidates.logistic.C, so that two runs show what they have otherwise. A candidate's own run
    has its learner.
    """
    names = ", ".join(one.name for one in settings.candidates)
    yield Parameter(_NAMES, f"{len(settings.candidates)}: {names}")
    values = settings_values(settings)
    shown = [name for name in values if _NAME.fullmatch(name) and not name.endswith(".estimator")][: _MOST - 1]
    yield from (Parameter(name, values[name]) for name in shown)
    text = json.dumps({name: value for name, value in values.items() if name not in shown})
    for number, first in enumerate(range(0, len(text), _LETTERS)):
        yield Tag(f"{_SETTINGS}{number}", text[first : first + _LETTERS])


def settings_in(parameters: Mapping[str, str], tags: Mapping[str, str]) -> dict[str, str]:
    """The settings of a run in a store, as `settings_items` sent them, by their names."""
    shown = {name: value for name, value in parameters.items() if name != _NAMES}
    try:
        parts = {int(name.removeprefix(_SETTINGS)): text for name, text in tags.items() if name.startswith(_SETTINGS)}
        hidden = json.loads("".join(parts[number] for number in sorted(parts)) or "{}")
        return {**shown, **{str(name): str(value) for name, value in hidden.items()}}
    except (ValueError, AttributeError):  # somebody changed a tag
        return shown


def settings_values(settings: Settings) -> dict[str, str]:
    """What is not left out of these settings, and what tells runs apart in any case, by names with dots."""
    elsewhere = {"candidates", "execution", "operations", "tracking"}
    always: Any = {
        "seed": ...,
        "deliver": ...,
        "data": {"source", "target", "positive"},
        "selection": {"criterion", "rule"},
    }
    values = settings.model_dump(exclude=elsewhere, exclude_defaults=True)
    if settings.execution.fit_timeout is not None:
        values["execution"] = {"fit_timeout": settings.execution.fit_timeout}
    if "loss" in values:  # the classes in a loss by costs are free text, which is allowed in a value and not in a name
        values["loss"] = str(values["loss"])
    sent = [*parameters(settings.model_dump(include=always)), *parameters(values)]
    for one in settings.candidates:
        sent += parameters(_of_candidate(one), f"{CANDIDATES}{one.name.translate(_ALLOWED)}.")
    seeds_last = sorted(sent, key=lambda item: item.name.endswith(".random_state"))  # where there is room for few
    return {item.name: item.value for item in seeds_last if item.value != str({})}  # a section without a setting


def _of_candidate(candidate: Candidate) -> dict[str, Any]:
    """What is set of a candidate, without nesting; a parameter of the learner yields to a key that is called alike."""
    given = candidate.model_dump(exclude={"name", "grid", "params"}, exclude_defaults=True)
    settings = {name: str(value) if isinstance(value, dict) else value for name, value in given.items()}
    return {**{name: str(value) for name, value in candidate.params.items()}, **settings}
