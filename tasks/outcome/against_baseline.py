"""The winner against the best constant answer: on the rows of E_cv, and on the test part where it was opened."""

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.estimates import e_test, estimate_candidate
from heldout.estimates.criteria import compares_by
from heldout.fits import baseline
from heldout.losses.ratio import weighed
from heldout.losses.tested_losses import Tested
from heldout.records import Difference, Estimate
from heldout.schemes.design import Design, in_time, with_pool
from heldout.selection import beats_baseline
from heldout.selection.comparison import Comparison
from heldout.selection.selected import Selection
from tasks.outcome.decision import ON_TEST
from tasks.outcome.estimate import Results
from tasks.runtime.errors import UserError


@dataclass(frozen=True)
class AgainstBaseline:
    """The estimates of the baseline, and whether the winner is shown to beat it; None where it cannot be told."""

    estimates: tuple[Estimate, ...] = ()
    beaten: bool | None = None
    on_test: Difference | None = None  # E_test of the winner less that of the baseline

    def described(self) -> dict[str, Any]:
        """The entries of selection.json."""
        [E_cv] = [record.value for record in self.estimates if record.estimate == "E_cv"]
        apart = {} if self.on_test is None else {ON_TEST: _numbers(self.on_test)}
        return {"baseline": E_cv, "beats_baseline": self.beaten, **apart}


def _numbers(record: Difference) -> dict[str, Any]:
    """Its fields; a margin is for the comparisons by cross-validation, and has no word here."""
    return {name: value for name, value in asdict(record).items() if name != "by_margin"}


def on_test_part(
    design: Design, labelled: baseline.Labelled, winner: str, tested: Tested, y: NDArray[np.generic]
) -> AgainstBaseline:
    """The same on the test part: the winner, `tested` at the labels `y`, and the constant of the `labelled` rows."""
    losses = weighed(baseline.final_losses(labelled, y), tested.weights)
    method = design.methods["E_test"]
    of_constant = replace(tested, losses=losses)
    if method.needs_cv:
        of_constant = with_pool(of_constant, baseline.evidence(design), design.fold_repeats)
    of_constant = in_time(of_constant, design, baseline.evidence(design))
    estimate = e_test.final_estimate(baseline.NAME, of_constant, len(labelled.y), method, design.level)
    compared = Comparison({winner: tested, baseline.NAME: replace(tested, losses=losses)}, None, design.level)
    [apart] = compared.differences(winner)
    return AgainstBaseline((estimate,), beats_baseline.beats(compared, winner), apart)


def compare(results: Results, selection: Selection, test_part: AgainstBaseline) -> AgainstBaseline:
    """All estimates of the baseline, and the verdict: false if either part of the rows shows it, else true if one does.

    The test part judges the delivered hypothesis, and no choice depended on it; but it may be small.
    """
    design = results.design
    constant = baseline.evidence(design)
    try:
        estimates = estimate_candidate(design, baseline.NAME, constant)
    except BadArgument as error:
        raise UserError(f"the baseline has no interval: {error}") from None
    estimate = compares_by(selection.criterion)
    of_estimate = beats_baseline.is_beaten(design, results.evidence, selection.selected, estimate)
    verdicts = {of_estimate, test_part.beaten}
    beaten = False if False in verdicts else True if True in verdicts else None
    return AgainstBaseline((*estimates, *test_part.estimates), beaten, test_part.on_test)
