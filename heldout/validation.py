"""`heldout.validate`: the whole method on arrays, for a notebook or a script."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout import arguments, table
from heldout.covalidation import disagreements
from heldout.design import OF_UNLABELED, Design, Evidence, estimate_candidate
from heldout.errors import BadArgument, FitFailure, LearnerWarning
from heldout.fit_warnings import FitWarnings, WarningCounts
from heldout.fitting import fit_and_test, test
from heldout.intervals import dependent
from heldout.intervals.method import check_level
from heldout.losses import Loss, check_spec, choose_loss
from heldout.observed import RepeatedByRow
from heldout.partition import make_halves, make_partition, stratify_halves
from heldout.progressive import Block
from heldout.records import Estimate
from heldout.schemes import SCHEMES, SchemeName
from heldout.seeds import fit_state
from heldout.selection.criteria import CRITERIA, Criterion
from heldout.selection.judging import estimate_winner, nested_winners, select_among
from heldout.selection.rules import Rule
from heldout.selection.select import Selection

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Validation:
    """What `validate` found: the estimates of every candidate, and the hypotheses that they are about.

    `estimates` are records with the columns of `estimates.csv` as attributes, candidates in their order;
    `print` shows them as a table.
    """

    estimates: tuple[Estimate, ...]
    candidates: tuple[str, ...]
    _design: Design = field(repr=False)
    _evidence: Mapping[str, Evidence] = field(repr=False)
    _hypotheses: Mapping[str, Mapping[SchemeName, list[Any]]] = field(repr=False)

    def target(self, candidate: str, estimate: str) -> list[Any]:
        """The fitted hypotheses of which the estimate's target is the mean true error.

        One for E_val and E_in, k for E_cv, one a block for E_prog (with blocks or folds of unequal size
        each counts by its tested rows), and 2R half models in the order (repeat 0, half 0), (repeat 0,
        half 1), … for E_2cv, E_train, disagreement, E_dis and E_maxdt; of the winner's k for E_bbc, and
        for E_nested the winner inside each fold's training rows. Raises BadArgument for a name that was
        not estimated.
        """
        if candidate not in self.candidates:
            raise BadArgument(
                "candidate", f"candidate is {candidate!r}; it must be one of {', '.join(self.candidates)}"
            )
        known = {record.estimate for record in self.estimates if record.candidate == candidate}
        if estimate not in known:
            raise BadArgument(
                "estimate", f"estimate is {estimate!r}; of {candidate} there are {', '.join(sorted(known))}"
            )
        if estimate == "E_nested":
            winners = nested_winners(self._design, self._evidence)
            return [
                self._hypotheses[self.candidates[place]]["cross_validation"][fold] for fold, place in enumerate(winners)
            ]
        scheme = self._design.scheme_of(estimate)
        return list(self._hypotheses[candidate][scheme])

    def select(self, criterion: Criterion = "E_cv", rule: Rule = "minimum") -> Selection:
        """The candidate to take (METHOD, section 6), and those that cannot be told from the best.

        Raises BadArgument for a criterion or rule that is not known, or was not computed.
        """
        if criterion not in CRITERIA:
            raise BadArgument("criterion", f"criterion is {criterion!r}; it must be one of {', '.join(CRITERIA)}")
        by_candidate = {
            name: [record for record in self.estimates if record.candidate == name] for name in self.candidates
        }
        return select_among(self._design, self._evidence, by_candidate, criterion, rule)

    def plot(self) -> "Figure":
        """A matplotlib figure: each candidate's estimates with their intervals. Needs matplotlib."""
        return table.draw(self.estimates, self.candidates, percent=self._design.loss.binary)

    def __str__(self) -> str:
        return table.text(self.estimates, self.candidates, percent=self._design.loss.binary)


