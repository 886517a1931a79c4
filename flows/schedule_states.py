"""Which schedules are on survives a restart: what Prefect's pages have holds until prefect.yaml says otherwise."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from prefect import get_client
from prefect.client.schemas.responses import DeploymentResponse
from prefect.exceptions import ObjectNotFound
from prefect.schedules import Schedule

_SAID = "prefect.yaml: "  # begins the version of a deployment, where the server keeps what the file said at last


@dataclass(frozen=True)
class Switched:
    """The schedules of a deployment as they are to be registered, what the file said, and whether all are paused."""

    schedules: tuple[Schedule, ...]
    version: str
    paused: bool = False

    @property
    def state(self) -> str:
        """In a word: off, on, or without a schedule."""
        if not self.schedules:
            return "no schedule"
        return "on" if not self.paused and any(schedule.active for schedule in self.schedules) else "off"


def switched(name: str, written: Sequence[Schedule]) -> Switched:
    """The schedules that prefect.yaml has for the deployment FLOW/NAME, each on or off as it was left.

    The file decides about a deployment that the server does not know, and about all schedules of one where another word
    stands after `active` than at the last start, or where it has more or fewer schedules.
    """
    named = tuple(
        schedule if schedule.slug else replace(schedule, slug=f"schedule-{place}")
        for place, schedule in enumerate(written, 1)
    )
    said = _SAID + (", ".join("on" if schedule.active else "off" for schedule in named) or "no schedule")
    before = _known(name)
    if before is None or (str(before.version).startswith(_SAID) and before.version != said):
        return Switched(named, said)
    return Switched(_as_left(named, before), said, before.paused)


def _known(name: str) -> DeploymentResponse | None:
    with get_client(sync_client=True) as client:
        try:
            return client.read_deployment_by_name(name)
        except ObjectNotFound:
            return None


def _as_left(named: tuple[Schedule, ...], before: DeploymentResponse) -> tuple[Schedule, ...]:
    """The schedules with the states that the server has."""
    states = {schedule.slug: schedule.active for schedule in before.schedules}
    return tuple(
        schedule if (active := states.get(schedule.slug)) is None else replace(schedule, active=active)
        for schedule in named
    )
