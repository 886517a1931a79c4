"""After the choice: the test set is opened, and selection.json is described."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pyarrow.parquet

from heldout.decision.judging import selection_bound_of
from heldout.errors import BadArgument, FitFailure
from heldout.estimates import e_test
from heldout.fits import baseline
from heldout.learners.fitting import test
from heldout.losses.cells import cells
from heldout.losses.ratio import weighed
from heldout.losses.tested_losses import Tested
from heldout.metrics.measure import TestMetrics
from heldout.notebook.opened_test_set import Opened
from heldout.notebook.result import Validation
from heldout.records import Estimate
from heldout.schemes import holdout
from heldout.schemes.delivery import FORMS
from heldout.schemes.design import Design, in_time, tested, with_pool
from heldout.selection.bound import selection_bound
from heldout.selection.selection import Selection
from tasks.data.row_roles import dependence_of
from tasks.fits.stored_models import target_of
from tasks.outcome.deliver import Delivered
from tasks.outcome.duplicates_effect import DuplicatesEffect
from tasks.outcome.ledger import Ledger
from tasks.outcome.measure_test_set import measure_test_set
from tasks.outcome.opened_part import OpenedPart
from tasks.outcome.suspicious import Suspicious
from tasks.outcome.unused_rows import UnusedRows
from tasks.params import Candidate, Settings
from tasks.plans import all_labeled
from tasks.plans.all_labeled import read_all_labeled
from tasks.runtime.errors import UserError
from tasks.storage import files


@dataclass(frozen=True)
class Opening:
    """E_test, and the rows of the test set that it is about, None without a test set.

    `metrics` are those of the delivered hypothesis on the same rows.
    """

    found: UnusedRows | None = None
    opened: Opened | None = None
    metrics: TestMetrics = field(default_factory=TestMetrics)
    part: OpenedPart | None = None

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """E_test; empty where no row was tested."""
        return () if self.opened is None else (self.opened.estimate,)

    @property
    def closed(self) -> str:
        """Why no row was tested; empty if some were."""
        if self.found is None:
            return "split.test_fraction is 0"
        if self.found.refused:
            return "the test set stayed closed"
        return "" if self.estimates else "the test set is sealed"


def check_weights(validation: Validation, found: UnusedRows | None) -> None:
    """Raise UserError where the rows that were `found` have no weight, before a ledger says that they are opened."""
    if found is None or not len(found.rows) or not validation.design.loss.weighted:
        return
    if not files.read_test_roles()["weight"][found.rows].any():
        raise UserError(
            f"the {len(found.rows)} rows of the test set have weight 0, so that E_test has no value; open it later"
        )


def open_test_set(
    settings: Settings, validation: Validation, winner: Candidate, delivered: Delivered, found: UnusedRows | None
) -> Opening:
    """E_test of the delivered hypothesis on the rows that were `found` for it; empty without any."""
    if found is None or not len(found.rows):
        return Opening(found)
    part = OpenedPart.read(found.rows)
    X, y = part.X, part.y
    design, trained = validation.design, read_all_labeled(settings)
    weights = part.roles["weight"] if trained.loss.weighted else None
    try:
        losses = test(delivered.hypothesis, X, y, holdout.final_split(len(y)).validation, trained.loss)
        for whose, of in ((winner.name, losses), (baseline.NAME, baseline.final_losses(trained, y))):
            trained.loss.check_losses(of, np.arange(len(y)), f"{whose} on the test set")
    except FitFailure as failure:
        raise UserError(f"candidates: {winner.name} failed on the test set: {failure}") from None
    except BadArgument as error:
        raise UserError(str(error)) from None
    losses, method = weighed(losses, weights), design.methods["E_test"]
    clusters = dependence_of(part.roles, 0).clusters(np.arange(len(y)), losses)
    of_cells = cells(trained.loss, trained.y, y)
    tested = Tested(losses, trained.loss, design.seed, clusters, cells=of_cells, weights=weights)
    if method.needs_cv:
        tested = with_pool(tested, validation.evidence[winner.name], design.fold_repeats)
    if design.dependence.time is not None:
        tested = in_time(tested, design, validation.evidence[winner.name])
    estimate = e_test.final_estimate(
        winner.name,
        tested,
        delivered.rows,
        method,
        design.level,
        target_of(winner, FORMS[settings.deliver].target),
    )
    metrics = measure_test_set(settings, winner.name, delivered.hypothesis, design, trained, part, tested)
    answered: Any = metrics.answered  # what was just measured
    opened = Opened.of(estimate, tested, answered, y, design, trained)
    return Opening(found, opened, metrics, part)


def describe(
    settings: Settings,
    validation: Validation,
    selection: Selection,
    opening: Opening,
    *,
    ledger: Ledger,
    delivered: Delivered,
    against: Mapping[str, Any],
    effect: DuplicatesEffect | None = None,
    doubt: Suspicious | None = None,
) -> dict[str, Any]:
    """selection.json, with what it says of the winner `against` the baseline."""
    design = validation.design
    bound = selection_bound_of(design, validation.evidence, selection.selected, ledger.compared)
    held_out = tested(design, validation.evidence[selection.selected], "holdout")
    alone = selection_bound(held_out, 1, design.level)
    winner = next(candidate for candidate in settings.candidates if candidate.name == selection.selected)
    target = target_of(winner, FORMS[settings.deliver].target)
    return {
        "selected": selection.selected,
        "criterion": selection.criterion,
        "rule": selection.rule,
        "loss": design.loss.name,
        "candidates": [candidate.name for candidate in settings.candidates],
        "dropped": [asdict(one) for one in validation.dropped],
        **({} if validation.halvings is None else {"halvings": asdict(validation.halvings)}),
        "indistinguishable": list(selection.indistinguishable),
        "contamination": ledger.compared,
        "bound": bound and bound.value,
        "bound_joint": bound and bound.joint,
        "bound_of_one": alone and alone.value,
        "bound_method": bound and bound.method,
        "bound_hoeffding": bound and bound.hoeffding,
        **against,
        "E_test": opening.estimates[0].value if opening.estimates else None,
        "rows_delivered": delivered.rows,
        "rows": {"estimates": len(design.y), "labeled": all_labeled.count(), "test": _rows_of_test(settings)},
        **_groups(design, opening),
        **_of_test_set(opening.found or UnusedRows()),
        **({"removed": ledger.removed} if ledger.removed else {}),
        "deliver": {"form": settings.deliver, "target": target, **delivered.sizes(), **delivered.tuned},
        **({} if effect is None else effect.described()),
        **({} if doubt is None else doubt.described()),
    }


def _groups(design: Design, opening: Opening) -> dict[str, Any]:
    """How many groups the rows of the estimates are of, and those that were tested; empty for rows in none."""
    if design.dependence.groups is None:
        return {}
    tested = {} if opening.part is None else {"test": len(np.unique(opening.part.roles["group"].astype(str)))}
    return {"groups": {"estimates": design.dependence.groups, **tested}}


def _of_test_set(found: UnusedRows) -> dict[str, Any]:
    return {
        "test_openings": found.winners,
        "test_others": found.others,
        "test_sealed": found.sealed,
        "test_refused": found.refused,
    }


def _rows_of_test(settings: Settings) -> int:
    return 0 if settings.split.test_fraction == 0 else int(pyarrow.parquet.read_metadata(files.TEST).num_rows)
