"""The way back: the alias of the champion returns to the version that it replaced."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tasks.outcome.operations import Of, champions, cut
from tasks.outcome.pins import pins
from tasks.params import Settings
from tasks.runtime.errors import UserError
from tasks.track import operations_ledger
from tasks.track.ledger_tags import after, validations
from tasks.track.promote import RESTORED
from tasks.track.registry import BEFORE, CHAMPION, LEARNER, SELECTED, standing
from tasks.track.store import connect

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities.model_registry import ModelVersion


_ERRORS = ("E_test", "E_cv")  # the first that a version has is told


@dataclass(frozen=True)
class RolledBack:
    """The version that is the champion again, and the version that it replaces, with their errors; why; and the pin."""

    address: str
    version: str
    instead_of: str
    pinned: str
    error: str = ""
    error_before: str = ""
    why: str = ""
    numbers: Mapping[str, float] = field(default_factory=dict)  # the estimates of both, with their intervals

    def __str__(self) -> str:
        because = f": {self.why}" if self.why else ""
        back = f"{self.address} is version {self.version} again, instead of version {self.instead_of}{because}"
        return f"{back}; {self.pinned}"

    def told(self) -> dict[str, str]:
        """What a message says of the two versions."""
        return {
            "model": f"version {self.version}, {self.error}",
            "before": f"version {self.instead_of}, {self.error_before}",
        }


def rollback(settings: Settings, why: str = "") -> RolledBack:
    """Return to the former champion of the data source, for a reason, and pin the line of the one that it replaces.

    Nothing is deleted. What was known of the pairs of the restored champion counts no longer, except for the rows that
    were used: the model that was rolled back has to win again, on rows that come after the rollback (`pins`). Raises
    UserError if there is no former champion. The entry of the ledger comes first: a command that is killed before it
    has moved the alias may be repeated.
    """
    from mlflow.exceptions import MlflowException

    client = connect(settings)
    place = standing(client, settings)
    champion = place.champion
    if champion is None:
        raise UserError(f"{place.address(CHAMPION)}: there is no champion of {place.source}; nothing to roll back")
    former = champion.tags.get(BEFORE)
    if former is None:
        raise UserError(
            f"{place.address(CHAMPION)} is version {champion.version}, which replaced no other; there is no former "
            "champion to return to"
        )
    try:
        restored = client.get_model_version(place.name, former)
    except MlflowException:
        raise UserError(f"version {former} of {place.name}, the former champion, was deleted") from None
    of = Of.made(place.name, place.source)
    entered = {
        "alias": f"{place.name}@{place.alias(CHAMPION)}",
        "version": str(former),
        "instead_of": str(champion.version),
        "candidate": cut(champion.tags[SELECTED]),
        "learner": champion.tags[LEARNER],
        **({"why": cut(why)} if why else {}),
    }
    entry = operations_ledger.append(client, settings, "rollback", of.said(**entered))
    client.set_model_version_tag(place.name, former, RESTORED, str(after(validations(client))))
    client.set_registered_model_alias(place.name, place.alias(CHAMPION), former)
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    said = f"{when} to version {former}{f': {why}' if why else ''}"
    client.set_model_version_tag(place.name, str(champion.version), "rolled_back", said)
    client.set_tag(str(champion.run_id), "rolled_back", said)
    numbers = {
        **_numbers(client, restored),
        **{f"{name}_before": value for name, value in _numbers(client, champion).items()},
    }
    (pin,) = [pin for pin in pins(operations_ledger.entries(client), of) if pin.entry == entry.number]
    explained, errors = pin.explained(settings.operations.promote_level), (_error(restored), _error(champion))
    return RolledBack(place.address(CHAMPION), str(former), str(champion.version), explained, *errors, why, numbers)


def _error(version: "ModelVersion") -> str:
    """The learner of a version and its error with the interval, as they were when it was registered."""
    learner = version.tags.get("selected_model", "")
    shown = next((f"{name} {version.tags[name]}" for name in _ERRORS if name in version.tags), "its error is unknown")
    return f"{learner}: {shown}" if learner else shown


def _numbers(client: "MlflowClient", version: "ModelVersion") -> dict[str, float]:
    from mlflow.exceptions import MlflowException

    try:
        metrics = client.get_run(str(version.run_id)).data.metrics
    except MlflowException:  # the run was deleted
        return {}
    ends = [f"{name}{end}" for name in _ERRORS for end in ("", "_low", "_high")]
    return {name: metrics[name] for name in ends if name in metrics}


def accept(settings: Settings, why: str = "") -> str:
    """Enter the version at the champion's alias, which a person moved without heldout; returns what to say.

    What was known of the pairs of this version counts no longer, as after a rollback; nothing is pinned. Raises
    UserError where the alias is on no version, or on that of the ledger.
    """
    client = connect(settings)
    place = standing(client, settings)
    of, alias = Of.made(place.name, place.source), f"{place.name}@{place.alias(CHAMPION)}"
    before = champions(operations_ledger.entries(client)).get(alias)
    here = None if place.champion is None else str(place.champion.version)
    if before is None or here in (None, before):
        there = "on no version" if here is None else f"on version {here}, as in the ledger"
        raise UserError(f"--accept: models:/{alias} is {there}; nothing to accept")
    because = {"why": cut(why)} if why else {}
    said = of.said(alias=alias, version=here, instead_of=before, **because)
    entry = operations_ledger.append(client, settings, "rollback", said)
    client.set_model_version_tag(place.name, here, RESTORED, str(after(validations(client))))
    client.set_model_version_tag(place.name, here, BEFORE, before)
    return (
        f"accepted: models:/{alias} is version {here}, instead of version {before} (entry {entry.head} of the ledger)"
    )


def release(settings: Settings, candidate: str) -> str:
    """Lift the pin of a candidate's line, or all pins of the data source if it is empty; returns what to say.

    Raises UserError if there is none.
    """
    client = connect(settings)
    place = standing(client, settings)
    of = Of.made(place.name, place.source)
    held = [pin.candidate for pin in pins(operations_ledger.entries(client), of)]
    lifted = [name for name in held if candidate in ("", name)]
    if not lifted:
        others = f"; pinned are {', '.join(held)}" if held else ""
        raise UserError(f"--release: no pin of {candidate or place.name} for {place.source}{others}; nothing to lift")
    entry = operations_ledger.append(client, settings, "release", of.said(candidates=lifted))
    return (
        f"released: {', '.join(lifted)} (entry {entry.head} of the ledger); from the next run on all rows of the test "
        "part that it has not bet on count again, at operations.promote_level"
    )
