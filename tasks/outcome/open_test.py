"""After the choice: the test part is opened, and selection.json is described."""

import logging
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow.parquet

from heldout import baseline, holdout
from heldout.delivery import FORMS
from heldout.design import tested, with_pool
from heldout.errors import BadArgument, FitFailure
from heldout.fitting import test
from heldout.metrics.measure import TestMetrics
from heldout.observed import Tested
from heldout.records import Estimate
from heldout.selection.bound import selection_bound
from heldout.selection.judging import selection_bound_of
from heldout.selection.select import Selection
from tasks.data.row_roles import dependence_of
from tasks.outcome.against_baseline import AgainstBaseline, on_test_part
from tasks.outcome.deliver import Delivered
from tasks.outcome.duplicates_effect import DuplicatesEffect
from tasks.outcome.estimate import Results
from tasks.outcome.ledger import Ledger, learner_id, winner_id
from tasks.outcome.measure_test_part import measure_test_part
from tasks.outcome.suspicious_record import Suspicious
from tasks.params import Candidate, Settings
from tasks.plans.all_labeled import read_all_labeled
from tasks.runtime.errors import UserError
from tasks.storage import files

log = logging.getLogger("heldout")


@dataclass(frozen=True)
class Opening:
    """E_test, the number of winners for which the test part was opened, and why it stayed closed, if it did.

    `metrics` are those of the delivered hypothesis on the same rows.
    """

    estimates: tuple[Estimate, ...] = ()
    openings: int = 0
    refused: str | None = None
    against_baseline: AgainstBaseline = field(default_factory=AgainstBaseline)
    metrics: TestMetrics = field(default_factory=TestMetrics)

    @property
    def closed(self) -> str:
        """Why no row was tested; empty if the part was opened."""
        if self.estimates:
            return ""
        return "the test part stayed closed" if self.refused else "split.test_fraction is 0"


def open_test_part(
    settings: Settings, results: Results, winner: Candidate, delivered: Delivered, ledger: Ledger
) -> Opening:
    """E_test of the delivered hypothesis, unless the part was opened for another winner; empty without a test part."""
    if settings.split.test_fraction == 0:
        return Opening()
    this = winner_id(winner, settings, files.read_seen_rows())
    # runs of older versions knew a winner by its learner alone
    opened_for = {this if one == learner_id(winner) else one for one in ledger.opened_for}
    if (reason := _spent(len(opened_for - {this}), ledger.used_by)) and not settings.selection.reopen_test:
        reason += ". Set selection.reopen_test to true to open it anyway, or take new rows"
        log.warning("E_test: not opened: %s", reason)
        return Opening(openings=len(opened_for), refused=reason)
    X, y = files.read_table(files.TEST)
    roles = files.read_test_roles()
    design, trained = results.design, read_all_labeled(settings)
    # over the mean weight of the labelled rows, as everywhere
    weights = 1.0 if trained.weights is None else trained.weights.relative_of(roles["weight"])
    try:
        losses = test(delivered.hypothesis, X, y, holdout.final_split(len(y)).validation, trained.loss) * weights
        for whose, of in ((winner.name, losses), (baseline.NAME, baseline.final_losses(trained, y))):
            trained.loss.check_losses(of, np.arange(len(y)), f"{whose} on the test part")
    except FitFailure as failure:
        raise UserError(f"candidates: {winner.name} failed on the test part: {failure}") from None
    except BadArgument as error:
        raise UserError(str(error)) from None
    clusters = dependence_of(roles, 0).clusters(np.arange(len(y)), losses)
    method = design.methods["E_test"]
    tested = Tested(losses, trained.loss, design.seed, clusters)
    if method.needs_cv:
        tested = with_pool(tested, results.evidence[winner.name], design.fold_repeats)
    estimate = holdout.final_estimate(
        winner.name,
        tested,
        delivered.rows,
        method,
        design.level,
        results.target(winner.name, FORMS[settings.deliver].target),
    )
    against = on_test_part(design, trained, winner.name, tested, y, weights)
    metrics = measure_test_part(settings, winner.name, delivered.hypothesis, design, trained, X, y, tested, weights)
    return Opening((estimate,), len(opened_for | {this}), against_baseline=against, metrics=metrics)


def _spent(others: int, used_by: int) -> str:
    """Why the test part is no longer unseen; empty if it is."""
    reasons = []
    if others:
        reasons.append(
            f"the test part of these data was opened for {others} other winner{'s' * (others > 1)}; a second look, "
            "also at the same learner trained on another draw of rows, would be a choice among test errors"
        )
    if used_by:
        reasons.append(
            f"{used_by} earlier run{'s' * (used_by > 1)} used labels of its rows to train and to choose, since another "
            "split.test_key, split.test_fraction, data.groups, data.time or split.duplicates, a table with fewer "
            "columns, or an older version that kept equal rows together, had left them outside"
        )
    return "; and ".join(reasons)


def describe(
    settings: Settings,
    results: Results,
    selection: Selection,
    opening: Opening,
    ledger: Ledger,
    delivered: Delivered,
    against: AgainstBaseline,
    effect: DuplicatesEffect | None = None,
    doubt: Suspicious | None = None,
) -> dict[str, Any]:
    """selection.json."""
    design = results.design
    bound = selection_bound_of(design, results.evidence, selection.selected, ledger.compared)
    held_out = tested(design, results.evidence[selection.selected], "holdout")
    alone = selection_bound(held_out, 1, design.level)
    target = results.target(selection.selected, FORMS[settings.deliver].target)
    return {
        "selected": selection.selected,
        "criterion": selection.criterion,
        "rule": selection.rule,
        "loss": design.loss.name,
        "candidates": [candidate.name for candidate in settings.candidates],
        "indistinguishable": list(selection.indistinguishable),
        "contamination": ledger.compared,
        "bound": bound and bound.value,
        "bound_joint": bound and bound.joint,
        "bound_of_one": alone and alone.value,
        "bound_method": bound and bound.method,
        "bound_hoeffding": bound and bound.hoeffding,
        **against.described(),
        "E_test": opening.estimates[0].value if opening.estimates else None,
        "rows_delivered": delivered.rows,
        "rows": {"estimates": len(design.y), "labeled": results.labeled, "test": _rows_of_test(settings)},
        "test_openings": opening.openings,
        "test_refused": opening.refused,
        "deliver": {"form": settings.deliver, "target": target, **delivered.sizes(), **delivered.tuned},
        **({} if effect is None else effect.described()),
        **({} if doubt is None else doubt.described()),
    }


def _rows_of_test(settings: Settings) -> int:
    return 0 if settings.split.test_fraction == 0 else int(pyarrow.parquet.read_metadata(files.TEST).num_rows)
