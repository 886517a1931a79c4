"""Intervals for a mean of losses, one method a file, and the choice among them.

Each module holds one `METHOD` (`heldout.intervals.method.IntervalMethod`): what it covers, for which losses,
whether it is exact, finite-sample or asymptotic, its source and its mathematics. `METHODS` lists them; `DEFAULTS`
has the choices of the coverage study for each estimate (docs/coverage.md).

>>> [method.name for method in METHODS if "E_nested" in method.covers]
['corrected fold Wilson', 'corrected fold t']
>>> DEFAULTS["E_val"].zero_one.name, DEFAULTS["E_val"].other.name
('Clopper-Pearson', 'pooled shape')
"""

import functools
from collections.abc import Mapping
from importlib import import_module

from heldout.errors import BadArgument
from heldout.intervals import (
    clopper_pearson,
    corrected_fold_t,
    corrected_fold_wilson,
    corrected_log_t,
    corrected_wilson,
    log_t,
    pooled_shape,
    two_way_clopper_pearson,
    two_way_log_t,
    two_way_wilson,
)
from heldout.intervals.method import Default, IntervalMethod
from heldout.losses import Loss

# a line a method: its module of `heldout.intervals`, in the order of messages and tables
METHODS: tuple[IntervalMethod, ...] = tuple(
    import_module(f"heldout.intervals.{module}").METHOD
    for module in (
        "wilson",
        "clopper_pearson",
        "hoeffding",
        "empirical_bernstein",
        "betting",
        "log_t",
        "pooled_shape",
        "student_t",
        "studentised_bootstrap",
        "k_fold_hoeffding",
        "bayle_within",
        "bayle_all_pairs",
        "corrected_wilson",
        "corrected_log_t",
        "corrected_t",
        "corrected_fold_wilson",
        "corrected_fold_t",
        "corrected_repeated_t",
        "conservative_z",
        "nested",
        "martingale_clt",
        "confidence_sequence",
        "two_way_wilson",
        "two_way_clopper_pearson",
        "two_way_log_t",
        "two_way_t",
        "clustered_wilson",
        "clustered_t",
    )
)


_EXACT = (
    "exact for plain draws: it kept its level in every cell of the coverage study, where Wilson's fell short for rare "
    "errors"
)
_SHAPE = (
    "the closest to its level for skewed losses in few rows, still short of it under heavy tails; log t without E_cv, "
    "and for the log, Brier, balanced and cost losses of classes, where it is no closer and wider"
)
_NO_FIT = "it needs no fit beyond the fits of E_nested"
_TWO_WAY = "it counts the noise of the partitions and the noise of the rows"
_FEW_DIFFER = f"{_TWO_WAY}, where Wilson's fell short for a stable learner, whose half models differ on few rows"
_SKEWED = f"{_TWO_WAY}; closer to its level for skewed losses than two-way t, still short of it under heavy tails"
DEFAULTS: Mapping[str, Default] = {
    "E_val": Default(clopper_pearson.METHOD, pooled_shape.METHOD, _EXACT, _SHAPE, log_t.METHOD),
    "E_test": Default(clopper_pearson.METHOD, pooled_shape.METHOD, _EXACT, _SHAPE, log_t.METHOD),
    "E_cv": Default(
        corrected_wilson.METHOD,
        corrected_log_t.METHOD,
        "the narrowest that kept its level in the coverage study, at 25 further fits",
        "the narrowest that came near its level for skewed losses in the coverage study, at 25 further fits; still "
        "short of it for heavy tails in few rows",
    ),
    "E_prog": Default(
        clopper_pearson.METHOD,
        pooled_shape.METHOD,
        "it kept its level in every cell of the coverage study, where Wilson's fell short for rare errors",
        _SHAPE,
        log_t.METHOD,
    ),
    "E_2cv": Default(two_way_wilson.METHOD, two_way_log_t.METHOD, _TWO_WAY, _SKEWED),
    "E_train": Default(two_way_wilson.METHOD, two_way_log_t.METHOD, _TWO_WAY, _SKEWED),
    "disagreement": Default(two_way_clopper_pearson.METHOD, two_way_log_t.METHOD, _FEW_DIFFER, _SKEWED),
    "E_nested": Default(corrected_fold_wilson.METHOD, corrected_fold_t.METHOD, _NO_FIT, _NO_FIT),
}


def default_method(estimate: str, loss: Loss, *, cross_validated: bool = True) -> IntervalMethod:
    """The method that the coverage study chose for an estimate and a loss.

    Parameters
    ----------
    estimate : str
        A key of `DEFAULTS`.
    loss : Loss
        The loss that the estimate is a mean of; for the disagreement the loss that is estimated.
    cross_validated : bool, default True
        Whether the losses of cross-validation are there, which some methods read.

    Returns
    -------
    IntervalMethod
        A method that covers the estimate and admits the loss.

    Raises
    ------
    KeyError
        For an estimate that has no choice of intervals.

    Examples
    --------
    >>> from heldout.losses import SQUARED, ZERO_ONE
    >>> default_method("E_cv", ZERO_ONE).name, default_method("E_cv", SQUARED).name
    ('corrected Wilson', 'corrected log t')
    """
    return DEFAULTS[estimate].of(_compared(estimate, loss), cross_validated=cross_validated)


