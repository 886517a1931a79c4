"""Warnings of the candidates' fits: counted, and logged once for each candidate."""

import logging
from collections.abc import Mapping

from heldout.learners.fit_warnings import WarningCounts
from heldout.running.stored_fits import Finished

log = logging.getLogger("heldout")


def count(*schemes: Mapping[str, Finished]) -> dict[str, WarningCounts]:
    """The warnings of each candidate over all fits of some schemes; logged too."""
    by_candidate = {}
    for name in dict.fromkeys(name for scheme in schemes for name in scheme):
        counted = WarningCounts.of([fit for scheme in schemes if name in scheme for fit in scheme[name].warned])
        by_candidate[name] = counted
        if counted.concerned:
            log.warning("%s: %s", name, counted)
    return by_candidate
