"""The seconds of a fit of a candidate, as far as a run on these rows has measured them.

They decide how fits are grouped into tasks and which task is first. They change no result.
"""

from heldout import digests
from tasks.params import Candidate
from tasks.storage import fit_cache


def note(candidate: Candidate, labeled: str, seconds_a_row: float) -> None:
    """Store the least seconds of a fit and test for each training row: a first fit also waits for imports.

    `labeled` is the hash of the rows' file.
    """
    before = known(candidate, labeled)
    fit_cache.store.save(_key(candidate, labeled), seconds_a_row if before is None else min(before, seconds_a_row))


def known(candidate: Candidate, labeled: str) -> float | None:
    """The seconds for each training row, None before one was measured."""
    key = _key(candidate, labeled)
    return float(fit_cache.store.load(key)) if fit_cache.store.has(key) else None


def _key(candidate: Candidate, labeled: str) -> str:
    return digests.key("seconds", candidate.fit_identity(), labeled)
