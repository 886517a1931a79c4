"""What the store holds of an older version, for `migrate`: validations, openings of the test part, a champion.

A champion of version 0.1 has no record of the rows that it has seen, so that no winner can be compared with it: every
run that may promote would end with code 3. A person may let the next winner replace it.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tasks.outcome.operations import Of, about_runs, cut
from tasks.params import Settings
from tasks.params.running import Tracking
from tasks.params.sections import Data
from tasks.track import operations_ledger
from tasks.track.data_source import source_of
from tasks.track.ledger_tags import KEY, entry_of, validations
from tasks.track.promote import REPLACEABLE
from tasks.track.registry import CHAMPION, SELECTED, SOURCE, Standing, source_of_version, standing
from tasks.track.store import connect, database

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities.model_registry import ModelVersion


@dataclass(frozen=True)
class OlderStore:
    """How many validations no entry of the ledger names, how many of them opened a test part, and the champion.

    `champion` is one that no winner can be compared with; `goes_to` is where winners are registered now.
    """

    validations: int
    openings: int
    champion: "ModelVersion | None"
    goes_to: Standing

    @property
    def moves(self) -> bool:
        """Whether winners are registered under another name than the champion's."""
        return self.champion is not None and self.champion.name != self.goes_to.name


def settings_of(written: dict[Any, Any]) -> Settings:
    """What names the store and the data source; the candidates are not built, so that nothing of theirs is imported.

    Raises pydantic's ValidationError for a store that may not be named.
    """
    tracking = Tracking.model_validate(written["tracking"])
    return Settings.model_construct(data=Data.model_construct(**written["data"]), tracking=tracking)


def look(settings: Settings) -> OlderStore | None:
    """What there is; None where the store is a file that does not exist. Raises UserError if it does not answer."""
    path = database(settings)
    if path is not None and not path.exists():
        return None
    client = connect(settings)
    named = about_runs(operations_ledger.entries(client))
    strangers = [run for run in validations(client) if run.data.tags.get(KEY, run.info.run_id) not in named]
    place = standing(client, settings)
    openings = sum(entry_of(run.info.run_id, run.data.tags).opened_for is not None for run in strangers)
    return OlderStore(len(strangers), openings, _champion(client, settings, place), place)


def let_replace(settings: Settings, found: OlderStore) -> str:
    """Have the next winner replace the champion, which is copied to where winners go first; returns what to say.

    Raises ValueError where there is no champion of an older version.
    """
    champion, place = found.champion, found.goes_to
    if champion is None:
        raise ValueError("there is no champion of an older version")
    client, version = connect(settings), str(champion.version)
    if found.moves:
        copied = client.copy_model_version(f"models:/{champion.name}/{version}", place.name)
        version, alias = str(copied.version), place.alias(CHAMPION)
        client.set_model_version_tag(place.name, version, SOURCE, place.source)
        candidate = client.get_run(str(champion.run_id)).data.tags.get(SELECTED, f"version {champion.version}")
        of = Of.made(place.name, place.source)
        said = of.said(version=version, alias=f"{place.name}@{alias}", candidate=cut(candidate), learner="")
        operations_ledger.append(client, settings, "champion", {**said, "promoted": "copied", "compared": False})
        client.set_registered_model_alias(place.name, alias, version)
    client.set_model_version_tag(place.name, version, REPLACEABLE, "true")
    return f"{place.address(CHAMPION)} is version {version} of {place.name}, until the next winner replaces it"


def _champion(client: "MlflowClient", settings: Settings, place: Standing) -> "ModelVersion | None":
    """The champion of the data source that an older version registered, under whatever name."""
    if place.champion is not None:
        return place.champion if _is_older(place.champion) else None
    source = source_of(settings)
    for model in client.search_registered_models():
        if (number := model.aliases.get(CHAMPION)) is not None:
            version = client.get_model_version(model.name, str(number))
            if _is_older(version) and source_of_version(client, version) == source:
                return version
    return None


def _is_older(version: "ModelVersion") -> bool:
    """Whether version 0.1 registered it, which noted no source, and no person has decided about it."""
    return SOURCE not in version.tags and REPLACEABLE not in version.tags
