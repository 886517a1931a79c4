"""What a key of params.yaml is while it is left out."""

from collections.abc import Sequence
from typing import Any

from tasks.params.settings import Settings


def default_of(key: Sequence[str]) -> Any:
    """The default of a key, given by its parts; pydantic's mark for none where it has to be written."""
    model: Any = Settings
    for section in key[:-1]:
        model = model.model_fields[section].annotation
    return model.model_fields[key[-1]].get_default(call_default_factory=True)
