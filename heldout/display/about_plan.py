"""On what the error to plan with rests: the sentence below the decision, in a notebook and in a report."""

from heldout.decision.ship import Planned
from heldout.estimates import ESTIMATES
from heldout.losses import Loss
from heldout.losses.amounts import amount


def rests_on(plan: Planned, loss: Loss, level: str, rows: str, *, won: bool, of: str = "", bound: str = "") -> str:
    """E_cv = 1.0 %, by cross-validation, on 300 rows, at 95 %.

    `rows` are the tested rows as text, `of` the groups that they are in. `won`: the winner has the least of several by
    this estimate. `bound` is what the error is at most.
    """
    record = plan.record
    planning, share = ESTIMATES[record.estimate].planning, ""
    if plan.of_baseline is not None:
        share = loss.share(record.value, plan.of_baseline)
    text = f"{record.estimate} = {amount(record.value, loss)}"
    text += f" ({share} against the baseline)" if share else ""
    text += "" if planning is None else f", {planning.says(rows, won=won)}"
    if of:
        text += of if record.estimate == "E_test" else f", {rows} rows{of}"
    text += f", at {level}"
    return f"{text}; {bound}" if bound and record.estimate != "E_test" else text
