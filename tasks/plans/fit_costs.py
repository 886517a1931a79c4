"""What a fit of a candidate costs, as far as a run on these rows has measured it on this machine.

It decides how fits are grouped into tasks and which task is first, and people read it. It changes no result.
"""

from collections.abc import Iterable

from heldout import digests
from heldout.fits.fit_cost import FitCost
from tasks.params import Candidate
from tasks.storage import fit_cache


def note(candidate: Candidate, labeled: str, cost: FitCost) -> None:
    """Store a cost, unless a fit that took less is known: a first one also waits for imports.

    `labeled` is the hash of the rows' file.
    """
    before = known(candidate, labeled)
    if before is None or cost.seconds_a_row < before.seconds_a_row:
        fit_cache.store.save(_key(candidate, labeled), cost)


def known(candidate: Candidate, labeled: str) -> FitCost | None:
    """The cost, None before one was measured."""
    key = _key(candidate, labeled)
    if not fit_cache.store.has(key):
        return None
    cost: FitCost = fit_cache.store.load(key)
    return cost


def of_each(candidates: Iterable[Candidate], labeled: str) -> dict[str, FitCost]:
    """The costs that are known, by the names of the candidates."""
    found = {candidate.name: known(candidate, labeled) for candidate in candidates}
    return {name: cost for name, cost in found.items() if cost is not None}


def _key(candidate: Candidate, labeled: str) -> str:
    return digests.key("cost", candidate.fit_identity(), labeled)
