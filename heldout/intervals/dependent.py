"""The intervals that stay honest where rows depend on one another, by group or along time.

A method is here if its argument needs no independence of rows, or uses the independence of whole groups:

- a hypothesis tested on new rows (E_val, E_test): the variance between groups, or batches of consecutive rows that
  are long compared with the correlation of their losses (`heldout.batches`);
- E_cv: the spread of fold errors, or of subsamples' errors. Their tested parts are disjoint groups, or stretches
  of time; the spread of single losses is used as a lower limit of the variance alone;
- E_prog of groups: the variance between groups, whose steps follow one another;
- E_prog along time: its steps are a martingale whatever their dependence, with the target that is the error along
  the stream: mu_i = E(X_i | all rows before i). So Hoeffding's, Wilson's and t's arguments hold unchanged, and Clopper
  and Pearson's for large m, since errors that follow one another make the chance of an error depend on the errors so
  far: the variance of the mean about that of mu is (1/m^2) sum E Var(X_i | past), and Var(X_i) is at least that.
  The successive differences of `martingale CLT` do not: for losses of autocorrelation r they see s^2 / (1 + r) in
  place of s^2, the variance of the innovations, which is too narrow where r > 0.

Half models: E_2cv of groups is an estimate like others, but its table is crossed by rows that depend, and the groups
of unlabelled rows are not known; none of their intervals is claimed. With time E_2cv is not computed at all, since half
of a half model's tested rows are earlier than the rows that it was trained on; nor are E_bbc and E_nested, which
choose by folds drawn at random.
"""

from collections.abc import Mapping
from dataclasses import replace

from heldout import intervals
from heldout.dependence import DependenceKind
from heldout.errors import BadArgument
from heldout.intervals import (
    clopper_pearson,
    clustered_t,
    clustered_wilson,
    confidence_sequence,
    corrected_fold_t,
    corrected_fold_wilson,
    corrected_repeated_t,
    corrected_t,
    hoeffding,
    log_t,
    student_t,
    wilson,
)
from heldout.intervals.method import IntervalMethod
from heldout.losses import Loss

NOT_IN_TIME = ("E_2cv", "E_bbc", "E_nested")

_CLUSTERED = (clustered_wilson.METHOD, clustered_t.METHOD)
_FOLDS = (corrected_fold_wilson.METHOD, corrected_fold_t.METHOD)
_MARTINGALE = (
    clopper_pearson.METHOD,
    wilson.METHOD,
    log_t.METHOD,
    student_t.METHOD,
    hoeffding.METHOD,
    confidence_sequence.METHOD,
)
_OF_GROUPS: Mapping[str, tuple[IntervalMethod, ...]] = {
    "E_val": _CLUSTERED,
    "E_test": _CLUSTERED,
    "E_cv": (*_FOLDS, corrected_t.METHOD, corrected_repeated_t.METHOD),
    "E_prog": _CLUSTERED,
    "E_nested": _FOLDS,
}
# the first method that admits the loss is the default
VALID: Mapping[DependenceKind, Mapping[str, tuple[IntervalMethod, ...]]] = {
    "groups": _OF_GROUPS,
    "time": {"E_val": _CLUSTERED, "E_test": _CLUSTERED, "E_cv": _FOLDS, "E_prog": _MARTINGALE},
    "groups and time": {"E_val": _CLUSTERED, "E_test": _CLUSTERED, "E_cv": _FOLDS, "E_prog": _CLUSTERED},
}
# estimates whose bounds are those of another estimate, carried through a monotone function
_CARRIED = {"E_dis": "disagreement", "E_maxdt": "disagreement"}
_IN_WORDS: Mapping[DependenceKind, str] = {
    "groups": "independent groups",
    "time": "folds that are long compared with the dependence along time",
    "groups and time": "independent groups",
}


def choose(
    chosen: Mapping[str, str] | None, loss: Loss, kind: DependenceKind | None, *, cross_validated: bool = True
) -> dict[str, IntervalMethod]:
    """As `intervals.choose`, for rows that depend by `kind`: an estimate without a valid method has none.

    Raises BadArgument also for a method that assumes independent rows, with the methods that do not.
    """
    methods = intervals.choose(chosen, loss, cross_validated=cross_validated)
    if kind is None:
        return methods
    valid = {estimate: [method for method in known if method.admits(loss)] for estimate, known in VALID[kind].items()}
    for estimate in chosen or {}:
        if methods[estimate] not in valid.get(estimate, []):
            fitting = ", ".join(method.name for method in valid.get(estimate, []))
            raise BadArgument(
                "intervals",
                f"intervals: {methods[estimate].name} assumes independent rows, which rows with {kind} are not; for "
                f"{estimate} {f'use {fitting}' if fitting else 'no interval is offered then: leave it out'}",
            )
    taken = {
        estimate: methods[estimate] if estimate in (chosen or {}) else fitting[0] for estimate, fitting in valid.items()
    }
    return {estimate: _restated(method, kind) for estimate, method in taken.items()}


def assumption_of(estimate: str, interval: str, kind: DependenceKind | None) -> str:
    """The assumption behind a line of `estimates.csv`: its `estimate`, the name in its column `interval`, and `kind`.

    It equals `Estimate.assumption` of the record that the line was written from. E_bbc is no mean of losses: its
    assumption is in `heldout.selection.bbc`.

    Raises BadArgument for an estimate or a method that is not known, or a method that does not cover the estimate.
    """
    source = _CARRIED.get(estimate, estimate)
    method = intervals.covering(source, interval)
    return (method if kind is None else _restated(method, kind)).covers[source]


def _restated(method: IntervalMethod, kind: DependenceKind) -> IntervalMethod:
    """The method with the assumption that takes the place of independent examples."""
    words = _IN_WORDS[kind]
    return replace(
        method,
        covers={name: text.replace("independent examples", words) for name, text in method.covers.items()},
    )
