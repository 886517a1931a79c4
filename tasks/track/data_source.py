"""What a run predicts, from which table: champions are replaced, and errors compared, among runs of the same."""

from collections.abc import Mapping

from tasks.outcome.items import parameters
from tasks.params import Settings

SOURCE = "data.source"
_KEYS = (SOURCE, "data.target", "data.positive")
_KEY = "data.key"  # rows that are known otherwise are other rows


def source_of(settings: Settings) -> str:
    """The data source of settings, as a text."""
    return source_in(as_parameters(settings))


def as_parameters(settings: Settings) -> dict[str, str]:
    """The parameters about the data, as a run in MLflow has them."""
    return {item.name: item.value for item in parameters({"data": settings.data.model_dump()})}


def source_in(values: Mapping[str, str]) -> str:
    """The data source of a run's parameters."""
    names = [*_KEYS, *([_KEY] if values.get(_KEY) is not None else [])]
    return ", ".join(f"{name.removeprefix('data.')} {values.get(name)}" for name in names)
