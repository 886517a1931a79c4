"""The interval method of each estimate: the choice of the coverage study, or what a user names (docs/coverage.md).

Where rows depend on one another, by group or along time, a method is valid for an estimate (`Definition.valid`) if its
argument needs no independence of rows, or uses the independence of whole groups:

- a hypothesis tested on new rows (E_val, E_test): the variance between groups; in time that of as many independent
  rows as the tested ones weigh as (`heldout.losses.memory`);
- E_cv: the same, of groups with a factor for hypotheses that share training rows; or the spread of fold errors, or of
  subsamples' errors, whose tested parts are disjoint groups, or stretches of time;
- E_prog of groups: the variance between groups, whose steps follow one another;
- E_prog along time: its steps are a martingale whatever their dependence, with the target that is the error along
  the stream: mu_i = E(X_i | all rows before i). So Hoeffding's, Wilson's and t's arguments hold unchanged, and Clopper
  and Pearson's for large m, since errors that follow one another make the chance of an error depend on the errors so
  far: the variance of the mean about that of mu is (1/m^2) sum E Var(X_i | past), and Var(X_i) is at least that.

Half models: E_2cv of groups is an estimate like others, but its table is crossed by rows that depend, and the groups
of unlabelled rows are not known; none of their intervals is claimed. With time E_2cv is not computed at all, since half
of a half model's tested rows are earlier than the rows that it was trained on; nor are E_bbc and E_nested, which
choose by folds drawn at random.

>>> DEFAULTS["E_val"].zero_one.name, DEFAULTS["E_val"].other.name
('Clopper-Pearson', 'pooled shape')
"""

from collections.abc import Mapping
from typing import get_args

from heldout import extensions, intervals
from heldout.errors import BadArgument
from heldout.estimates import ESTIMATES
from heldout.intervals.method import Default, IntervalMethod, restated
from heldout.losses import Loss
from heldout.splits.dependence import DependenceKind

DEFAULTS: Mapping[str, Default] = {
    name: definition.default for name, definition in ESTIMATES.items() if definition.default is not None
}
METHODS: tuple[IntervalMethod, ...] = (
    *intervals.METHODS,
    *(method for definition in ESTIMATES.values() for method in definition.methods),
)
extensions.check_names("intervals", (method.name for method in METHODS))
# the first method that admits the loss is the default
VALID: Mapping[DependenceKind, Mapping[str, tuple[IntervalMethod, ...]]] = {
    kind: {name: definition.valid[kind] for name, definition in ESTIMATES.items() if kind in definition.valid}
    for kind in get_args(DependenceKind)
}


def default_method(estimate: str, loss: Loss, *, cross_validated: bool = True) -> IntervalMethod:
    """The method that the coverage study chose for an estimate and a loss, for rows that are independent.

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
    compared = _compared(estimate, loss)
    chosen = DEFAULTS[estimate].of(compared, cross_validated=cross_validated)
    # for rows with weights the first one that is for them
    return chosen if chosen.admits(compared) else next(iter(_fitting(estimate, loss)), chosen)


def choose(
    chosen: Mapping[str, str] | None, loss: Loss, kind: DependenceKind | None = None, *, cross_validated: bool = True
) -> dict[str, IntervalMethod]:
    """The method of each estimate, for rows that depend by `kind`; an estimate without a valid method has none.

    Parameters
    ----------
    chosen : mapping of str to str, or None
        From an estimate to the name of a method, or of its module; other estimates keep their default.
    loss : Loss
        The loss that is estimated.
    kind : str, optional
        How the rows depend on one another; None for independent rows.
    cross_validated : bool, default True
        Whether the losses of cross-validation are there, which some methods read.

    Returns
    -------
    dict of str to IntervalMethod
        A method for each key of `DEFAULTS`, or of `VALID` where rows depend.

    Raises
    ------
    BadArgument
        For an estimate or a method that is not known; a method that does not cover the estimate or admit the loss,
        reads losses of cross-validation that are not there, or assumes independent rows where they are not; the message
        names the methods to use.

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
    return methods if kind is None else _for_dependent_rows(methods, chosen or {}, loss, kind)


def _for_dependent_rows(
    methods: Mapping[str, IntervalMethod], chosen: Mapping[str, str], loss: Loss, kind: DependenceKind
) -> dict[str, IntervalMethod]:
    """Those of the `methods` that somebody has `chosen`, and the default for dependent rows of each other estimate."""
    valid = {estimate: [method for method in known if method.admits(loss)] for estimate, known in VALID[kind].items()}
    for estimate in chosen:
        if methods[estimate] not in valid.get(estimate, []):
            fitting = ", ".join(method.name for method in valid.get(estimate, []))
            raise BadArgument(
                "intervals",
                f"intervals: {methods[estimate].name} assumes independent rows, which rows with {kind} are not; for "
                f"{estimate} {f'use {fitting}' if fitting else 'no interval is offered then: leave it out'}",
            )
    taken = {estimate: methods[estimate] if estimate in chosen else fitting[0] for estimate, fitting in valid.items()}
    return {estimate: restated(method, kind) for estimate, method in taken.items()}


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
    >>> find("log_t", "E_val", SQUARED).name
    'log t'
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
    called = intervals.called(name, METHODS)
    for method in called:
        if estimate in method.covers:
            return method
    reason = f"covers {' and '.join(called[0].covers)} alone" if called else "is not known"
    fitting = [other.name for other in METHODS if estimate in other.covers]
    raise BadArgument("intervals", f"intervals: {name!r} {reason}; for {estimate} use {', '.join(fitting)}")


def assumption_of(estimate: str, interval: str, kind: DependenceKind | None) -> str:
    """The assumption behind a line of `estimates.csv`: its `estimate`, the name in its column `interval`, and `kind`.

    It equals `Estimate.assumption` of the record that the line was written from. E_bbc is no mean of losses: its
    assumption is in `heldout.selection.bbc`.

    Raises BadArgument for an estimate or a method that is not known, or a method that does not cover the estimate.
    """
    source = ESTIMATES[estimate].carried_from if estimate in ESTIMATES else ""
    method = covering(source or estimate, interval)
    return (method if kind is None else restated(method, kind)).covers[source or estimate]


def _fitting(estimate: str, loss: Loss) -> list[IntervalMethod]:
    """The methods that cover an estimate for a loss."""
    compared = _compared(estimate, loss)
    return [method for method in METHODS if estimate in method.covers and method.admits(compared)]


def _compared(estimate: str, loss: Loss) -> Loss:
    """The loss whose values an estimate is a mean of: for a disagreement the loss that compares two answers."""
    compares = ESTIMATES[estimate].kind == "disagreement" and loss.disagreement_loss is not None
    return loss.disagreement_loss if compares else loss  # type: ignore[return-value]  # there is one
