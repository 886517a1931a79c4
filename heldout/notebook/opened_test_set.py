"""What the winner did on the test set: as it is delivered, on rows that no choice has used."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from heldout.estimates import e_test
from heldout.fits import baseline
from heldout.losses.ratio import weighed
from heldout.losses.tested_losses import Tested
from heldout.metrics.metric import Answered
from heldout.records import Difference, Estimate
from heldout.schemes.design import Design, in_time, with_pool
from heldout.selection import beats_baseline
from heldout.selection.comparison import Comparison


@dataclass(frozen=True, eq=False)
class Opened:
    """E_test of a candidate and `of_baseline`, their difference, and what the delivered hypothesis `answered` there.

    `beats_baseline` says whether it is shown to err less than the baseline; None where that cannot be told.
    """

    estimate: Estimate
    of_baseline: Estimate
    less_baseline: Difference
    beats_baseline: bool | None
    answered: Answered

    @property
    def candidate(self) -> str:
        """Its name."""
        return self.estimate.candidate

    @classmethod
    def of(
        cls,
        estimate: Estimate,
        tested: Tested,
        answered: Answered,
        y: NDArray[np.generic],
        design: Design,
        labelled: baseline.Labelled,
    ) -> "Opened":
        """From E_test of a winner, `tested` at the labels `y`, next to the best constant of the `labelled` rows."""
        losses = weighed(baseline.final_losses(labelled, y), tested.weights)
        method = design.methods["E_test"]
        of_constant = replace(tested, losses=losses)
        if method.needs_cv:
            of_constant = with_pool(of_constant, baseline.evidence(design), design.fold_repeats)
        of_constant = in_time(of_constant, design, baseline.evidence(design))
        of_baseline = e_test.final_estimate(baseline.NAME, of_constant, len(labelled.y), method, design.level)
        seen = {estimate.candidate: tested, baseline.NAME: replace(tested, losses=losses)}
        compared = Comparison(seen, None, design.level)
        [apart] = compared.differences(estimate.candidate)
        return cls(estimate, of_baseline, apart, beats_baseline.beats(compared, estimate.candidate), answered)
