"""The contamination ledger: how often labelled data were used to choose a model (decision 4)."""

from dataclasses import dataclass

from tasks.params import Candidate
from tasks.storage import fit_cache


@dataclass(frozen=True)
class Ledger:
    """How often these labelled data were used to choose."""

    compared: int  # all learners ever compared, with those of this run: M of the selection bound
    opened_for: frozenset[str]  # the winners for which earlier runs opened the test part


def learner_id(candidate: Candidate) -> str:
    """The identity of a learner with its settings and preprocessing, whatever its name."""
    return fit_cache.content_hash("learner", candidate.identity())
