"""The metrics of the delivered hypothesis on the opened test set, over all rows and by the values of columns."""

from typing import Any

from heldout.losses.tested_losses import Tested
from heldout.metrics.answered_rows import ask
from heldout.metrics.measure import TestedRows, TestMetrics, measure
from heldout.schemes.design import Design
from tasks.outcome.opened_part import OpenedPart
from tasks.params import Settings
from tasks.plans.all_labeled import AllLabeled
from tasks.storage import files


def measure_test_set(
    settings: Settings,
    candidate: str,
    hypothesis: Any,
    design: Design,
    trained: AllLabeled,
    part: OpenedPart,
    tested: Tested,
) -> TestMetrics:
    """All metrics of `hypothesis` on the rows of `part`, whose losses were `tested`."""
    answered, lacking = ask(hypothesis, part.X, part.y, trained.y, tested)
    rows = TestedRows(
        candidate,
        answered,
        tested,
        design.methods.get("E_test"),
        design.level,
        design.dependence.kind,
        settings.data.target or files.TARGET,
        lacking,
    )
    return measure(rows, part.slices)
