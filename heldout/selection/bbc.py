"""The winner's error, corrected for having won by a bootstrap of the selection: no further fit.

Target: the true error of the k-fold hypothesis of the candidate that a rule takes by E_cv, among this run's candidates.
Kind: E_bbc is nearly unbiased; its interval is asymptotic, a heuristic.
Source: Tsamardinos, Greasidou, Borboudakis, Bootstrapping the out-of-sample predictions for efficient and accurate
cross-validation (Machine Learning 107, 2018), Algorithm 5 (BBC-CV), for the value; E. B. Wilson (1927), and Nadeau,
Bengio (Machine Learning 52, 2003), for the interval.

Each bootstrap draws N rows with replacement, lets the rule take a candidate by its mean loss on them, and tests it on
the rows that were not drawn; E_bbc is the mean of the errors of all bootstraps. Rows' losses share their training rows,
which the bootstrap does not see: a small optimism is left.

The percentiles of the bootstraps' errors are no interval: each is an error on about N/e rows, with the noise of so few
rows, and all are 0 where no row is wrong. The interval goes from the lower bound about the winner's E_cv, q_w, which is
too low by the choice, to the upper bound about E_bbc. That is too high where one candidate is better than many, since
bootstraps miss it more often than the choice does: bounds about E_bbc alone covered in .70 to .90 of such tables, and
missed on that side.

Both bounds take the variance of the winner's E_cv, V, with its correction for shared training rows: for 0/1 losses
they are Wilson's roots for n_eff = q_w (1 - q_w) / V rows (`corrected_wilson`, or `corrected_fold_wilson` where no
subsamples were fitted); for losses of classes as far from their centre as those of `corrected_wilson_by_class`, or
`pooled_wilson_by_class`, from q_w; for other losses those of `corrected_log_t`, or `corrected_fold_t`, with the
relative standard error sqrt(V) / q_w. Where a loss with a limit is 0 in all rows, the upper bound is at least that of a
share of the limit of which no row was seen. Of hypotheses that were tested on rows outside of their training, they are
those of `wilson` and `log_t`.

Where several candidates may have won, E_bbc is a mean over them and varies less than the E_cv of any. With p_c the
share of bootstraps that take candidate c, r is the variance of the rows' losses sum_c p_c l_c over that of the winner's
losses, 1 at most. Both bounds have (1 + r) V / 2 in place of V, half of the way to r V: the hypotheses of all
candidates learn from the same rows, which does not average out. This is for the least E_cv alone; where another rule
or criterion chose, r is 1.
"""

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument
from heldout.intervals import (
    called,
    corrected_fold_t,
    corrected_fold_wilson,
    corrected_log_t,
    corrected_t,
    corrected_wilson,
    corrected_wilson_by_class,
    credible,
    log_t,
    pooled_wilson_by_class,
    wilson,
)
from heldout.intervals.method import IntervalMethod, hidden_share, restated, two_sided_normal, two_sided_t
from heldout.losses import Losses
from heldout.losses.tested_losses import CrossValidated, Tested
from heldout.records import Estimate, Interval
from heldout.selection.bootstrap import draws
from heldout.selection.rules import RULES, Rule
from heldout.selection.rules.rule import Values
from heldout.splits.dependence import DependenceKind

MINIMUM: Rule = "minimum"
# the confidence set takes the variances of further fits, which a bootstrap of rows does not have
REPEATABLE: tuple[Rule, ...] = tuple(name for name, rule in RULES.items() if rule.largest is not None)
_ASSUMPTION = "held-out losses of different rows nearly independent"
_KEPT: dict[tuple[object, ...], "Corrected"] = {}
_MOST_KEPT = 4
_AMONG_ALL, _AMONG_LEFT = "this run's candidates", "the candidates that a race left"


def target(rule: Rule = MINIMUM, criterion: str = "E_cv") -> str:
    """What E_bbc is about, where the `rule` chose by `criterion`."""
    return f"the k-fold hypothesis of the candidate that the rule {rule} takes by {criterion}, among {_AMONG_ALL}"


def of_left(record: Estimate) -> Estimate:
    """E_bbc where a race dropped candidates: the bootstrap repeats the choice among the others."""
    return replace(record, target=record.target.replace(_AMONG_ALL, _AMONG_LEFT))


def assumption(interval: str, kind: DependenceKind | None) -> str:
    """The assumption behind an interval of E_bbc, from its method's name and from how rows depend."""
    (method,) = called(interval)
    return f"{(method if kind is None else restated(method, kind)).covers['E_cv']}; {_ASSUMPTION}"


@dataclass(frozen=True, eq=False)
class Corrected:
    """E_bbc, the `error`, and the mean `losses` of the candidates that the bootstraps took, shape (N,)."""

    error: float
    losses: Losses


