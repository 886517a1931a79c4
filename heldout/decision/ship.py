"""Whether to ship the winner: one rule, from everything that is known about it after the choice.

The verdict is the first of these that holds:

1. `not_yet`: a reason to stop. The winner is too good to be true; a finding about the table has the severity `stop`; or
   the winner is not shown to err less than the baseline, in the loss that was chosen.
2. `ship_with_care`: a caveat. In this order: the interval to plan with is not credible; a finding of severity `care`
   that nobody has decided about; the test part is spent, or was opened for several winners; the estimate to plan with
   does not show by itself that the baseline is beaten; its interval reaches the baseline's error, so it is wide; it has
   no interval; the unlabelled rows are of another population; stratified parts make the estimates too low; candidates
   failed; another candidate is shown to err less; the criterion cannot say who is as good.
3. `any_of`: several candidates cannot be told from the best.
4. `ship`: none of these.

Reasons to stop come first among the caveats. One plans with the first of E_test, E_bbc, E_cv and E_val that has an
interval. What is compared with it is the same estimate of the baseline; with E_bbc its E_cv, since a constant answer is
not chosen, and needs no correction.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from heldout.estimates import PLANNED_BY
from heldout.findings.finding import Severity
from heldout.fits.baseline import NAME
from heldout.losses import Loss
from heldout.losses.amounts import amount, number
from heldout.metrics.skill import Skill
from heldout.records import Difference, Estimate

Verdict = Literal["ship", "ship_with_care", "any_of", "not_yet"]

_LONGEST = 300


@dataclass(frozen=True)
class Planned:
    """The estimate to plan with, and next to it the baseline's, from the same rows: its value, and the difference."""

    record: Estimate
    against: str
    of_baseline: float | None = None
    difference: Difference | None = None


def plan_with(
    records: Iterable[Estimate], of_baseline: Mapping[str, float], differences: Mapping[str, Difference]
) -> Planned | None:
    """The estimate of the winner to plan with, from its `records`; None where none has an interval.

    `of_baseline` are the values of the baseline, and `differences` the winner's less these, by the name of the
    estimate.
    """
    by_name = {record.estimate: record for record in records if record.low is not None}
    for estimate in PLANNED_BY:
        if estimate.name in by_name and estimate.planning is not None:
            against = estimate.planning.of_baseline or estimate.name
            return Planned(by_name[estimate.name], against, of_baseline.get(against), differences.get(against))
    return None


@dataclass(frozen=True)
class Known:
    """What is known about the winner.

    `judged_by` says by what the baseline is beaten, or not. `lowest` is the candidate of the least value of the
    criterion, `alike` the candidates that cannot be told from the best, empty where the criterion cannot say,
    `compared` the number of candidates that did not fail. `too_good` says what carries an error that is too low.
    `not_credible` has a reason for each estimate whose interval cannot be right. `spent` says why the test part stayed
    closed, `openings` for how many winners it was opened. `findings` are the severity and the text of each finding
    about the table that is open, `better` the candidates that are shown to err less.
    """

    selected: str
    lowest: str
    alike: Sequence[str]
    compared: int
    loss: Loss
    judged_by: str
    beats_baseline: bool | None
    planned: Planned | None = None
    skill: Skill | None = None
    too_good: str = ""
    not_credible: Mapping[str, str] = field(default_factory=dict)
    findings: Sequence[tuple[Severity, str]] = ()
    spent: str = ""
    openings: int = 0
    other_population: str = ""
    optimism: str = ""
    failed: Sequence[str] = ()
    better: Sequence[str] = ()


@dataclass(frozen=True)
class Decision:
    """The verdict, the caveats, and the `advice`, a line that every report begins or ends with."""

    verdict: Verdict
    caveats: tuple[str, ...]
    advice: str

    @property
    def further(self) -> tuple[str, ...]:
        """The caveats that the advice does not say."""
        return tuple(caveat for caveat in self.caveats if caveat not in self.advice)

    @property
    def sentence(self) -> str:
        """The advice, and all caveats."""
        return "; ".join([self.advice, *self.further])


