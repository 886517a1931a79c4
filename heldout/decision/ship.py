"""Whether to ship the winner: one rule, from everything that is known about it after the choice.

The verdict is the first of these that holds:

1. `not_yet`: a reason to stop. The winner is too good to be true; a finding about the table has the severity `stop`; or
   the winner is not shown to err less than the baseline, in the loss that was chosen.
2. `ship_with_care`: a caveat. In this order: the interval to plan with is not credible; a finding of severity `care`
   that nobody has decided about; the test set is spent, or was opened for several winners; earlier validations were
   removed from the store; the estimate to plan with does not show by itself that the baseline is beaten; its interval
   reaches the baseline's error, so it is wide; it has no interval; E_test lies above the interval by which one would
   have planned without it; the unlabelled rows are of another population;
   stratified parts make the estimates too low; candidates failed; another candidate is shown to err less; the criterion
   cannot say who is left.
3. `any_of`: by the margin that somebody stated, others are shown to be alike with the winner.
4. `ship`: none of these.

That the rows do not tell two candidates apart is no equivalence: the winner is shipped, and the line below the advice
says how many others are not ruled out, and how much more they may err.

Reasons to stop come first among the caveats. One plans with the first of E_test, E_bbc, E_cv and E_val that has an
interval. What is compared with it is the same estimate of the baseline; with E_bbc its E_cv, since a constant answer is
not chosen, and needs no correction.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from heldout.estimates import PLANNED_BY
from heldout.findings.finding import Severity
from heldout.fits.baseline import NAME
from heldout.losses import Loss
from heldout.losses.amounts import amount, margin_text, number, points, rounded, with_unit
from heldout.metrics.skill import Skill
from heldout.records import Difference, Estimate

Verdict = Literal["ship", "ship_with_care", "any_of", "not_yet"]

_LONGEST = 300


@dataclass(frozen=True)
class Planned:
    """The estimate to plan with, and next to it the baseline's, from the same rows: its value, and the difference.

    `otherwise` is the one to plan with if there were no such record.
    """

    record: Estimate
    against: str
    of_baseline: float | None = None
    difference: Difference | None = None
    otherwise: Estimate | None = None


def plan_with(
    records: Iterable[Estimate], of_baseline: Mapping[str, float], differences: Mapping[str, Difference]
) -> Planned | None:
    """The estimate of the winner to plan with, from its `records`; None where none has an interval.

    `of_baseline` are the values of the baseline, and `differences` the winner's less these, by the name of the
    estimate.
    """
    by_name = {record.estimate: record for record in records if record.low is not None}
    found = [
        (by_name[one.name], one.planning) for one in PLANNED_BY if one.name in by_name and one.planning is not None
    ]
    if not found:
        return None
    (record, planning), *others = found
    against = planning.of_baseline or record.estimate
    otherwise = others[0][0] if others else None
    return Planned(record, against, of_baseline.get(against), differences.get(against), otherwise)


def won_by(criterion: str, winner: str, records: Iterable[Estimate]) -> str:
    """The criterion, where it is the estimate of which the winner has the least of several: too low, since it won.

    Empty where another rule took the winner, or the criterion is no estimate: having won did nothing to the others.
    """
    values = {one.candidate: one.value for one in records if one.estimate == criterion and one.candidate != NAME}
    return criterion if len(values) > 1 and winner in values and values[winner] <= min(values.values()) else ""


@dataclass(frozen=True)
class Further:
    """What is known besides the rows of one validation.

    `findings` are the severity and the text of each finding about the table that is open; `decided` are the columns
    about which somebody has decided. `spent` says why the test set stayed closed, `openings` for how many winners it
    was opened, `removed` how many earlier validations somebody took out of the store.
    """

    findings: Sequence[tuple[Severity, str]] = ()
    decided: Collection[str] = ()
    spent: str = ""
    openings: int = 0
    removed: int = 0


@dataclass(frozen=True, kw_only=True)
class Known(Further):
    """What is known about the winner.

    `judged_by` says by what the baseline is beaten, or not. `lowest` is the candidate of the least value of the
    criterion, `not_ruled_out` the winner and those that are not shown to err more, empty where the criterion cannot
    say, `compared` the number of candidates that did not fail. `differences` are the winner's `error` less that of each
    other and of the baseline, with words where somebody stated a `margin`. `too_good` says what carries an error that
    is too low. `not_credible` has a reason for each estimate whose interval cannot be right, `other_population` one for
    unlabelled rows that are of another.
    """

    selected: str
    lowest: str
    not_ruled_out: Sequence[str]
    compared: int
    loss: Loss
    judged_by: str
    beats_baseline: bool | None
    planned: Planned | None = None
    differences: Sequence[Difference] = ()
    error: float = 0.0
    margin: float | None = None
    skill: Skill | None = None
    too_good: str = ""
    not_credible: Mapping[str, str] = field(default_factory=dict)
    other_population: str = ""
    optimism: str = ""
    failed: Sequence[str] = ()


@dataclass(frozen=True)
class Decision:
    """The verdict, the caveats, the `advice`, and in a line below it what is said of `others`; every report has both.

    The advice is a reason to stop, or what to ship, with the error to plan with and that of a constant answer. `any_of`
    are the candidates that are shown to be alike by a margin, with the winner; empty without a margin.
    """

    verdict: Verdict
    caveats: tuple[str, ...]
    advice: str
    others: str = ""
    any_of: tuple[str, ...] = ()

    @property
    def further(self) -> tuple[str, ...]:
        """The caveats that the advice does not say."""
        return tuple(caveat for caveat in self.caveats if caveat not in self.advice)

    @property
    def sentence(self) -> str:
        """The advice, what is said of others, and all caveats."""
        return "; ".join([self.advice, *([self.others] if self.others else []), *self.further])


def decide(known: Known) -> Decision:
    """The decision, by the rule above."""
    stops, cares = (tuple(map(_short, texts)) for texts in (_stops(known), _cares(known)))
    within = alike_by_margin(known.differences)
    any_of = (known.selected, *within) if within else ()
    verdict: Verdict = "not_yet" if stops else "ship_with_care" if cares else "any_of" if any_of else "ship"
    others = "" if stops else "; ".join(_others(known, any_of))
    return Decision(
        verdict, (*stops, *cares), _advice(known, verdict, len(any_of), next(iter(stops), "")), others, any_of
    )


def in_numbers(planned: Planned | None, loss: Loss) -> str:
    """The error to plan with, and that of a constant answer: 1.7 % errors [0.6–3.6], a constant 11.8 %.

    Empty without an interval.
    """
    if planned is None:
        return ""
    record, of, unit = planned.record, planned.of_baseline, " %" if loss.binary else ""
    value, low, high = (rounded(end or 0.0, loss) for end in (record.value, record.low, record.high))
    error = with_unit(value, loss) + (" errors" if loss.binary and not loss.mean_called else "")
    return f"{error} [{low}–{high}]" + ("" if of is None else f", a constant {rounded(of, loss)}{unit}")


def _advice(known: Known, verdict: Verdict, any_of: int, stop: str) -> str:
    winner, numbers = known.selected, in_numbers(known.planned, known.loss)
    words, said = {
        "ship": (f"Ship {winner}", numbers),
        "ship_with_care": (f"Ship {winner}, with care", numbers),
        "any_of": (f"Any of these {any_of}", f"{winner} {numbers}".strip()),
        "not_yet": ("Do not ship yet", stop),
    }[verdict]
    return f"{words}: {said}" if said else words


def alike_by_margin(differences: Sequence[Difference]) -> tuple[str, ...]:
    """The others that are shown to be alike with the winner, without those that err no less than the baseline."""
    return tuple(one.against for one in differences if one.by_margin == "alike" and not _no_better(one, differences))


def worse_by(differences: Iterable[Difference], error: float, loss: Loss) -> str:
    """How much more than the winner, with its `error`, the others of these `differences` may err; empty if nothing."""
    least = min((one.low for one in differences if one.low is not None), default=0.0)
    if least >= 0:
        return ""
    unit = " points" if loss.binary else ""
    of = f" in {loss.mean_called}" if loss.mean_called else ""
    return f"up to {points(least, error, loss).lstrip('-')}{unit} worse{of}"


def _no_better(one: Difference, differences: Iterable[Difference]) -> bool:
    """Whether another candidate errs no less than the baseline, by the winner's differences from both."""
    return any(constant.against == NAME and one.difference <= constant.difference for constant in differences)


