"""The way back: the alias of the champion returns to the version that it replaced."""

import time
from dataclasses import dataclass

from tasks.params import Settings
from tasks.runtime.errors import UserError
from tasks.track.promote import RESTORED
from tasks.track.registry import BEFORE, CHAMPION, standing
from tasks.track.store import connect


@dataclass(frozen=True)
class RolledBack:
    """The version that is the champion again, and the version that it replaces."""

    address: str
    version: str
    instead_of: str

    def __str__(self) -> str:
        return f"{self.address} is version {self.version} again, instead of version {self.instead_of}"


def rollback(settings: Settings) -> RolledBack:
    """Return to the former champion of the data source. Raises UserError if there is none.

    Nothing is deleted. What was known of the pairs of the restored champion counts no longer, except for the rows that
    were used: the model that was rolled back has to win again, on new rows.
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
        client.get_model_version(place.name, former)
    except MlflowException:
        raise UserError(f"version {former} of {place.name}, the former champion, was deleted") from None
    now = time.time()
    client.set_model_version_tag(place.name, former, RESTORED, str(int(1000 * now)))
    client.set_registered_model_alias(place.name, place.alias(CHAMPION), former)
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
    client.set_model_version_tag(place.name, str(champion.version), "rolled_back", f"{when} to version {former}")
    client.set_tag(str(champion.run_id), "rolled_back", f"{when} to version {former}")
    return RolledBack(place.address(CHAMPION), str(former), str(champion.version))
