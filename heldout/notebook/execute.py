"""The fits that a plan wants, made here or in the processes of `n_jobs`, and kept for the estimates."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from heldout.errors import FitFailure
from heldout.fits import stated_limit
from heldout.notebook.candidate_fits import CandidateFits
from heldout.notebook.progress import FitBar
from heldout.notebook.shared_fits import share
from heldout.running.plan import Answer, Failed, NeedsFits, Plan, Wanted
from heldout.schemes import SchemeName
from heldout.schemes.design import Evidence
from heldout.schemes.halvings import HALVES

OnError = Literal["record", "raise"]


def execute(plan: Plan, fits: dict[str, CandidateFits], jobs: int, bar: FitBar, on_error: OnError) -> None:
    """Make the fits of a plan until it wants none, those of one candidate after the other, or shared among `jobs`.

    Candidates that a race drops are removed from `fits`. Raises FitFailure with every reason where all candidates fail,
    with "raise" at the first failure in the order of what is wanted; and BadArgument for a loss above a limit that was
    stated.
    """
    bar.expect(lambda: plan.total)
    last = None
    while (first := plan.first()) is not None:
        now: Sequence[Wanted] = [first]
        if jobs > 1:
            wanted = plan.wanted()
            now = [one for one in wanted if one.exact] or wanted
            share(fits, [one for one in now if not one.exact], jobs, bar)
        for one in now:
            of = fits[one.candidate]
            if last is not None and last is not of:
                last.release()
            last = of
            if plan.wants(one):  # its candidate may have failed
                plan.take({one: _answer(of, one, on_error)})
        for dropped in plan.dropped:
            fits.pop(dropped.candidate, None)
    if last is not None:
        last.release()
    check_not_all_failed(plan)


def gathered(plan: Plan, of: CandidateFits, schemes: Sequence[SchemeName], on_error: OnError) -> Evidence | None:
    """The evidence of a candidate that is left, with its shards; None where it fails in that as a whole.

    Raises FitFailure for that with "raise".
    """
    found = of.evidence(schemes, plan.lacking.get(of.name, {}))
    if HALVES not in found.losses:
        return found
    try:
        return replace(found, shards=of.shards())
    except FitFailure as failure:
        if on_error == "raise":
            raise
        plan.fail(of.name, "disagreement", _reason(of, failure))
    return replace(found, failed=plan.lacking[of.name]) if of.name in plan.left else None


def check_not_all_failed(plan: Plan) -> None:
    """Raise FitFailure with every reason where no candidate is left."""
    if not plan.left:
        raise FitFailure("; ".join(f"{name}: {reason}" for name, reason in plan.failures.items()))


def _answer(of: CandidateFits, one: Wanted, on_error: OnError) -> Answer:
    try:
        losses = of.losses_without_fits(one.scheme) if one.exact else of.losses(one.scheme, one.numbers)
    except FitFailure as failure:
        if on_error == "raise":
            raise
        return Failed(_reason(of, failure))
    if losses is None:
        return NeedsFits()
    if len(losses) == len(of.design.splits(one.scheme)):
        stated_limit.check_evidence(of.design, of.name, Evidence({one.scheme: losses}))
    return losses


def _reason(of: CandidateFits, failure: FitFailure) -> str:
    return str(failure).removeprefix(f"{of.name}: ")
