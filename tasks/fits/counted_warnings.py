"""Warnings of the candidates' fits: counted by stage, logged once for each candidate, and read for the report."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from heldout.learners.fit_warnings import WarningCount, WarningCounts
from heldout.running.stored import Finished
from tasks.storage import files

log = logging.getLogger("heldout")


def count(stage: str, *schemes: Mapping[str, Finished]) -> dict[str, dict[str, Any]]:
    """The warnings of each candidate over all fits of a stage, as warnings.json holds them; logged too."""
    by_candidate = {}
    for name in dict.fromkeys(name for scheme in schemes for name in scheme):
        counted = WarningCounts.of([fit for scheme in schemes for fit in scheme[name].warned])
        if counted.concerned:
            by_candidate[name] = asdict(counted)
            log.warning("%s: %s: %s", stage, name, counted)
    return by_candidate


def read(stages: Sequence[str]) -> dict[str, WarningCounts]:
    """The warnings of each candidate over all of `stages`."""
    parts: dict[str, list[WarningCounts]] = {}
    for stage in stages:
        for name, stored in files.read_warnings(stage).items():
            kinds = tuple(WarningCount(**kind) for kind in stored["kinds"])
            parts.setdefault(name, []).append(WarningCounts(stored["fits"], stored["concerned"], kinds))
    return {name: WarningCounts.together(warnings) for name, warnings in parts.items()}
