"""What a run changed against the run before it, of the same data source: in its name, and a column of MLflow's list."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from tasks.outcome.items import CANDIDATES, settings_items
from tasks.params import Settings

if TYPE_CHECKING:
    from mlflow.entities import Run

_MOST, _LONGEST = 3, 40  # of what changed; letters of one of them
_ROWS, _CODE = "data_hash", ("git_commit", "git_dirty")


@dataclass(frozen=True)
class Before:
    """The parameters and the tags of the run before; empty for the first one."""

    params: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, run: "Run") -> Self:
        """Those of a run in MLflow."""
        return cls(run.data.params, run.data.tags)


def changed(settings: Settings, tags: Mapping[str, str], before: Before) -> str:
    """seed=1, +22 candidates, other rows; empty for the first run, and for the same again.

    `tags` are those of the run. Without another change the code is named, if it differs.
    """
    if not before.params:
        return ""
    now = {item.name: item.value for item in settings_items(settings)}
    found = [*_settings(now, before.params), *_candidates(now, before.params)]
    if tags.get(_ROWS) != before.tags.get(_ROWS):
        found.append("other rows")
    if not found and any(tags.get(name) != before.tags.get(name) for name in _CODE):
        found.append("other code")
    more = len(found) - _MOST
    return ", ".join(found[:_MOST]) + (f" and {more} more" if more > 0 else "")


def _settings(now: Mapping[str, str], before: Mapping[str, str]) -> Iterator[str]:
    """The settings but those of candidates; one that is not named has its default."""
    for name in dict.fromkeys([*now, *before]):
        if now.get(name) != before.get(name) and not name.startswith(CANDIDATES):
            yield f"{name.rpartition('.')[2]}={now.get(name, 'default')[:_LONGEST]}"


def _candidates(now: Mapping[str, str], before: Mapping[str, str]) -> Iterator[str]:
    """Those that are new or gone, by their names or their number, and what is set otherwise in the others."""
    new, old = (dict.fromkeys(_candidate(name) for name in of if name.startswith(CANDIDATES)) for of in (now, before))
    for sign, names in (("+", [*new.keys() - old.keys()]), ("-", [*old.keys() - new.keys()])):
        if names:
            yield f"{sign}{names[0][:_LONGEST] if len(names) == 1 else f'{len(names)} candidates'}"
    for name in dict.fromkeys([*now, *before]):
        both = name.startswith(CANDIDATES) and _candidate(name) in new.keys() & old.keys()
        if both and now.get(name) != before.get(name):
            yield f"{name.removeprefix(CANDIDATES)}={now.get(name, 'default')}"[:_LONGEST]


def _candidate(name: str) -> str:
    """The name of a candidate from that of one of its parameters, whose last part has no dot."""
    return name.removeprefix(CANDIDATES).rpartition(".")[0]
