"""E_test: the error of what is delivered on the test set, which no choice has used."""

from heldout.estimates.definition import Definition, Planning
from heldout.estimates.e_val import CLUSTERED, OF_ONE_HYPOTHESIS
from heldout.intervals.method import IntervalMethod, estimate_with
from heldout.losses.tested_losses import Tested
from heldout.records import Estimate
from heldout.schemes.holdout import TARGET_FINAL


def final_estimate(
    candidate: str, observed: Tested, n_train: int, method: IntervalMethod, level: float, target: str = TARGET_FINAL
) -> Estimate:
    """E_test: the mean loss of the delivered hypothesis on a test set that no choice depended on."""
    return estimate_with(candidate, "E_test", observed, target, n_train, method, level)


ESTIMATE = Definition(
    name="E_test",
    meaning="The error of what is delivered, on rows that no choice has used. It is measured once.",
    about="what is delivered, tested once on rows that no choice has used",
    trained_on="all labelled rows outside of the test set",
    kind="error",
    column=120,
    default=OF_ONE_HYPOTHESIS,
    valid={"groups": CLUSTERED, "time": CLUSTERED, "groups and time": CLUSTERED},
    planning=Planning(1, "on {n} rows that no choice has used"),
)
