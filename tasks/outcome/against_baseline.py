"""The winner against the best constant answer: on the rows of E_cv, and on the test part where it was opened."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout import baseline
from heldout.design import Design
from heldout.errors import BadArgument
from heldout.losses import Losses
from heldout.records import Estimate
from heldout.selection.select import Selection
from tasks.outcome.estimate import Results
from tasks.runtime.errors import UserError


@dataclass(frozen=True)
class AgainstBaseline:
    """The estimates of the baseline, and whether the winner is shown to beat it; None where it cannot be told."""

    estimates: tuple[Estimate, ...] = ()
    beaten: bool | None = None

    def described(self) -> dict[str, Any]:
        """The entries of selection.json."""
        [E_cv] = [record.value for record in self.estimates if record.estimate == "E_cv"]
        return {"baseline": E_cv, "beats_baseline": self.beaten}


def on_test_part(
    design: Design, losses: Losses, y: NDArray[np.generic], weights: Any, cluster: NDArray[np.int64] | None
) -> AgainstBaseline:
    """The same on the test part: from the winner's `losses` at the labels `y`, both of shape (n,)."""
    of_constant = baseline.final_losses(design, y) * weights
    estimate = baseline.final_estimate(design, of_constant, cluster)
    return AgainstBaseline((estimate,), baseline.beats(losses, of_constant, design.level, cluster=cluster))


def compare(results: Results, selection: Selection, test_part: AgainstBaseline) -> AgainstBaseline:
    """All estimates of the baseline, and the verdict: false if either part of the rows shows it, else true if one does.

    The test part judges the delivered hypothesis, and no choice depended on it; but it may be small.
    """
    design = results.design
    winner = results.evidence[selection.selected]
    try:
        estimates = baseline.estimates(design)
    except BadArgument as error:
        raise UserError(f"the baseline has no interval: {error}") from None
    verdicts = {baseline.is_beaten(design, winner, len(results.candidates)), test_part.beaten}
    beaten = False if False in verdicts else True if True in verdicts else None
    return AgainstBaseline((*estimates, *test_part.estimates), beaten)
