"""What a run changed against the run before it that is most like it: in its name, and a column of MLflow's list."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self

from tasks.outcome.items import CANDIDATES, DATA_HASH, HIDDEN, settings_in, settings_values
from tasks.params import Settings
from tasks.params.left_out import default_of

if TYPE_CHECKING:
    from mlflow.entities import Run

_MOST, _LONGEST, _DIGITS = 3, 40, 8  # of what changed; letters of one of them, and of a commit
GIT_COMMIT, GIT_DIRTY = "git_commit", f"{HIDDEN}git_dirty"


@dataclass(frozen=True)
class Before:
    """The settings and the tags of an earlier run of the same data source."""

    settings: Mapping[str, str]
    tags: Mapping[str, str]

    @classmethod
    def of(cls, run: "Run") -> Self:
        """Those of a run in MLflow."""
        return cls(settings_in(run.data.params, run.data.tags), run.data.tags)


def written(code: Mapping[str, str]) -> str:
    """When, and by which code, as the tags say it: 2026-11-28 16:58 UTC, commit 2bc93409, changed since."""
    commit = code[GIT_COMMIT][:_DIGITS]
    changed_since = ", changed since" if GIT_DIRTY in code else ""
    return f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, commit {commit}{changed_since}"


def changed(settings: Settings, tags: Mapping[str, str], before: Iterable[Before]) -> str:
    """seed=1, +22 candidates, other rows; empty for the first run, and for the same again.

    `tags` are those of the run, `before` earlier runs, the newest first: of those that differ in the fewest things the
    first is compared, so that of two runs from one starting point each says its own change.
    """
    now = settings_values(settings)
    found = min((_changes(now, tags, one) for one in before), key=len, default=[])
    more = len(found) - _MOST
    return ", ".join(found[:_MOST]) + (f" and {more} more" if more > 0 else "")


def _changes(now: Mapping[str, str], tags: Mapping[str, str], before: Before) -> list[str]:
    """What differs; without another change the code is named, if it does."""
    found = [*_settings(now, before.settings), *_candidates(now, before.settings)]
    if tags.get(DATA_HASH) != before.tags.get(DATA_HASH):
        found.append("other rows")
    if not found and any(tags.get(name) != before.tags.get(name) for name in (GIT_COMMIT, GIT_DIRTY)):
        found.append("other code")
    return found


def _settings(now: Mapping[str, str], before: Mapping[str, str]) -> Iterator[str]:
    """The settings but those of candidates; one that is not named has its default."""
    for name in dict.fromkeys([*now, *before]):
        if name.startswith(CANDIDATES):
            continue
        is_now, was = (of[name] if name in of else _default(name) for of in (now, before))
        if is_now != was:
            yield f"{name.rpartition('.')[2]}={is_now[:_LONGEST]}"


def _default(name: str) -> str:
    """The default of a setting; of one that other versions have, or a part of a value, that word."""
    try:
        return str(default_of(name.split(".")))
    except (AttributeError, KeyError, TypeError):
        return "default"


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
