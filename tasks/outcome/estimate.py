"""From losses to estimates and the choice: what the schemes left is gathered here, and judged by the science."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from heldout.decision.judging import select_among
from heldout.errors import BadArgument
from heldout.estimates import estimate_candidate, estimate_winner
from heldout.estimates.e_in import training_target
from heldout.fits.one_pass import updated_once
from heldout.records import Estimate
from heldout.schemes.design import Design, Evidence
from heldout.selection import bbc
from heldout.selection.selected import Selection
from tasks.fits import race_result
from tasks.fits.race_result import Raced
from tasks.fits.scheme_results import read_evidence, read_failures
from tasks.params import Settings
from tasks.params.messages import with_key
from tasks.plans import all_labeled
from tasks.plans.check_before_fits import check_margin
from tasks.plans.read_design import read_design
from tasks.runtime.errors import UserError


@dataclass(frozen=True, eq=False)
class Results:
    """All results of the four schemes, without the candidates that failed or that a race dropped.

    One that failed in E_prog or the half models alone lacks these estimates.
    """

    design: Design
    evidence: Mapping[str, Evidence]
    failures: Mapping[str, str]
    updated: frozenset[str] = frozenset()  # the candidates that are updated once, not fitted
    all_rows: int | None = None  # of all labelled rows outside of the test part, None where the estimates use all
    raced: Raced = field(default_factory=Raced)

    @property
    def candidates(self) -> tuple[str, ...]:
        """The candidates that did not fail, in the order of the parameters."""
        return tuple(self.evidence)

    @property
    def started(self) -> tuple[str, ...]:
        """These, and those that the race dropped: all that were compared."""
        return (*self.candidates, *(one.candidate for one in self.raced.dropped))

    @property
    def labeled(self) -> int:
        """The number of labelled rows outside of the test part."""
        return len(self.design.y) if self.all_rows is None else self.all_rows

    def target(self, candidate: str, target: str) -> str:
        """What an estimate of a candidate is about, which also says if the candidate is updated once."""
        return updated_once(target) if candidate in self.updated else target


def read_results(settings: Settings) -> Results:
    """The results of all schemes, candidates in the order of the parameters."""
    raced = race_result.read()
    failures, lacking = read_failures()
    design = replace(read_design(settings), dropped=len(raced.dropped))
    gone = {*failures, *(one.candidate for one in raced.dropped)}
    names = [candidate.name for candidate in settings.candidates if candidate.name not in gone]
    updated = frozenset(candidate.name for candidate in settings.candidates if candidate.update is not None)
    return Results(design, read_evidence(design, names, lacking), failures, updated, all_labeled.count(), raced)


def estimate_all(results: Results) -> dict[str, list[Estimate]]:
    """Every estimate of every candidate that did not fail."""
    return {
        name: [
            replace(record, target=results.target(name, _target(record, results)))
            for record in estimate_candidate(results.design, name, evidence)
        ]
        for name, evidence in results.evidence.items()
    }


def _target(record: Estimate, results: Results) -> str:
    """The target of an estimate; E_in is about all labelled rows only if the estimates use them all."""
    if record.estimate != "E_in" or record.n_train is None:
        return record.target
    return training_target(record.n_train, results.labeled)


def choose(
    settings: Settings, results: Results, estimates: Mapping[str, list[Estimate]]
) -> tuple[Selection, list[Estimate]]:
    """The winner by `selection.criterion` and `selection.rule`, and the error estimates after the choice.

    Raises UserError if nothing can be chosen, and for a margin that is too large.
    """
    if not results.candidates:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in results.failures.items())
        raise UserError(
            f"candidates: all failed ({reasons}), so there is nothing to select; fix at least one{results.raced.remedy}"
        )
    check_margin(settings, results.design)
    try:
        selection = select_among(
            results.design, results.evidence, estimates, settings.criterion, settings.selection.rule
        )
    except BadArgument as error:
        raise UserError(with_key(f"selection.{error.argument}", error)) from None
    of_the_winner = estimate_winner(results.design, results.evidence, selection)
    return selection, [bbc.of_left(record) for record in of_the_winner] if results.raced.dropped else of_the_winner