def decide(known: Known) -> Decision:
    """The decision, by the rule above."""
    stops, cares = (tuple(map(_short, texts)) for texts in (_stops(known), _cares(known)))
    alike = len(known.alike)
    any_of = f"{in_words('any_of', known.selected, alike)}; {_place(known)}" if alike > 1 else ""
    verdict: Verdict = "not_yet" if stops else "ship_with_care" if cares else "any_of" if any_of else "ship"
    words = in_words(verdict, known.selected, alike)
    advice = {
        "not_yet": f"{words}: {next(iter(stops), '')}",
        "ship_with_care": f"{words}: {any_of[:1].lower() + any_of[1:] or known.selected}",
        "any_of": any_of,
        "ship": words,
    }[verdict]
    return Decision(verdict, (*stops, *cares), advice)


def in_words(verdict: Verdict, winner: str, alike: int) -> str:
    """The verdict about a winner that as many candidates are `alike`, itself counted, in a few words."""
    return {
        "ship": f"Ship {winner}",
        "ship_with_care": "Ship, with care",
        "any_of": f"Any of these {alike}",
        "not_yet": "Do not ship yet",
    }[verdict]


def _short(text: str) -> str:
    """A text in one line, cut where it is long: a finding or a name may be as long as a stranger likes."""
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"


def _place(known: Known) -> str:
    """Where the winner stands among those that are alike."""
    if known.selected == known.lowest:
        return f"{known.selected} is lowest"
    return f"{known.selected} is selected, {known.lowest} is lowest"


def _stops(known: Known) -> Iterator[str]:
    if known.too_good:
        yield f"{known.selected} is too good to be true: {known.too_good}"
    yield from _found(known, "stop")
    if known.beats_baseline:
        return
    verb = "does not beat" if known.beats_baseline is False else "is not shown to beat"
    yield f"{known.selected} {verb} the baseline by {known.judged_by}"
    if known.skill is not None:
        yield known.skill.sentence(known.selected)


def _cares(known: Known) -> Iterator[str]:
    planned = known.planned
    if planned is not None and (reason := known.not_credible.get(planned.record.estimate)):
        yield f"the interval of {planned.record.estimate} is not credible: {reason}"
    yield from _found(known, "care")
    if known.spent:
        yield "the test part is used up, so the rows that were used to choose are all there is to plan with"
    if known.openings > 1:
        yield f"the test part was opened for {known.openings} different winners, so E_test is too low"
    if planned is None:
        yield "no interval is claimed for its error"
    else:
        yield from _of_plan(known, planned)
    if known.other_population:
        yield f"the unlabelled rows are of another population: {known.other_population}"
    if known.optimism:
        yield known.optimism
    if known.failed:
        yield f"failed, and not compared: {', '.join(known.failed)}"
    if known.better:
        yield f"shown to err less than {known.selected}: {', '.join(known.better)}"
    if not known.alike and known.compared > 1:
        yield "the criterion cannot say which candidates are as good"


def _of_plan(known: Known, planned: Planned) -> Iterator[str]:
    """What the estimate to plan with leaves open, where the baseline is beaten by some estimate."""
    record, apart = planned.record, planned.difference
    if not known.beats_baseline or planned.of_baseline is None or record.high is None:
        return
    if apart is not None and apart.high is not None and apart.high >= 0:
        yield f"by {planned.against} alone it is not shown to beat the baseline"
    elif record.high >= planned.of_baseline:
        high, of_baseline = number(record.high, known.loss), amount(planned.of_baseline, known.loss)
        yield f"the interval of {record.estimate} is wide: its upper end, {high}, reaches the baseline's {of_baseline}"


def shown_better(differences: Iterable[Difference]) -> list[str]:
    """The candidates that are shown to err less than the winner, from its `differences` with the others."""
    return [one.against for one in differences if one.low is not None and one.low > 0 and one.against != NAME]


def _found(known: Known, severity: Severity) -> Iterator[str]:
    return (text for grade, text in known.findings if grade == severity)
