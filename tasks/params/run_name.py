"""What a run is called in Prefect's pages: by its data and its seed, as they are written."""

from collections.abc import Sequence
from pathlib import Path

from heldout.defaults import SEED
from tasks.params.settings import Settings
from tasks.params.source_name import source_name
from tasks.params.written import Written
from tasks.runtime.errors import UserError, one_line

BETWEEN = " · "
_MOST_DIGITS = 20


def run_name(flow: str, params: str, overrides: Sequence[str]) -> str:
    """`digits · validate · seed 0`; the flow alone where the parameters cannot be read."""
    try:
        written = Written(Path(params), Settings.model_fields)
        for override in overrides:
            written.override(override)
        source, seed = str(written.value["data"]["source"]), one_line(str(written.value.get("seed", SEED)))
    except (UserError, KeyError, TypeError):
        return flow
    return BETWEEN.join((source_name(source), flow, f"seed {seed[:_MOST_DIGITS]}"))
