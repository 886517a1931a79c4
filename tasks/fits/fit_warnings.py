"""Warnings of the candidates' fits: counted by stage, told once a candidate, and read back for the report."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from heldout.fit_warnings import WarningCount, WarningCounts
from tasks.plans.units import Finished
from tasks.storage import files

log = logging.getLogger("heldout")


def count(stage: str, *schemes: Mapping[str, Finished]) -> dict[str, dict[str, Any]]:
    """The warnings.json of a stage: of each candidate that warned, over all fits of the stage; told in the log."""
    found = {}
    for name in dict.fromkeys(name for scheme in schemes for name in scheme):
        counted = WarningCounts.of([fit for scheme in schemes for fit in scheme[name].warned])
        if counted.concerned:
            found[name] = asdict(counted)
            log.warning("%s: %s: %s", stage, name, counted)
    return found


def read(stages: Sequence[str]) -> dict[str, WarningCounts]:
    """The warnings of each candidate over those of `stages` in which it warned."""
    parts: dict[str, list[WarningCounts]] = {}
    for stage in stages:
        for name, one in files.read_warnings(stage).items():
            kinds = tuple(WarningCount(**kind) for kind in one["kinds"])
            parts.setdefault(name, []).append(WarningCounts(one["fits"], one["concerned"], kinds))
    return {name: WarningCounts.together(own) for name, own in parts.items()}
