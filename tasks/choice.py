"""The choice among the candidates, and the opening of the test part."""

from collections.abc import Mapping
from typing import Any

from heldout import holdout
from heldout.errors import BadArgument, FitFailure
from heldout.fitting import test
from heldout.losses import natural_loss
from heldout.records import Estimate
from heldout.selection import Selection, select, selection_bound
from tasks import files
from tasks.errors import UserError
from tasks.estimates import Results, criterion_values, standard_errors
from tasks.params import Candidate, Settings
from tasks.tracking import Ledger


def choose(settings: Settings, results: Results, estimates: Mapping[str, list[Estimate]]) -> Selection:
    """The winner by `selection.criterion` and `selection.rule`. Raises UserError if nothing can be chosen."""
    if not results.candidates:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in results.failures.items())
        raise UserError(f"candidates: all failed ({reasons}), so there is nothing to select; mend at least one")
    try:
        values = criterion_values(settings, estimates)
        errors = standard_errors(settings, results)
        return select(values, settings.criterion, settings.selection.rule, errors)
    except BadArgument as error:
        raise UserError(f"selection.{error.argument}: {error}") from None


def open_test_part(settings: Settings, winner: Candidate, model: Any) -> list[Estimate]:
    """E_test of the winner's model; empty where no test part was cut off."""
    if settings.split.test_fraction == 0:
        return []
    X, y = files.read_table(files.TEST)
    loss = natural_loss(y)
    n_train = len(files.read_table(files.LABELED)[1])
    try:
        losses = test(model, X, y, holdout.final_split(len(y)).validation, loss)
    except FitFailure as failure:
        raise UserError(f"candidates: {winner.name} failed on the test part: {failure}") from None
    return [holdout.final_estimate(winner.name, losses, n_train, loss, settings.selection.level)]


def describe(
    settings: Settings,
    selection: Selection,
    estimates: Mapping[str, list[Estimate]],
    test_estimate: list[Estimate],
    ledger: Ledger,
) -> dict[str, Any]:
    """selection.json."""
    held_out = next(record for record in estimates[selection.selected] if record.estimate == "E_val")
    _, y = files.read_table(files.LABELED)
    bound = None  # Hoeffding knows no bound for an unbounded loss
    if natural_loss(y).bounded:
        bound = selection_bound(held_out.value, held_out.n_tested, ledger.compared, settings.selection.level)
    return {
        "selected": selection.selected,
        "criterion": selection.criterion,
        "rule": selection.rule,
        "candidates": [candidate.name for candidate in settings.candidates],
        "contamination": ledger.compared,
        "bound": bound,
        "E_test": test_estimate[0].value if test_estimate else None,
        "test_openings": ledger.test_openings,
    }