def corrected(
    losses: Losses,
    seed: int,
    cluster: NDArray[np.int64] | None = None,
    rule: Rule = MINIMUM,
    fold: NDArray[np.int64] | None = None,
    chosen_by: Losses | None = None,
) -> Corrected:
    """E_bbc from the held-out `losses`, shape (M, N), of M candidates, the first one the simplest.

    Columns are put in a canonical order first, so that the order of rows does not matter. Where the rows have a
    `cluster`, shape (N,), whole clusters are drawn. `rule` is one of `REPEATABLE`, and a rule that
    reads the standard error of E_cv needs the `fold` of each row, shape (N,). A bootstrap takes a candidate by its mean
    of `chosen_by`, shape (M, N), in place of its mean loss, where that is given. What was found last is kept, for those
    who ask for the same.
    """
    largest = RULES[rule].largest
    if largest is None:
        raise BadArgument("rule", f"rule is {rule}, which a bootstrap cannot repeat; use {' or '.join(REPEATABLE)}")
    fold = np.zeros(losses.shape[1], dtype=np.int64) if fold is None else fold
    tables = losses if chosen_by is None else np.concatenate([losses, chosen_by])
    arrays = (tables, fold, np.zeros(0) if cluster is None else cluster)
    content = (hashlib.sha256(np.ascontiguousarray(one).data).digest() for one in arrays)
    key = (losses.shape, tables.shape, seed, rule, *content)
    if key not in _KEPT:
        if len(_KEPT) >= _MOST_KEPT:
            del _KEPT[next(iter(_KEPT))]
        _KEPT[key] = _corrected(losses, tables, seed, cluster, fold, largest)
    return _KEPT[key]


def _corrected(
    losses: Losses,
    tables: Losses,
    seed: int,
    cluster: NDArray[np.int64] | None,
    fold: NDArray[np.int64],
    largest: Callable[[Values, Values], Values],
) -> Corrected:
    tables, size, starts = _units(tables, fold, cluster)
    summed, by = tables[: len(losses)], tables[-len(losses) :]
    found = [_errors(summed, by, size, starts, drawn, largest) for drawn in draws(len(size), seed)]
    errors, winners = (np.concatenate(part) for part in zip(*found, strict=True))
    return Corrected(float(errors.mean()), np.bincount(winners, minlength=len(losses)) / len(winners) @ losses)


def interval(
    value: float,
    winner: Tested,
    level: float,
    kind: DependenceKind | None = None,
    taken: Losses | None = None,
) -> Interval | None:
    """The interval of E_bbc `value`, by the losses of the `winner`; None where they are too few for its method.

    `kind` says how the rows depend on one another. `taken`, shape (n,), are the mean losses of the candidates that the
    bootstraps took, in the order of the winner's; None where these and the winner had not the least mean loss.
    """
    method = _method(winner)
    if winner.n < method.least:
        return None
    share = 1.0 if taken is None else _share(taken, winner)
    low = _about(min(value, winner.error), winner, level, share)[0]
    high = _about(max(value, winner.error), winner, level, share)[1]
    if method.losses == "any" and winner.error == 0 and math.isfinite(winner.loss.limit):
        high = max(high, winner.loss.limit * hidden_share(winner, level))
    of_folds = isinstance(winner, CrossValidated)
    told = assumption(method.name, kind) if of_folds else f"{method.covers['E_val']}; {_ASSUMPTION}"
    return Interval(max(low, 0.0), min(high, winner.loss.limit), level, method.name, told)


def doubt(winner: Tested) -> str | None:
    """Why the interval is not credible, as that of the winner's own error; None where it may be."""
    return credible.doubt(winner, _method(winner))


def _about(centre: float, winner: Tested, level: float, share: float) -> tuple[float, float]:
    """The bounds about a `centre`, with a `share` of the variance of the winner's error."""
    quantile = _quantile(winner, level)
    if winner.loss.binary:
        return wilson.roots_at(centre, _size(winner) / share, quantile)
    if _by_class(winner):
        low, high = _method(winner).bounds(winner, level)
        return centre - (winner.error - low), centre + (high - winner.error)
    reach = quantile * math.sqrt(share) * _standard_error(winner) * (centre / winner.error if winner.error > 0 else 1.0)
    symmetric = _method(winner) is corrected_fold_t.METHOD
    return (centre - reach, centre + reach) if symmetric else log_t.about(centre, reach)


def _share(taken: Losses, winner: Tested) -> float:
    """(1 + r) / 2 for the variance r of a mean of the losses `taken` over that of the winner's; r is 1 at most, and
    where one of them does not vary."""
    both = np.stack([taken, winner.losses])
    centred = both - both.mean(axis=1, keepdims=True)
    if winner.cluster is not None:
        centred = np.stack([np.bincount(winner.cluster, weights=of) for of in centred])
    ours, his = (centred**2).sum(axis=1).tolist()
    return (1 + min(ours / his, 1.0)) / 2 if ours > 0 and his > 0 else 1.0


