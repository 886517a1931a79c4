"""Candidates whose losses are those of an earlier one on every row that was tested: one learner under two names."""

import hashlib
from collections.abc import Mapping

from heldout.schemes.design import Evidence
from heldout.splits.split import joined_losses


def equal_candidates(evidence: Mapping[str, Evidence]) -> dict[str, str]:
    """Each candidate that has the losses of an earlier one in every scheme, and the name of the first such one.

    Candidates that make no error are not equal by that: nothing tells whether they answer alike.
    """
    first, found = dict[bytes, str](), dict[str, str]()
    for name in evidence:  # the losses of one candidate at a time may be in memory
        digest, errs = hashlib.sha256(), False
        for scheme, losses in sorted(evidence[name].losses.items()):
            joined = joined_losses(losses).astype(float)
            digest.update(scheme.encode() + joined.tobytes())
            errs |= bool(joined.any())
        if errs and (earlier := first.setdefault(digest.digest(), name)) != name:
            found[name] = earlier
    return found


def line(earlier: str) -> str:
    """What tables say of a candidate that is equal to an earlier one, in place of its numbers."""
    return f"the losses of {earlier}, on every row"
