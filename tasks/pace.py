"""The seconds that a fit of a candidate takes, as far as a run on these rows has noted them.

They decide how fits are grouped into tasks and which task is first, and no result.
"""

from tasks import cache
from tasks.params import Candidate


def note(candidate: Candidate, labeled: str, seconds_a_row: float) -> None:
    """Keep the seconds of one fit and test for each row trained on; `labeled` is the hash of the rows' file."""
    cache.save(_key(candidate, labeled), seconds_a_row)


def known(candidate: Candidate, labeled: str) -> float | None:
    """The seconds for each row trained on, None before a hold-out was fitted."""
    key = _key(candidate, labeled)
    return float(cache.load(key)) if cache.has(key) else None


def _key(candidate: Candidate, labeled: str) -> str:
    return cache.key("pace", candidate.identity(), labeled)