def _others(known: Known, any_of: Sequence[str]) -> Iterator[str]:
    """What there is besides the winner: the least error, who is alike by the margin, and who is not ruled out."""
    if known.selected != known.lowest:
        yield f"{known.selected} is selected, {known.lowest} is lowest"
    elif any_of:
        yield f"{known.selected} is lowest"
    if any_of and known.margin is not None:
        yield f"alike by a margin of {margin_text(known.margin, known.loss)}"
    if left := [name for name in known.not_ruled_out if name not in (known.selected, *any_of)]:
        count = f"{len(left)} {'further ' if any_of else ''}other{'s are' if len(left) > 1 else ' is'} not ruled out"
        worse = worse_by([one for one in known.differences if one.against in left], known.error, known.loss)
        yield f"{count}, {worse}" if worse else count


def _short(text: str) -> str:
    """A text in one line, cut where it is long: a finding or a name may be as long as a stranger likes."""
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"


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
        yield "the test set is used up, so the rows that were used to choose are all there is to plan with"
    if known.openings > 1:
        yield f"the test set was opened for {known.openings} different winners, so E_test is too low"
    if known.removed:
        yield (
            f"{known.removed} earlier validation{'s' * (known.removed > 1)} of these data, which the ledger names, "
            f"{'were' if known.removed > 1 else 'was'} removed from the store: what was compared and opened there does "
            "not count here"
        )
    if planned is None:
        yield "no interval is claimed for its error"
    else:
        yield from _of_plan(known, planned)
        yield from _of_test_set(known, planned)
    if known.other_population:
        yield f"the unlabelled rows are of another population: {known.other_population}"
    if known.optimism:
        yield known.optimism
    if known.failed:
        yield f"failed, and not compared: {', '.join(known.failed)}"
    if better := [one.against for one in known.differences if one.shown_more and one.against != NAME]:
        yield f"shown to err less than {known.selected}: {', '.join(better)}"
    if not known.not_ruled_out and known.compared > 1:
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


def _of_test_set(known: Known, planned: Planned) -> Iterator[str]:
    """Whether the test set contradicts the interval of the rows that chose."""
    record, other = planned.record, planned.otherwise
    if record.estimate != "E_test" or other is None or record.low is None or other.high is None:
        return
    if record.low > other.high and not {record.estimate, other.estimate} & {*known.not_credible}:
        ends = f"{number(other.low or 0.0, known.loss)}–{number(other.high, known.loss)}"
        yield (
            f"E_test lies above the interval of {other.estimate}, {ends}: the test set is unlike the rows that chose, "
            "or the model of all rows is worse than those of a part"
        )


def _found(known: Known, severity: Severity) -> Iterator[str]:
    return (text for grade, text in known.findings if grade == severity)
