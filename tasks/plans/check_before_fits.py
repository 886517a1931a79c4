"""Checks before any fit: learners, target, loss, weights, form of delivery and criterion."""

from typing import Any

import pandas as pd
from sklearn.base import is_classifier, is_regressor

from heldout.errors import BadArgument
from heldout.estimates.criteria import check_admitted, compares_by
from heldout.learners import gives_probabilities, lacks_probabilities
from heldout.learners.chosen_inside import NEEDS_GROUPS, lacks_groups
from heldout.losses import SQUARED, ZERO_ONE, Loss
from heldout.rows.exchanged_rows import column_sets
from heldout.schemes.design import Design
from heldout.schemes.other_rows import check_folds
from heldout.selection.margin import check_matters
from heldout.splits.weights import fit_argument
from tasks.params import Candidate, Settings
from tasks.plans.check_columns import check_columns
from tasks.plans.read_design import read_design
from tasks.runtime.errors import UserError
from tasks.storage import files


def check_before_fits(settings: Settings) -> None:
    """Raise UserError for a candidate of the wrong kind, or a criterion, loss or form that cannot be computed."""
    check_columns(settings)
    design = read_design(settings)
    for place, candidate in enumerate(settings.candidates):
        _check_learner(candidate.learner(), candidate, f"candidates[{place}]", settings, design)
        if candidate.update is not None:
            _check_updated(settings, design, f"candidates[{place}].update is partial_fit for {candidate.name}")
    _check_columns_of_report(settings, design)
    _check_form(settings, design.loss)
    _check_criterion(settings, design.loss)
    check_margin(settings, design)


def check_margin(settings: Settings, design: Design) -> None:
    """Raise UserError for a margin that a candidate without an error would be alike to the baseline by."""
    try:
        check_matters(design.margin, design, compares_by(settings.criterion))
    except BadArgument as error:
        raise UserError(f"selection.{error}") from None


def _check_learner(learner: Any, candidate: Candidate, key: str, settings: Settings, design: Design) -> None:
    loss, label = design.loss, f"{candidate.name} ({candidate.estimator})"
    if is_regressor(learner) and loss.of_classes:
        raise UserError(
            f"{key}: the target holds classes, which need classifiers, but {label} is a regressor"
            f"{_other(loss, 'squared')}"
        )
    if is_classifier(learner) and not loss.of_classes:
        raise UserError(
            f"{key}: the target holds numbers, which need regressors, but {label} is a classifier"
            f"{_other(loss, 'zero_one')}"
        )
    if loss.needs == "probabilities" and not gives_probabilities(learner):
        raise UserError(f"{key}: {label}: {lacks_probabilities(loss, learner)}")
    if lacks_groups(learner, design.dependence):
        raise UserError(f"{key}: {label} {NEEDS_GROUPS}; name their column in data.groups")
    weighted = design.weights is not None and design.weights.must_reach_fit
    if weighted and fit_argument(learner) is None:
        raise UserError(
            f"{key}: data.weight is {settings.data.weight!r}, but the fit of {label} takes no sample_weight; remove "
            "the candidate, or data.weight"
        )


def _other(loss: Loss, other: str) -> str:
    """The remedy where the values of the target decided, and it may be of the other kind."""
    return f"; if the target is of the other kind, set loss to {other}" if loss in (ZERO_ONE, SQUARED) else ""


def _check_updated(settings: Settings, design: Design, prefix: str) -> None:
    """Raise UserError where hypotheses that share their updates cannot leave rows out, or cannot be kept."""
    if design.dependence.kind is not None:
        raise UserError(
            f"{prefix}: the folds and steps then learn all other rows, but rows depend by {design.dependence.kind}; "
            "remove it, or remove data.groups, data.time and split.duplicates"
        )
    if settings.deliver != "final":
        raise UserError(
            f"{prefix}: the hypotheses of the folds and steps are then tested and not kept, but deliver is "
            f"{settings.deliver}; use final, or remove it"
        )


def _check_columns_of_report(settings: Settings, design: Design) -> None:
    """Raise UserError where the columns of report.columns cannot be exchanged."""
    asked = settings.report.columns
    if asked is False:
        return
    try:
        check_folds(design)
        if asked is not True:
            column_sets(pd.DataFrame(columns=[*files.read_dtypes(files.LABELED)]), asked)
    except BadArgument as error:
        text = str(error).removeprefix("together ").removeprefix("columns: ").replace("X has", "the prepared rows have")
        raise UserError(
            f"report.columns {text}" if error.argument == "together" else f"report.columns: {text}"
        ) from None
    if updated := [candidate.name for candidate in settings.candidates if candidate.update is not None]:
        raise UserError(
            f"report.columns asks for the hypotheses of the folds, and update is partial_fit for {updated[0]}, whose "
            "hypotheses are not kept; remove one of both"
        )


def _check_form(settings: Settings, loss: Loss) -> None:
    if loss.needs == "probabilities" and settings.deliver in ("k_fold", "progressive"):
        raise UserError(
            f"deliver is {settings.deliver}, whose probabilities are the shares of its members' votes: no estimate "
            f"by the {loss.name} loss is about it; use final or vote"
        )


def _check_criterion(settings: Settings, loss: Loss) -> None:
    try:
        check_admitted(settings.selection.criterion or settings.criterion, loss)
    except BadArgument as error:
        raise UserError(f"selection.{error}") from None
    if "E_maxdt" in settings.criterion and not files.shards():
        raise UserError(
            f"selection.criterion is {settings.criterion}, which needs unlabelled rows, but there is no shard; set "
            "data.labeled_rows or data.unlabeled, or choose another criterion"
        )
