"""Which fits a validation wants now, and what their losses decide: a state machine without side effects.

`Plan.wanted` says which fits are wanted, `Plan.take` takes their losses, a failure, or that a scheme needs fits after
all; then others are wanted, until none is. It knows names of candidates and a design. Who makes the fits, in which
order, where and when, is no matter of it, and changes nothing of its end.

A race (`heldout.selection.race`) comes before all else. Then the fits of every scheme are wanted at once, for each
candidate that is left, next to those of the first look at the halvings (`heldout.schemes.halvings`), where the rule
says how many there are. A scheme whose losses may be had without a fit is wanted as `exact` first. No fit that was
taken is wanted again.

One that fails on the stream of a race drops nobody: the race begins again without it, on the losses that were taken. A
candidate that fails as a whole gets no more fits; but its halvings are looked at as those of the others until their
number is known, which must not depend on which fit failed first.
"""

from bisect import bisect_right
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from heldout.losses import Losses
from heldout.schemes import SchemeName
from heldout.schemes.design import Design, Evidence, half_tested
from heldout.schemes.halvings import HALVES, Halvings, after_look, looks, most
from heldout.selection.race import STREAM, Dropped, Race
from heldout.splits.split import tested_sizes


@dataclass(frozen=True)
class Wanted:
    """Some fits of a candidate in a scheme, by their numbers.

    `exact`: all losses of the scheme without a fit, which may be answered by `NeedsFits`.
    """

    candidate: str
    scheme: SchemeName
    numbers: range
    exact: bool = False


@dataclass(frozen=True)
class Failed:
    """The answer of fits of which one failed, with the reason of the first."""

    reason: str


@dataclass(frozen=True)
class NeedsFits:
    """The answer to `Wanted.exact` where the losses of the scheme cannot be had without its fits."""


Answer = Sequence[Losses] | Failed | NeedsFits  # the losses by number; they are read where something depends on them
_Place = tuple[str, SchemeName]  # a candidate in a scheme
_Steps = Generator[Iterable[_Place], None, None]  # each with what it waits for


@dataclass
class _Taken:
    """The losses of the first fits of a candidate in a scheme, as they came."""

    parts: list[Sequence[Losses]] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def __len__(self) -> int:
        return self.ends[-1] if self.ends else 0

    def add(self, losses: Sequence[Losses]) -> None:
        """The losses of the next fits."""
        self.ends.append(len(self) + len(losses))
        self.parts.append(losses)

    def __getitem__(self, number: int) -> Losses:
        place = bisect_right(self.ends, number)
        return self.parts[place][number - (self.ends[place - 1] if place else 0)]