def choose(chosen: Mapping[str, str] | None, loss: Loss, *, cross_validated: bool = True) -> dict[str, IntervalMethod]:
    """The method of each estimate, for rows that are independent.

    Parameters
    ----------
    chosen : mapping of str to str, or None
        From an estimate to the name of a method, or of its module; other estimates keep their default.
    loss : Loss
        The loss that is estimated.
    cross_validated : bool, default True
        Whether the losses of cross-validation are there, which some methods read.

    Returns
    -------
    dict of str to IntervalMethod
        A method for each key of `DEFAULTS`.

    Raises
    ------
    BadArgument
        For an estimate or a method that is not known, and a method that does not cover the estimate or admit the
        loss, or reads losses of cross-validation that are not there; the message names the methods to use.

    Examples
    --------
    >>> from heldout.losses import ZERO_ONE
    >>> methods = choose({"E_val": "hoeffding"}, ZERO_ONE)
    >>> methods["E_val"].name, methods["E_test"].name
    ('Hoeffding', 'Clopper-Pearson')
    """
    if not isinstance(chosen, Mapping | None):
        raise BadArgument("intervals", f"intervals is {chosen!r}; it must map names of estimates to names of methods")
    methods = {estimate: default_method(estimate, loss, cross_validated=cross_validated) for estimate in DEFAULTS}
    for estimate, name in (chosen or {}).items():
        methods[estimate] = find(name, estimate, loss)
        if methods[estimate].needs_cv and not cross_validated:
            fitting = [one.name for one in _fitting(estimate, loss) if not one.needs_cv]
            raise BadArgument(
                "intervals",
                f"intervals: {methods[estimate].name} needs the losses of cross-validation, and estimates are without "
                f"E_cv; add E_cv to estimates, or for {estimate} use {', '.join(fitting)}",
            )
    return methods


def find(name: str, estimate: str, loss: Loss) -> IntervalMethod:
    """The method called `name`, if it covers an estimate for a loss.

    Parameters
    ----------
    name : str
        The name of a method, or of its module; letters and digits count, and no capitals.
    estimate : str
        A key of `DEFAULTS`.
    loss : Loss
        The loss that is estimated.

    Returns
    -------
    IntervalMethod
        The method.

    Raises
    ------
    BadArgument
        As `choose`.

    Examples
    --------
    >>> from heldout.losses import SQUARED
    >>> find("student_t", "E_val", SQUARED).name
    'Student t'
    >>> find("Wilson", "E_prog", SQUARED)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    heldout.errors.BadArgument: intervals: Wilson is for losses 0/1, and the squared loss is not; for ...
    """
    method = covering(estimate, name)
    if not method.admits(_compared(estimate, loss)):
        fitting = [other.name for other in _fitting(estimate, loss)]
        raise BadArgument(
            "intervals",
            f"intervals: {method.refusal(loss)}; for {estimate} use {', '.join(fitting)}",
        )
    return method


def covering(estimate: str, name: str) -> IntervalMethod:
    """The method called `name`, if it covers an estimate for some loss.

    Parameters
    ----------
    estimate : str
        A key of `DEFAULTS`.
    name : str
        As in `find`.

    Returns
    -------
    IntervalMethod
        The method.

    Raises
    ------
    BadArgument
        For an estimate or a method that is not known, and a method that does not cover the estimate.

    Examples
    --------
    >>> covering("E_test", "Clopper-Pearson").validity
    'exact'
    """
    if estimate not in DEFAULTS:
        raise BadArgument(
            "intervals", f"intervals names {estimate!r}; intervals can be chosen for {', '.join(DEFAULTS)}"
        )
    method = _by_name().get(_plain(str(name)))
    if method is None or estimate not in method.covers:
        reason = "is not known" if method is None else f"covers {' and '.join(method.covers)} alone"
        fitting = [other.name for other in METHODS if estimate in other.covers]
        raise BadArgument("intervals", f"intervals: {name!r} {reason}; for {estimate} use {', '.join(fitting)}")
    return method


def _fitting(estimate: str, loss: Loss) -> list[IntervalMethod]:
    """The methods that cover an estimate for a loss."""
    compared = _compared(estimate, loss)
    return [method for method in METHODS if estimate in method.covers and method.admits(compared)]


def _compared(estimate: str, loss: Loss) -> Loss:
    """The loss whose values an estimate is a mean of: for a disagreement the loss that compares two answers."""
    return loss.disagreement_loss if estimate == "disagreement" and loss.disagreement_loss is not None else loss


@functools.cache
def _by_name() -> Mapping[str, IntervalMethod]:
    """Each method by its name and by its module's name, without signs and capitals."""
    return {_plain(called): method for method in METHODS for called in (method.name, _module(method))}


def _module(method: IntervalMethod) -> str:
    return method.bounds.__module__.rpartition(".")[2]


def _plain(name: str) -> str:
    """Letters and digits alone, in lower case: "Clopper-Pearson" is clopper_pearson."""
    return "".join(letter for letter in name.lower() if letter.isalnum())
