"""`heldout.validate`: the whole method on arrays, for a notebook or a script."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout import intervals as interval_methods
from heldout import table
from heldout.covalidation import pointwise_disagreement
from heldout.design import OF_THE_WINNER, PER_CANDIDATE, Design, Evidence, estimate_candidate
from heldout.errors import BadArgument, FitFailure
from heldout.fitting import fit_and_test, predict, test
from heldout.intervals.method import check_level
from heldout.judging import estimate_winner, nested_winners, select_among
from heldout.losses import LOSSES, Loss
from heldout.observed import Crossed
from heldout.partition import can_stratify, make_halves, make_partition, part_size, rarest_class, stratify_halves
from heldout.records import Estimate
from heldout.seeds import SchemeName, fit_state
from heldout.selection import CRITERIA, Criterion, Rule, Selection

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_KEPT: tuple[SchemeName, ...] = ("final", "holdout", "cross_validation", "progressive", "covalidation")
_OF_UNLABELED = ("disagreement", "E_dis", "E_maxdt")


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
    loss: str = "zero_one",
    seed: int = 0,
    level: float = 0.95,
    validation_fraction: float = 0.2,
    folds: int = 10,
    tested_fraction: float = 0.5,
    block: int = 1,
    repeats: int = 30,
    estimates: Sequence[str] | None = None,
    intervals: Mapping[str, str] | None = None,
) -> Validation:
    """Validate every learner of `candidates`, a mapping from name to unfitted estimator, simple to complex.

    `X`, shape (N, p), is an array, a data frame or a sparse matrix, `y`, shape (N,), its labels, and
    `unlabeled` further rows like X. `loss` is zero_one (classes; parts are then stratified), squared or
    absolute (numbers). `estimates` names what is computed (None: all that need no more than the data
    given, but for E_nested), `intervals` maps an estimate to the name of an interval method (others keep
    the choice of docs/coverage.md); only the fits needed for those are made. Every random choice comes
    from `seed`, and so does a learner's `random_state` that is left open.

    Raises BadArgument, a ValueError that names argument, value and limit, before any fit; FitFailure,
    with the candidate's name and reason, if one cannot be fitted.
    """
    chosen_loss = _known_loss(loss)
    _check_candidates(candidates)
    X, y = _checked_rows(X, y, chosen_loss)
    if groups is not None:
        raise BadArgument("groups", "groups is given, but grouped designs are not offered yet; leave it None")
    if unlabeled is not None:
        unlabeled = _checked_unlabeled(unlabeled, X)
    for argument, value, least in (
        ("seed", seed, 0),
        ("folds", folds, 2),
        ("block", block, 1),
        ("repeats", repeats, 1),
    ):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise BadArgument(argument, f"{argument} is {value!r}; it must be a whole number of at least {least}")
    check_level(level)
    wanted = _wanted(estimates, unlabeled is not None, len(candidates))
    if chosen_loss.binary and folds != len(y):
        _check_parts(y, {"validation_fraction": validation_fraction, "tested_fraction": tested_fraction})
    design = Design(
        y=y,
        loss=chosen_loss,
        partition=make_partition(
            y,
            validation_fraction=validation_fraction,
            folds=int(folds),
            tested_fraction=tested_fraction,
            stratify=chosen_loss.binary,
            seed=int(seed),
        ),
        halves=make_halves(
            y, repeats=int(repeats), stratify=stratify_halves(y, folds, chosen_loss.binary), seed=int(seed)
        ),
        block=int(block),
        stratify=chosen_loss.binary,
        seed=int(seed),
        level=level,
        methods=interval_methods.choose(intervals, chosen_loss),
        estimates=wanted,
    )
    schemes = design.schemes()
    for scheme in schemes:
        design.splits(scheme)  # what cannot be split, or has no interval, is told before any fit
    if "E_cv" in wanted:
        design.methods["E_cv"].check_folds(design.partition.fold)
    evidence, hypotheses = {}, {}
    for name, learner in candidates.items():
        if not isinstance(name, str):
            raise BadArgument("candidates", f"candidates has the name {name!r}; a name must be a string")
        evidence[name], hypotheses[name] = _collect(design, schemes, name, learner, X, unlabeled)
    records = [record for name in candidates for record in estimate_candidate(design, name, evidence[name])]
    records += estimate_winner(design, evidence)
    return Validation(tuple(records), tuple(candidates), design, evidence, hypotheses)


def _collect(
    design: Design, schemes: Sequence[SchemeName], name: str, learner: Any, X: Any, unlabeled: Any
) -> tuple[Evidence, dict[SchemeName, list[Any]]]:
    """Every fit of one candidate."""
    losses, hypotheses = {}, {}
    try:
        for scheme in schemes:
            fitted = [
                fit_and_test(learner, X, design.y, split, design.loss, fit_state(design.seed, scheme, number))
                for number, split in enumerate(design.splits(scheme))
            ]
            losses[scheme] = [one.losses for one in fitted]
            if scheme in _KEPT:
                hypotheses[scheme] = [one.hypothesis for one in fitted]
        training, disagreement = [], None
        if "covalidation" in schemes:
            halves = hypotheses["covalidation"]
            training = [
                test(hypothesis, X, design.y, split.train, design.loss)
                for hypothesis, split in zip(halves, design.splits("covalidation"), strict=True)
            ]
            if unlabeled is not None and any(estimate in design.estimates for estimate in _OF_UNLABELED):
                disagreement = _disagreement(halves, unlabeled, design.loss)
    except FitFailure as failure:
        raise FitFailure(f"{name}: {failure}") from failure
    return Evidence(losses, training, disagreement), hypotheses


def _disagreement(halves: Sequence[Any], unlabeled: Any, loss: Loss) -> Crossed:
    """The margins of the disagreement of each pair of half models on each unlabelled row."""
    n = unlabeled.shape[0]
    by_repeat, by_row = [], np.zeros(n)
    for first, second in zip(halves[::2], halves[1::2], strict=True):
        apart = pointwise_disagreement(predict(first, unlabeled), predict(second, unlabeled), loss)
        by_repeat.append(float(apart.mean()))
        by_row += apart
    by_row /= len(by_repeat)
    return Crossed(np.array(by_repeat), float(np.var(by_row, ddof=1)) if n > 1 else 0.0, n, loss)


def _known_loss(loss: str) -> Loss:
    if not isinstance(loss, str) or loss not in LOSSES:
        raise BadArgument("loss", f"loss is {loss!r}; it must be one of {', '.join(LOSSES)}")
    return LOSSES[loss]


def _check_candidates(candidates: Mapping[str, Any]) -> None:
    if not isinstance(candidates, Mapping) or not candidates:
        raise BadArgument("candidates", f"candidates is {candidates!r}; it must map at least one name to a learner")
    for name, learner in candidates.items():
        if not isinstance(name, str):
            raise BadArgument("candidates", f"candidates has the name {name!r}; a name must be a string")
        if isinstance(learner, type) or not all(hasattr(learner, has) for has in ("fit", "predict", "get_params")):
            raise BadArgument(
                "candidates", f"candidates[{name!r}] is {learner!r}; it must be an unfitted scikit-learn estimator"
            )


def _checked_rows(X: Any, y: Any, loss: Loss) -> tuple[Any, Any]:
    X = _table(X, "X")
    y = np.asarray(y)
    if y.ndim != 1 or len(y) != X.shape[0]:
        raise BadArgument("y", f"y has shape {y.shape}; it must be ({X.shape[0]},), one label for each row of X")
    if len(y) < 2:
        raise BadArgument("y", f"there are {len(y)} labelled rows; at least 2 are needed")
    missing = any(label is None or label != label for label in y.tolist())  # NaN alone is not itself
    if missing or (y.dtype.kind == "f" and not np.isfinite(y).all()):
        raise BadArgument("y", "y has a label that is missing or infinite; rows without a label go to unlabeled")
    kinds = sorted({type(label).__name__ for label in y.tolist()})
    if len(kinds) > 1:
        raise BadArgument("y", f"y mixes labels of the types {', '.join(kinds)}; give them one type")
    if loss.binary and y.dtype.kind == "f" and (y % 1 != 0).any():
        raise BadArgument("loss", "loss is zero_one, but y holds numbers that are no classes; use squared or absolute")
    if not loss.binary and y.dtype.kind not in "iufb":
        raise BadArgument("loss", f"loss is {loss.name}, but y holds {y.dtype} labels; use zero_one")
    return X, y


def _check_parts(y: Any, fractions: Mapping[str, float]) -> None:
    """Raise BadArgument for a part that cannot be stratified."""
    rarest, rows = rarest_class(y)
    if rows < 2:
        raise BadArgument(
            "y", f"class {rarest} of y has a single row, which no part can share; merge or drop that class"
        )
    for argument, fraction in fractions.items():
        size = part_size(len(y), fraction, argument)
        if not can_stratify(y, size):
            smaller, classes = min(size, len(y) - size), len(np.unique(y))
            raise BadArgument(
                argument,
                f"{argument} is {fraction}; a part of {smaller} rows cannot hold all {classes} classes, which needs at "
                f"least {classes} of {len(y)}",
            )


def _checked_unlabeled(unlabeled: Any, X: Any) -> Any:
    unlabeled = _table(unlabeled, "unlabeled")
    if unlabeled.shape[0] < 1 or unlabeled.shape[1] != X.shape[1]:
        raise BadArgument(
            "unlabeled", f"unlabeled has shape {unlabeled.shape}; it needs rows of {X.shape[1]} columns, as X has"
        )
    return unlabeled


def _table(X: Any, argument: str) -> Any:
    """An array, a data frame, or a sparse matrix whose rows can be taken."""
    if hasattr(X, "tocsr"):
        X = X.tocsr()
    elif not hasattr(X, "iloc"):
        X = np.asarray(X)
    if len(X.shape) != 2:
        raise BadArgument(argument, f"{argument} has shape {X.shape}; it must have two dimensions, rows by columns")
    return X


def _wanted(estimates: Sequence[str] | None, has_unlabeled: bool, candidates: int) -> tuple[str, ...]:
    every = (*PER_CANDIDATE, *OF_THE_WINNER)
    if estimates is None:
        left_out = (
            {"E_nested"} | (set() if has_unlabeled else set(_OF_UNLABELED)) | (set() if candidates > 1 else {"E_bbc"})
        )
        return tuple(name for name in every if name not in left_out)
    if isinstance(estimates, str) or not isinstance(estimates, Sequence) or not estimates:
        raise BadArgument(
            "estimates", f"estimates is {estimates!r}; it must be a list of names among {', '.join(every)}"
        )
    for name in estimates:
        if name not in every:
            raise BadArgument("estimates", f"estimates has {name!r}; it must name some of {', '.join(every)}")
        if name in _OF_UNLABELED and not has_unlabeled:
            raise BadArgument(
                "unlabeled", f"unlabeled is None, but {name} needs unlabelled rows; give some, or leave it out"
            )
    return tuple(name for name in every if name in estimates)