class Plan:
    """The fits of `candidates` in `schemes`, all of them named from simple to complex or in the order of a report.

    With a `limit` of the losses there is a race, with an infinite one only to find at most `finalists`. With `by_rule`
    the halvings are as many as the rule of `heldout.schemes.halvings` asks for, and `design` has the most of them.
    `may_skip` says whether all losses of a candidate in a scheme may be had without a fit. `may_fail` says of a scheme
    whether one that fails in it lacks its estimates alone; on the stream of a race nobody may.

    `dropped` are those that the race left out, `halvings` what the rule found, None without it.
    """

    def __init__(
        self,
        design: Design,
        candidates: Sequence[str],
        schemes: Sequence[SchemeName],
        *,
        may_skip: Callable[[str, SchemeName], bool],
        may_fail: Callable[[str], bool],
        limit: float | None = None,
        finalists: int | None = None,
        by_rule: bool = False,
    ) -> None:
        self.dropped: tuple[Dropped, ...] = ()
        self.halvings: Halvings | None = None
        self._all, self._schemes = design, tuple(schemes)
        self._may_skip, self._may_fail = may_skip, may_fail
        self._limit, self._finalists, self._by_rule = limit, finalists, by_rule
        self._ranked = self._schemes if limit is None else tuple(dict.fromkeys((*schemes, STREAM)))
        self._racing = tuple(candidates)  # that were not dropped
        self._taken = {(name, scheme): _Taken() for name in candidates for scheme in self._ranked}
        self._order = {place: number for number, place in enumerate(self._taken)}
        self._declined: set[_Place] = set()
        self._reasons: dict[str, dict[str, str]] = {name: {} for name in candidates}
        self._asked_of_failed = 0  # fits
        self._open: dict[_Place, tuple[Wanted, int]] = {}  # what is wanted, and up to which number
        self._waits: list[_Place] = []
        self._steps: _Steps | None = self._method()
        self._go_on()

    def wanted(self) -> list[Wanted]:
        """All fits that can be made now, in the order of candidates and schemes; none at the end.

        Also none where all candidates failed.
        """
        return [] if self.first() is None else [wanted for wanted, _ in self._open.values()]

    def first(self) -> Wanted | None:
        """The first of what is wanted; None at the end."""
        if all(self._fails(name) for name in self._racing):
            return None
        return next((wanted for wanted, _ in self._open.values()), None)

    def wants(self, one: Wanted) -> bool:
        """Whether something is wanted still."""
        return self._open.get((one.candidate, one.scheme), (None,))[0] == one

    def take(self, answers: Mapping[Wanted, Answer]) -> None:
        """Take the answers to some of what is wanted; others are left aside, as those of a candidate that failed.

        Raises BadArgument for a loss of the race above a limit that was stated, which ends the plan.
        """
        now = [one for one in answers if self.wants(one)]
        for one in now:
            place, answer = (one.candidate, one.scheme), answers[one]
            if isinstance(answer, Failed):
                self._asked_of_failed += len(one.numbers)
                self.fail(one.candidate, one.scheme, answer.reason)
            elif isinstance(answer, NeedsFits):
                self._declined.add(place)
            elif len(answer) == len(one.numbers):
                self._taken[place].add(answer)
            else:
                raise ValueError(f"{one} has {len(answer)} losses; it must have {len(one.numbers)}")
            self._update(place)
        self._go_on()

    def fail(self, candidate: str, what: str, reason: str) -> None:
        """Record that a candidate failed in a scheme, or in something else that `may_fail` knows."""
        self._reasons[candidate].setdefault(what, reason)
        for place in [place for place in self._open if place[0] == candidate and self._is_over(place)]:
            del self._open[place]

    @property
    def design(self) -> Design:
        """The design of what is left: with the halvings that were made, and the number of those that were dropped."""
        made = len(self._all.halves) if self.halvings is None else self.halvings.made
        return self._all.of_those_left(made, len(self.dropped))

    @property
    def left(self) -> list[str]:
        """The candidates that were neither dropped nor failed as a whole."""
        return [name for name in self._racing if not self._fails(name)]

    @property
    def failures(self) -> dict[str, str]:
        """The reason of each candidate that failed as a whole; of several that of the first scheme."""
        return {name: reason for name in self._reasons if (reason := next(iter(self._whole(name)), None)) is not None}

    @property
    def lacking(self) -> dict[str, dict[str, str]]:
        """The reasons of each candidate that is left, by what it failed in; of those that failed in something."""
        return {name: {**reasons} for name in self.left if (reasons := self._reasons[name])}

    def _method(self) -> _Steps:
        if self._limit is not None:
            yield from self._race(self._limit)
        schemes = [scheme for scheme in self._schemes if not self._is_decided(scheme)]
        others = [(name, scheme) for name in self.left for scheme in schemes]
        for place in others:
            self._want(place, self._count(place[1]))
        if self._by_rule:
            yield from self._looks()
        yield others

    def _race(self, limit: float) -> _Steps:
        """The race, from its start whenever one of those in it fails."""
        race = None
        while race is None or any(self._fails(name) for name in race.racing):
            race = yield from self._race_of([name for name in self._reasons if not self._fails(name)], limit)
        self.dropped = race.dropped

    def _race_of(self, names: Sequence[str], limit: float) -> Generator[Iterable[_Place], None, Race]:
        """The race of some candidates, until its end, until one is left, whose stream ends alone, or until one fails.

        Raises BadArgument for a loss above a limit that was stated.
        """
        design, splits = self._all, self._all.splits(STREAM)
        race = Race.of(names, int(tested_sizes(splits).sum()), limit, design.level, self._finalists)
        self._racing = race.racing
        for number, split in enumerate(splits):
            if len(race.racing) < 2:
                break
            yield [self._want((name, STREAM), number + 1) for name in race.racing]
            if any(self._fails(name) for name in race.racing):
                return race
            losses = {name: self._taken[name, STREAM][number] for name in race.racing}
            for name, found in losses.items():
                design.loss.check_losses(found, split.validation, name)
            race = race.after(losses, design.weights_of(split.validation))
            self._racing = race.racing
        if STREAM in self._schemes:
            yield [self._want((name, STREAM), len(splits)) for name in race.racing]
        return race

    def _looks(self) -> _Steps:
        """Halvings up to each look, until the rule says that no more are needed, or all half models failed."""
        rows = len(self._all.y)
        look: int | None = looks(rows)[0]
        found = Halvings(most(rows), most(rows))
        while look is not None:
            yield [self._want((name, HALVES), 2 * look) for name in self._racing]
            cut = self._all.of_those_left(look, 0)
            observed = {}
            for name in self._racing:
                if HALVES not in self._reasons[name]:
                    losses = [self._taken[name, HALVES][number] for number in range(2 * look)]
                    observed[name] = half_tested(cut, Evidence({HALVES: losses}))
            if not observed:
                found = Halvings(most(rows), most(rows))
                break
            found, look = after_look(observed, look, rows)
        self.halvings = found

    def _go_on(self) -> None:
        """The next steps of the method, up to one that waits for something."""
        while self._steps is not None:
            while self._waits and self._waits[-1] not in self._open:
                self._waits.pop()
            if self._waits:
                return
            try:
                self._waits = [*next(self._steps)]
            except StopIteration:
                self._steps, self._waits = None, []
            self._open = dict(sorted(self._open.items(), key=lambda item: self._order[item[0]]))

    def _want(self, place: _Place, count: int) -> _Place:
        """Want the first `count` fits of a candidate in a scheme."""
        if len(self._taken[place]) < count and not self._is_over(place):
            self._open[place] = self._next(place, count), count
        return place

    def _update(self, place: _Place) -> None:
        """Want what is missing after an answer, if anything is."""
        _, count = self._open.get(place, (None, 0))
        if len(self._taken[place]) < count:
            self._open[place] = self._next(place, count), count
        else:
            self._open.pop(place, None)

    def _next(self, place: _Place, count: int) -> Wanted:
        taken = len(self._taken[place])
        if not taken and place not in self._declined and self._may_skip(*place):
            return Wanted(*place, range(self._count(place[1])), exact=True)
        return Wanted(*place, range(taken, count))

    def _is_decided(self, scheme: str) -> bool:
        """Whether the rule decides how many fits of a scheme there are."""
        return self._by_rule and scheme == HALVES

    def _is_over(self, place: _Place) -> bool:
        """Whether a candidate gets no more fits in a scheme, since it failed."""
        name, scheme = place
        return scheme in self._reasons[name] or (self._fails(name) and not self._is_decided(scheme))

    def _whole(self, name: str) -> list[str]:
        """The reasons for which a candidate fails as a whole, in the order of the schemes."""
        reasons, raced = self._reasons[name], self._limit is not None
        ranked = [what for what in dict.fromkeys((*self._ranked, *reasons)) if what in reasons]
        return [reasons[what] for what in ranked if not self._may_fail(what) or (raced and what == STREAM)]

    def _fails(self, name: str) -> bool:
        return bool(self._reasons[name] and self._whole(name))

    def _count(self, scheme: SchemeName) -> int:
        """How many fits a scheme has, as far as it is known."""
        if self._is_decided(scheme) and self.halvings is not None:
            return 2 * self.halvings.made
        return len(self._all.splits(scheme))

    @property
    def total(self) -> int:
        """The number of all fits, as far as it is known: of those that were taken, and that may still be wanted."""
        left = {*self.left}
        racing = any(scheme == STREAM for _, scheme in self._waits)
        due = (
            max(self._count(place[1]) - len(taken), 0)
            for place, taken in self._taken.items()
            if place[0] in left and not self._is_over(place) and (place[1] in self._schemes or racing)
        )
        return sum(map(len, self._taken.values())) + self._asked_of_failed + sum(due)
