"""All candidates side by side: the choice among them, and what the winner's error is after the choice."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from heldout.design import Design, Evidence, cross_validated, half_losses, mean_fold_training_size, tested
from heldout.errors import BadArgument
from heldout.intervals.method import estimate_with, with_interval
from heldout.observed import CrossValidated, Tested
from heldout.records import Estimate
from heldout.schemes import SchemeName
from heldout.selection import bbc, nested_selection
from heldout.selection.bound import SelectionBound, selection_bound
from heldout.selection.comparison import Comparison, in_same_clusters
from heldout.selection.criteria import WITH_LOSSES, Criterion, check_admitted, criterion_value
from heldout.selection.differences import compared_by_e_cv
from heldout.selection.rules import Rule
from heldout.selection.select import Paired, Selection, select


def select_among(
    design: Design,
    evidence: Mapping[str, Evidence],
    estimates: Mapping[str, list[Estimate]],
    criterion: Criterion,
    rule: Rule,
) -> Selection:
    """The choice by `criterion` and `rule`. Raises BadArgument as `selection.select`, or where the loss refuses it."""
    check_admitted(criterion, design.loss)
    values = {
        name: criterion_value(criterion, {record.estimate: record.value for record in records})
        for name, records in estimates.items()
    }
    behind = paired(design, evidence, criterion) if criterion in WITH_LOSSES else None
    compared = compared_by_e_cv(design, evidence)
    if compared is None and behind is not None:
        compared = Comparison(behind.observed, behind.folds, design.level)
    return select(values, criterion, rule, behind, compared)


def no_bound(design: Design) -> BadArgument | None:
    """Why there is no bound on the error of the candidate that was chosen; None where there is one."""
    if "E_val" not in design.estimates:
        return BadArgument("estimates", "bound: E_val was not computed; estimates must contain it")
    if design.weights is not None and design.weights.most is not None:
        return BadArgument("weights", "bound: it needs independent rows, and which rows were drawn depends on others")
    if not design.loss.bounded:
        return BadArgument("loss_max", f"bound: no limit of the {design.loss.name} loss is known; state it as loss_max")
    if design.dependence.kind is not None:
        return BadArgument("groups", "bound: it needs independent rows, and rows of a group are not")
    return None


def bound_of(design: Design, evidence: Mapping[str, Evidence], name: str, models: Any = None) -> SelectionBound:
    """The bound on the error of the g- of candidate `name`, for `models` ever compared, None for those of `evidence`.

    Raises BadArgument where there is none, and for fewer models than candidates.
    """
    candidates = len(evidence)
    if (reason := no_bound(design)) is not None:
        raise reason
    models = candidates if models is None else models
    if isinstance(models, bool) or not isinstance(models, int | np.integer) or models < candidates:
        raise BadArgument(
            "models",
            f"models is {models!r}; it must be a whole number of at least {candidates}, the candidates of this call",
        )
    return selection_bound_of(design, evidence, name, int(models))  # type: ignore[return-value]  # there is one


def selection_bound_of(
    design: Design, evidence: Mapping[str, Evidence], name: str, models: int
) -> SelectionBound | None:
    """The bound on the error of the g- of candidate `name`, from the held-out losses of all candidates."""
    held_out = {other: tested(design, of, "holdout") for other, of in evidence.items()}
    compared = np.stack([other.losses for other in held_out.values()], axis=1)
    return selection_bound(held_out[name], models, design.level, compared)


def paired(design: Design, evidence: Mapping[str, Evidence], criterion: Criterion) -> Paired:
    """The losses behind a criterion, and the independent terms of its standard error."""
    if criterion == "E_cv":
        observed = {name: cross_validated(design, of) for name, of in evidence.items()}
        terms = {name: folds.fold_errors for name, folds in observed.items()}
        return Paired(in_same_clusters(observed), terms, _folds(design))
    if criterion == "E_2cv":  # a row's mean over repeats, which share their rows
        cluster = design.dependence.group  # there is no E_2cv in time
        means = {
            name: half_losses(design, of.losses["covalidation"], on_training_half=False).mean(axis=0)
            for name, of in evidence.items()
        }
        rows = {name: Tested(losses, design.loss, design.seed, cluster) for name, losses in means.items()}
        return Paired(rows, means, folds=2, terms_cluster=cluster)
    scheme: SchemeName = "holdout" if criterion == "E_val" else "progressive"
    seen = in_same_clusters({name: tested(design, of, scheme) for name, of in evidence.items()})
    losses = {name: rows.losses for name, rows in seen.items()}
    return Paired(seen, losses, terms_cluster=next(iter(seen.values())).cluster)


def estimate_winner(
    design: Design, evidence: Mapping[str, Evidence], selection: Selection | None = None
) -> list[Estimate]:
    """E_bbc and E_nested, as far as the design asks for them, of the winner by the least E_cv (ties to the first).

    Where `selection` took another candidate by E_cv, with a rule that a bootstrap can repeat, E_bbc is that one's.
    """
    wanted = [name for name in ("E_bbc", "E_nested") if name in design.estimates]
    if not wanted:
        return []
    observed = {name: cross_validated(design, of) for name, of in evidence.items()}
    losses = np.stack([folds.losses for folds in observed.values()])
    winner = list(evidence)[int(np.argmin(losses.mean(axis=1)))]
    n, n_train, cluster = len(design.y), mean_fold_training_size(design), design.dependence.group
    fold = design.partition.fold
    estimates = []
    if "E_bbc" in wanted:
        rule, taken = bbc.MINIMUM, winner
        if selection is not None and _can_be_repeated(design, selection):
            rule, taken = selection.rule, selection.selected
        value = bbc.corrected_error(losses, design.seed, cluster, rule, None if rule == bbc.MINIMUM else fold)
        record = Estimate(taken, "E_bbc", value, bbc.target(rule), n_train, n)
        interval = bbc.interval(value, observed[taken], design.level, design.dependence.kind)
        if interval is not None:
            record = replace(with_interval(record, interval), not_credible=bbc.doubt(observed[taken]))
        estimates.append(record)
    if "E_nested" in wanted:
        outer = nested_selection.outer_losses(losses, nested_winners(design, evidence), fold)
        seen = CrossValidated(outer, design.loss, design.seed, cluster, fold=fold)
        method = design.methods["E_nested"]
        estimates.append(
            estimate_with(winner, "E_nested", seen, nested_selection.TARGET, n_train, method, design.level)
        )
    return estimates


def nested_winners(design: Design, evidence: Mapping[str, Evidence]) -> list[int]:
    """The place of the candidate that wins inside each fold's training rows, a number for each fold."""
    pairs = np.stack([cross_validated(design, of).pair_losses for of in evidence.values()])  # type: ignore[misc]
    return nested_selection.inner_winners(pairs)


def _can_be_repeated(design: Design, selection: Selection) -> bool:
    """Whether the rule took by E_cv, and is one that a bootstrap of rows in one partition into folds can repeat."""
    return selection.criterion == "E_cv" and selection.rule in bbc.REPEATABLE and design.fold_repeats == 1


def _folds(design: Design) -> int:
    return int(design.partition.fold.max()) + 1
