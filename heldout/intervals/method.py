"""What every interval method is: a name, the targets that it covers and when, and its bounds."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from heldout.errors import BadArgument, is_fraction
from heldout.intervals import credible
from heldout.losses import Loss
from heldout.losses.tested_losses import CrossValidated, in_units_of_limit
from heldout.records import Estimate, Interval
from heldout.splits.dependence import DependenceKind

Admissible = Literal["0/1", "of costs", "of known limit", "any"]
Validity = Literal["exact", "finite-sample", "asymptotic"]
_WITH_REPEATS = ("subsamples", "repeated_folds")  # further fits that serve a mean over several partitions into folds
_ROWS_ABOVE = 2  # of effective rows with weights: with fewer, t has no mean
_IN_WORDS: Mapping[DependenceKind, str] = {
    "groups": "independent groups",
    "time": "folds that are long compared with the dependence along time",
    "groups and time": "independent groups",
}


@dataclass(frozen=True)
class IntervalMethod:
    """One way to put an interval about an estimate.

    Parameters
    ----------
    name : str
        Its name in `params.yaml`, in tables and in messages.
    covers : mapping of str to str
        From the name of an estimate to the assumption under which the interval covers the target of that estimate.
    losses : {"0/1", "of costs", "of known limit", "any"}
        The losses that it admits; costs follow from the right class and the answer (`Loss.counts`).
    validity : {"exact", "finite-sample", "asymptotic"}
        Whether its level is exact or guaranteed at every n, or reached as n grows.
    bounds : callable
        From what was observed (`heldout.losses.tested_losses`) and a level to the low and the high bound; where a limit
        has to be known, in units of this limit.
    least : int
        The smallest number of losses.
    needs : str, optional
        The scheme of further fits that it reads (`heldout.schemes`).
    needs_cv : bool
        It reads the candidate's losses in cross-validation too (`Tested.pool`).
    least_folds, least_fold_size : int
        The smallest number of folds, and of rows in each.
    units_above : int
        There must be more groups, or independent stretches of time, than this, in effective number.
    keeps_width : bool
        The interval has a width also where all losses are equal.
    order_matters : bool
        It reads the losses as steps: another order of the rows gives another interval.
    has_mirror : bool
        For losses in [0, 1]: the interval of 1 - loss is 1 minus the interval of the loss.
    random : bool
        It draws from the seed.
    of_row_means : bool
        It reads one loss of each row: of E_cv also the mean over several partitions into folds.
    with_weights : bool
        It holds for rows with weights too, whose losses are the terms of a ratio (`heldout.losses.ratio`).
    signed : bool
        An error may be below 0, as - a profit, and so may a bound.

    Examples
    --------
    >>> import numpy as np
    >>> from heldout.estimates.methods import find
    >>> from heldout.losses import ZERO_ONE
    >>> from heldout.losses.tested_losses import Tested
    >>> wilson = find("Wilson", "E_val", ZERO_ONE)
    >>> wilson.interval("E_val", Tested(np.repeat([0.0, 1.0], [90, 10]), ZERO_ONE), 0.95)  # doctest: +ELLIPSIS
    Interval(low=0.0552..., high=0.174..., level=0.95, method='Wilson', assumption='independent examples, ...')
    """

    name: str
    covers: Mapping[str, str]
    losses: Admissible
    validity: Validity
    bounds: Callable[[Any, float], tuple[float, float]]
    least: int = 1
    needs: str | None = None
    needs_cv: bool = False
    least_folds: int = 1
    least_fold_size: int = 1
    units_above: int = 0
    keeps_width: bool = False
    order_matters: bool = False
    has_mirror: bool = True
    random: bool = False
    of_row_means: bool = False
    with_weights: bool = False
    signed: bool = False

    def admits(self, loss: Loss) -> bool:
        """Whether the method is for losses of this kind."""
        admitted = {
            "0/1": loss.binary,
            "of costs": loss.counts is not None,
            "of known limit": loss.bounded,
            "any": True,
        }
        return admitted[self.losses] and (self.with_weights or not loss.weighted)

    def refusal(self, loss: Loss) -> str:
        """Why the method is not for losses of this kind."""
        if loss.weighted and not self.with_weights:
            return f"{self.name} is for rows that count alike, and rows have weights"
        has = "has none unless loss_max states it" if self.losses == "of known limit" else "is not"
        return f"{self.name} is for losses {self.losses}, and the {loss.name} loss {has}"

    def check_folds(self, fold: NDArray[np.int64]) -> None:
        """Raise BadArgument for a partition into folds, shape (N,), that is too fine or too coarse for the method."""
        sizes = np.bincount(fold[fold >= 0])
        if len(sizes) < self.least_folds or sizes.min() < self.least_fold_size:
            raise BadArgument(
                "intervals",
                f"{self.name} needs at least {self.least_folds} folds of at least {self.least_fold_size} rows, and "
                f"there are {len(sizes)} of {sizes.min()}; use corrected t",
            )

    @property
    def for_repeats(self) -> bool:
        """Whether it holds for the mean over several partitions into folds.

        Further fits show the variance of E_cv of one partition, which that of the mean does not exceed.
        """
        return self.needs in _WITH_REPEATS or self.of_row_means

    def check_repeats(self, repeats: int) -> None:
        """Raise BadArgument for a mean over `repeats` partitions into folds, unless the method holds for it."""
        if repeats > 1 and not self.for_repeats:
            raise BadArgument(
                "intervals", f"{self.name} is for one partition into folds, not {repeats}; use corrected t"
            )

    def interval(self, estimate: str, observed: Any, level: float) -> Interval:
        """The interval of `estimate` at `level`, cut to the range of the loss.

        Raises BadArgument for a level outside (0, 1), an estimate or a loss that the method is not for,
        too few rows, or further fits that were not made.
        """
        check_level(level)
        if estimate not in self.covers:
            raise BadArgument("intervals", f"{self.name} does not cover {estimate}; it covers {', '.join(self.covers)}")
        if not self.admits(observed.loss):
            raise BadArgument("intervals", self.refusal(observed.loss))
        if observed.n < self.least:
            raise BadArgument("losses", f"{self.name} needs at least {self.least} losses, got {observed.n}")
        if _too_few(self, observed):
            raise BadArgument(
                "groups",
                f"{self.name} needs more than {_units_above(self, observed)} groups or stretches of time, weighted by "
                f"their rows, or rows by their weights, got {observed.units:.3g}",
            )
        if isinstance(observed, CrossValidated):
            self.check_folds(observed.fold)
        if self.needs is not None and not observed.has(self.needs):
            raise BadArgument(
                "intervals", f"{self.name} needs the fits of the scheme {self.needs}, which were not made"
            )
        if self.needs_cv and observed.pool is None:
            raise BadArgument("intervals", f"{self.name} needs the losses of cross-validation, which were not computed")
        if self.losses == "of costs" and observed.cells is None:
            raise BadArgument("intervals", f"{self.name} needs the class of each row, which is not known")
        limit = observed.loss.limit
        if self.losses == "of known limit":
            low, high = (limit * bound for bound in self.bounds(in_units_of_limit(observed), level))
        else:
            low, high = self.bounds(observed, level)
        if not (math.isfinite(low) and math.isfinite(high)):
            raise BadArgument("losses", f"{self.name} gives {low} … {high}: a loss is too large to be squared")
        if self.losses == "any" and observed.error == 0 and math.isfinite(limit):
            high = max(high, limit * hidden_share(observed, level))
        low, high = (
            min(low if self.signed else max(low, 0.0), observed.error),
            max(min(high, limit), observed.error),
        )  # rounding aside
        return Interval(low, high, level, self.name, self.covers[estimate])


def restated(method: IntervalMethod, kind: DependenceKind) -> IntervalMethod:
    """The method with the assumption that takes the place of independent examples, for rows that depend by `kind`."""
    words = _IN_WORDS[kind]
    return replace(
        method,
        covers={name: text.replace("independent examples", words) for name, text in method.covers.items()},
    )


@dataclass(frozen=True)
class Default:
    """The methods that are used unless others are named, and why, in words for the report."""

    zero_one: IntervalMethod
    other: IntervalMethod
    why_zero_one: str
    why_other: str
    # in place of `other` for losses of classes, and where the losses of cross-validation that it reads are not there
    without_cv: IntervalMethod | None = None
    # in place of these for losses that follow from the right class and the answer, and for others of known limit
    of_costs: IntervalMethod | None = None
    of_limit: IntervalMethod | None = None
    why_of_costs: str = ""
    why_of_limit: str = ""

    @property
    def methods(self) -> tuple[IntervalMethod, ...]:
        """All of them."""
        some = (self.zero_one, self.other, self.without_cv, self.of_costs, self.of_limit)
        return tuple(one for one in some if one is not None)

    def of(self, loss: Loss, *, cross_validated: bool) -> IntervalMethod:
        """The method for a loss, with or without its values in cross-validation."""
        return self._chosen(loss, cross_validated)[0]

    def why(self, loss: Loss) -> str:
        """Why it is the method for a loss that is cross-validated."""
        return self._chosen(loss, cross_validated=True)[1]

    def _chosen(self, loss: Loss, cross_validated: bool) -> tuple[IntervalMethod, str]:
        if loss.binary:
            return self.zero_one, self.why_zero_one
        if self.of_costs is not None and loss.counts is not None:
            return self.of_costs, self.why_of_costs
        # a limit that a user states may be far above each loss: losses of cross-validation say more then
        if self.of_limit is not None and loss.bounded and not (loss.limit_is_stated and cross_validated):
            return self.of_limit, self.why_of_limit
        if self.without_cv is not None and (loss.of_classes or not cross_validated):
            return self.without_cv, self.why_other
        return self.other, self.why_other


def hidden_share(observed: Any, level: float) -> float:
    """The share of losses above 0 that may hide where no tested row has one: Clopper and Pearson's upper limit.

    Rows that were tested by hypotheses with shared training rows weigh as much as fewer rows, by the factor of C.
    Nadeau and Y. Bengio (`heldout.selection.paired_differences.variance_factor`).
    """
    rows = getattr(observed, "units", observed.n)
    if isinstance(observed, CrossValidated):
        rows /= 1 + observed.folds / (observed.folds - 1)
    return float(1 - ((1 - level) / 2) ** (1 / rows))


def _units_above(method: IntervalMethod, observed: Any) -> int:
    """The effective number of rows, or clusters, that an interval needs more than."""
    return max(method.units_above, _ROWS_ABOVE) if observed.loss.weighted else method.units_above


def _too_few(method: IntervalMethod, observed: Any) -> bool:
    units: float = getattr(observed, "units", observed.n)
    return units <= _units_above(method, observed)


def check_level(level: float) -> None:
    """Raise BadArgument unless 0 < level < 1."""
    if not is_fraction(level):
        raise BadArgument("level", f"level is {level}; it must lie between 0 and 1, both excluded")


def two_sided_normal(level: float) -> float:
    """The normal quantile of (1 + level) / 2."""
    from scipy.special import ndtri

    return float(ndtri((1 + level) / 2))


def two_sided_t(level: float, degrees: float) -> float:
    """The quantile of (1 + level) / 2 of Student's t with `degrees` of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + level) / 2))


def estimate_with(
    candidate: str,
    estimate: str,
    observed: Any,
    target: str,
    n_train: int | None,
    method: IntervalMethod | None,
    level: float,
) -> Estimate:
    """The mean of what was observed, with its interval if a method holds and there are units enough for it.

    Where the losses show that the interval cannot be right, the record says so.
    """
    record = Estimate(candidate, estimate, observed.error, target, n_train, observed.n)
    if method is None or observed.n < method.least or _too_few(method, observed):
        return record
    if observed.loss.weighted and not method.with_weights:
        return record
    made = with_interval(record, method.interval(estimate, observed, level))
    return replace(made, not_credible=credible.doubt(observed, method))


def with_interval(record: Estimate, interval: Interval) -> Estimate:
    """The same estimate with the bounds of `interval`."""
    return replace(
        record,
        low=interval.low,
        high=interval.high,
        level=interval.level,
        interval=interval.method,
        assumption=interval.assumption,
    )