def _method(winner: Tested) -> IntervalMethod:
    """The method of the winner's own error, by the fits that were made."""
    if not isinstance(winner, CrossValidated):
        return wilson.METHOD if winner.loss.binary else log_t.METHOD
    if _by_class(winner):
        return corrected_wilson_by_class.METHOD if _has_subsamples(winner) else pooled_wilson_by_class.METHOD
    if not _has_subsamples(winner):
        return corrected_fold_wilson.METHOD if winner.loss.binary else corrected_fold_t.METHOD
    return corrected_wilson.METHOD if winner.loss.binary else corrected_log_t.METHOD


def _size(winner: Tested) -> float:
    """The independent rows that the rows weigh as much as, for 0/1 losses."""
    if not isinstance(winner, CrossValidated):
        return wilson.effective_size(winner)
    if not _has_subsamples(winner):
        return corrected_fold_wilson.effective_size(winner)
    return corrected_wilson.effective_size(winner)


def _standard_error(winner: Tested) -> float:
    if not isinstance(winner, CrossValidated):
        return float(np.std(winner.losses, ddof=1)) / math.sqrt(winner.n)
    if not _has_subsamples(winner):
        return math.sqrt(corrected_fold_t.variance(winner))
    return math.sqrt(corrected_t.variance_or_pooled(winner))


def _quantile(winner: Tested, level: float) -> float:
    if not isinstance(winner, CrossValidated):
        return two_sided_normal(level) if winner.loss.binary else two_sided_t(level, winner.n - 1)
    return two_sided_t(level, corrected_t.degrees(winner) if _has_subsamples(winner) else winner.folds - 1)


def _by_class(winner: Tested) -> bool:
    """Whether the losses are known by class, of independent rows in folds: what few rows of a class may cost counts."""
    known = winner.cells is not None and winner.cluster is None and not winner.loss.binary
    return known and isinstance(winner, CrossValidated)


def _has_subsamples(winner: CrossValidated) -> bool:
    """Whether their errors may be used: of dependent rows only the spread of fold errors may."""
    return winner.subsample_errors is not None and winner.cluster is None


def _units(
    losses: Losses, fold: NDArray[np.int64], cluster: NDArray[np.int64] | None
) -> tuple[Losses, NDArray[np.int64], NDArray[np.intp]]:
    """The units that are drawn, fold by fold: the sum of each candidate's losses, shape (M, G), the units' rows, shape
    (G,), and the first unit of each fold."""
    size = np.ones(losses.shape[1], dtype=np.int64)
    if cluster is not None:
        first = np.unique(cluster, return_index=True)[1]
        size, fold = np.bincount(cluster).astype(np.int64), fold[first]  # a cluster lies in one fold
        losses = np.stack([np.bincount(cluster, weights=by_row) for by_row in losses])
    order = np.lexsort((size, *losses, fold))
    return losses[:, order], size[order], np.unique(fold[order], return_index=True)[1]


def _errors(
    losses: Losses,
    by: Losses,
    size: NDArray[np.int64],
    starts: NDArray[np.intp],
    drawn: NDArray[np.int64],
    largest: Callable[[Values, Values], Values],
) -> tuple[Losses, NDArray[np.intp]]:
    """The error of each bootstrap's winner on the rows not drawn, and the winners; one that drew every row is left out
    of the errors."""
    rows = drawn @ size
    values = (drawn @ by.T) / rows[:, None]  # (b, M)
    best, bootstraps = np.argmin(values, axis=1), np.arange(len(drawn))
    least = values[bootstraps, best]
    error = np.zeros(len(drawn))
    if len(starts) > 1:
        error = _standard_errors(by[best] * drawn, size * drawn, starts, least)
    winners = np.argmax(values <= largest(least, error)[:, None], axis=1)
    left = drawn == 0
    rows_left = left @ size
    sums: Losses = (left @ losses.T)[bootstraps, winners]
    errors: Losses = sums[rows_left > 0] / rows_left[rows_left > 0]
    return errors, winners


def _standard_errors(sums: Losses, rows: NDArray[np.int64], starts: NDArray[np.intp], mean: Losses) -> Losses:
    """The standard error of the mean over folds, of each bootstrap; a fold counts by its drawn rows."""
    of_fold = np.add.reduceat(rows, starts, axis=1)
    errors = np.add.reduceat(sums, starts, axis=1) / np.maximum(of_fold, 1)
    spread = (of_fold * (errors - mean[:, None]) ** 2).sum(axis=1) / of_fold.sum(axis=1)
    error: Losses = np.sqrt(spread / (len(starts) - 1))
    return error
