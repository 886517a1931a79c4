"""Warnings of the candidates' fits: counted, logged once for each candidate, and read for the report."""

import logging
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from heldout.learners.fit_warnings import WarningCount, WarningCounts
from heldout.running.stored import Finished
from tasks.storage import files

log = logging.getLogger("heldout")


def count(*schemes: Mapping[str, Finished]) -> dict[str, dict[str, Any]]:
    """The warnings of each candidate over all fits of some schemes, as the record of a run holds them; logged too."""
    by_candidate = {}
    for name in dict.fromkeys(name for scheme in schemes for name in scheme):
        counted = WarningCounts.of([fit for scheme in schemes if name in scheme for fit in scheme[name].warned])
        if counted.concerned:
            by_candidate[name] = asdict(counted)
            log.warning("%s: %s", name, counted)
    return by_candidate


def read() -> dict[str, WarningCounts]:
    """The warnings of each candidate in the last run."""
    found = {}
    for name, stored in files.read_fits_record()["warnings"].items():
        kinds = tuple(WarningCount(**kind) for kind in stored["kinds"])
        found[name] = WarningCounts(stored["fits"], stored["concerned"], kinds)
    return found