def validate(
    candidates: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    unlabeled: Any = None,
    groups: Any = None,
    loss: str | Mapping[str, Any] = "zero_one",
    seed: int = 0,
    level: float = 0.95,
    validation_fraction: float = 0.2,
    folds: int = 10,
    tested_fraction: float = 0.5,
    block: Block = 1,
    repeats: int = 30,
    estimates: Sequence[str] | None = None,
    intervals: Mapping[str, str] | None = None,
) -> Validation:
    """Validate every learner of `candidates`, a mapping from name to unfitted estimator, simple to complex.

    `X`, shape (N, p), is an array, a data frame or a sparse matrix, `y`, shape (N,), its labels, and `unlabeled`
    further rows like X. `groups`, shape (N,), names the group of each row, if rows of a group are alike: no group
    is then on both sides of any split, and the intervals are those that do not need independent rows
    (`heldout.intervals.dependent`); the groups of unlabelled rows are not known. `loss` is zero_one, log, brier,
    balanced or {"cost": {actual: {predicted: c}}} (classes; parts are then stratified), squared, absolute or
    {"pinball": q} (numbers). `estimates` names what is computed (None: all that the loss admits and that need no
    more than the data given, but for E_nested), `intervals` maps an estimate to the name of an interval method
    (others keep the choice of docs/coverage.md); only the fits needed for those are made. Every random choice comes
    from `seed`, and so does a learner's `random_state` that is left open.

    Raises BadArgument, a ValueError that names argument, value and limit, before any fit; FitFailure,
    with the candidate's name and reason, if one cannot be fitted. Warnings of fits are told once a candidate, in a
    LearnerWarning with the share of its fits.
    """
    check_spec(loss)
    arguments.check_candidates(candidates)
    X, y = arguments.checked_rows(X, y)
    chosen_loss = choose_loss(loss, y)
    arguments.check_answers(candidates, chosen_loss)
    dependence = arguments.checked_groups(groups, len(y))
    if unlabeled is not None:
        unlabeled = arguments.checked_unlabeled(unlabeled, X)
    arguments.check_whole(seed=(seed, 0), folds=(folds, 2), repeats=(repeats, 1))
    if block != "auto":
        arguments.check_whole(block=(block, 1))
    check_level(level)
    wanted = arguments.wanted(estimates, unlabeled is not None, len(candidates), chosen_loss)
    if chosen_loss.of_classes and folds != len(y) and groups is None:
        arguments.check_parts(y, {"validation_fraction": validation_fraction, "tested_fraction": tested_fraction})
    design = Design(
        y=y,
        loss=chosen_loss,
        partition=make_partition(
            y,
            validation_fraction=validation_fraction,
            folds=int(folds),
            tested_fraction=tested_fraction,
            stratify=chosen_loss.of_classes,
            seed=int(seed),
            dependence=dependence,
        ),
        halves=make_halves(
            y,
            repeats=int(repeats),
            stratify=stratify_halves(y, folds, chosen_loss.of_classes),
            seed=int(seed),
            dependence=dependence,
        ),
        block=block if block == "auto" else int(block),
        stratify=chosen_loss.of_classes,
        seed=int(seed),
        level=level,
        methods=dependent.choose(intervals, chosen_loss, dependence.kind),
        estimates=wanted,
        dependence=dependence,
    )
    schemes = design.schemes()
    for scheme in schemes:
        design.splits(scheme)  # what cannot be split, or has no interval, is told before any fit
    if "E_cv" in wanted:
        design.methods["E_cv"].check_folds(design.partition.fold)
    evidence, hypotheses = {}, {}
    for name, learner in candidates.items():
        evidence[name], hypotheses[name] = _collect(design, schemes, name, learner, X, unlabeled)
    records = [record for name in candidates for record in estimate_candidate(design, name, evidence[name])]
    records += estimate_winner(design, evidence)
    return Validation(tuple(records), tuple(candidates), design, evidence, hypotheses)


def _collect(
    design: Design, schemes: Sequence[SchemeName], name: str, learner: Any, X: Any, unlabeled: Any
) -> tuple[Evidence, dict[SchemeName, list[Any]]]:
    """Every fit of one candidate."""
    losses, hypotheses = {}, {}
    warned: list[FitWarnings] = []
    try:
        for scheme in schemes:
            fitted = [
                fit_and_test(
                    learner, X, design.y, split, design.loss, fit_state(design.seed, scheme, number), design.weights
                )
                for number, split in enumerate(design.splits(scheme))
            ]
            losses[scheme] = [one.losses for one in fitted]
            warned += [one.warned for one in fitted]
            if SCHEMES[scheme].estimates:
                hypotheses[scheme] = [one.hypothesis for one in fitted]
        training, disagreement = [], None
        if "covalidation" in schemes:
            halves = hypotheses["covalidation"]
            training = [
                test(hypothesis, X, design.y, split.train, design.loss, design.weights)
                for hypothesis, split in zip(halves, design.splits("covalidation"), strict=True)
            ]
            if unlabeled is not None and any(estimate in design.estimates for estimate in OF_UNLABELED):
                disagreement = _disagreement(halves, unlabeled, design.loss)
    except FitFailure as failure:
        raise FitFailure(f"{name}: {failure}") from failure
    if any(warned):
        warnings.warn(f"{name}: {WarningCounts.of(warned)}", LearnerWarning, stacklevel=3)
    return Evidence(losses, training, disagreement), hypotheses


def _disagreement(halves: Sequence[Any], unlabeled: Any, loss: Loss) -> RepeatedByRow:
    """The margins of the disagreement of each pair of half models on each unlabelled row."""
    n = unlabeled.shape[0]
    by_repeat, by_row = disagreements(halves, unlabeled, loss)
    by_row /= len(by_repeat)
    return RepeatedByRow(
        by_repeat[:, 0], float(np.var(by_row, ddof=1)) if n > 1 else 0.0, n, loss.disagreement_loss or loss
    )
