"""Intervals for a mean of losses, one method a file, and the choice among them.

Each module holds one `METHOD` (`heldout.intervals.method.Method`): what it covers, for which losses,
whether it is exact, finite-sample or asymptotic, its source and its mathematics. `DEFAULTS` are the
choices of the coverage study (docs/coverage.md).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from heldout.errors import BadArgument
from heldout.intervals import (
    bayle_all_pairs,
    bayle_within,
    betting,
    clopper_pearson,
    clustered_t,
    clustered_wilson,
    confidence_sequence,
    conservative_z,
    corrected_fold_t,
    corrected_fold_wilson,
    corrected_log_t,
    corrected_repeated_t,
    corrected_t,
    corrected_wilson,
    empirical_bernstein,
    hoeffding,
    k_fold_hoeffding,
    log_t,
    martingale_clt,
    nested,
    student_t,
    studentised_bootstrap,
    two_way_t,
    two_way_wilson,
    wilson,
)
from heldout.intervals.method import IntervalMethod
from heldout.losses import Loss

METHODS: tuple[IntervalMethod, ...] = tuple(
    module.METHOD
    for module in (
        wilson,
        clopper_pearson,
        hoeffding,
        empirical_bernstein,
        betting,
        log_t,
        student_t,
        studentised_bootstrap,
        k_fold_hoeffding,
        bayle_within,
        bayle_all_pairs,
        corrected_wilson,
        corrected_log_t,
        corrected_t,
        corrected_fold_wilson,
        corrected_fold_t,
        corrected_repeated_t,
        conservative_z,
        nested,
        martingale_clt,
        confidence_sequence,
        two_way_wilson,
        two_way_t,
        clustered_wilson,
        clustered_t,
    )
)


@dataclass(frozen=True)
class Default:
    """The methods that are used unless others are named, and why, in words for the report."""

    zero_one: IntervalMethod
    other: IntervalMethod
    why_zero_one: str
    why_other: str


_EXACT = "exact: it kept its level in every cell of the coverage study, where Wilson's fell short for rare errors"
_LOG = "the closest to its level for skewed losses in the coverage study, yet short of it for few rows"
_NO_FIT = "it needs no fit beyond those of E_nested"
_TWO_WAY = "it counts the noise of the partitions and that of the rows"
DEFAULTS: Mapping[str, Default] = {
    "E_val": Default(clopper_pearson.METHOD, log_t.METHOD, _EXACT, _LOG),
    "E_test": Default(clopper_pearson.METHOD, log_t.METHOD, _EXACT, _LOG),
    "E_cv": Default(
        corrected_wilson.METHOD,
        corrected_log_t.METHOD,
        "the narrowest that kept its level in the coverage study, at 25 further fits",
        "the narrowest that came near its level for skewed losses in the coverage study, at 25 further fits",
    ),
    "E_prog": Default(
        wilson.METHOD,
        log_t.METHOD,
        "the narrowest that kept its level in the coverage study",
        _LOG,
    ),
    "E_2cv": Default(two_way_wilson.METHOD, two_way_t.METHOD, _TWO_WAY, _TWO_WAY),
    "E_train": Default(two_way_wilson.METHOD, two_way_t.METHOD, _TWO_WAY, _TWO_WAY),
    "disagreement": Default(two_way_wilson.METHOD, two_way_t.METHOD, _TWO_WAY, _TWO_WAY),
    "E_nested": Default(corrected_fold_wilson.METHOD, corrected_fold_t.METHOD, _NO_FIT, _NO_FIT),
}


def default_method(estimate: str, loss: Loss) -> IntervalMethod:
    """The method of the coverage study for one estimate and loss."""
    default, loss = DEFAULTS[estimate], _looked_at(estimate, loss)
    return default.zero_one if loss.binary else default.other


def choose(chosen: Mapping[str, str] | None, loss: Loss) -> dict[str, IntervalMethod]:
    """The method of each estimate: the `chosen` names (of a method or its module), defaults for the rest.

    Raises BadArgument for an estimate or a method that is not known, or a method that does not cover the
    estimate or admit the loss, with the ones that do.
    """
    if not isinstance(chosen, Mapping | None):
        raise BadArgument("intervals", f"intervals is {chosen!r}; it must map names of estimates to names of methods")
    methods = {estimate: default_method(estimate, loss) for estimate in DEFAULTS}
    for estimate, name in (chosen or {}).items():
        methods[estimate] = find(name, estimate, loss)
    return methods


def find(name: str, estimate: str, loss: Loss) -> IntervalMethod:
    """The method called `name`, if it covers `estimate` for `loss`; raises BadArgument as `choose`."""
    found, seen = covering(estimate, name), _looked_at(estimate, loss)
    if not found.admits(seen):
        fitting = [method.name for method in METHODS if estimate in method.covers and method.admits(seen)]
        raise BadArgument(
            "intervals",
            f"intervals: {found.name} is for losses {found.losses}, and the {loss.name} loss is not; for {estimate} "
            f"use {', '.join(fitting)}",
        )
    return found


def _looked_at(estimate: str, loss: Loss) -> Loss:
    """The loss whose values an estimate is a mean of: a disagreement is one of answers."""
    return loss.disagreement_loss if estimate == "disagreement" and loss.disagreement_loss is not None else loss


def covering(estimate: str, name: str) -> IntervalMethod:
    """The method called `name`, if it covers `estimate` for some loss; raises BadArgument as `choose`."""
    if estimate not in DEFAULTS:
        raise BadArgument(
            "intervals", f"intervals names {estimate!r}; intervals can be chosen for {', '.join(DEFAULTS)}"
        )
    named = {_plain(called): method for method in METHODS for called in (method.name, _module(method))}
    found = named.get(_plain(str(name)))
    if found is None or estimate not in found.covers:
        reason = "is not known" if found is None else f"covers {' and '.join(found.covers)} alone"
        fitting = [method.name for method in METHODS if estimate in method.covers]
        raise BadArgument("intervals", f"intervals: {name!r} {reason}; for {estimate} use {', '.join(fitting)}")
    return found


def _module(method: IntervalMethod) -> str:
    return method.bounds.__module__.rpartition(".")[2]


def _plain(name: str) -> str:
    """Letters and digits alone, in lower case: "Clopper-Pearson" is clopper_pearson."""
    return "".join(letter for letter in name.lower() if letter.isalnum())
