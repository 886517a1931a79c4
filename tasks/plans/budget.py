"""Which rows and fits a run can afford: chosen from measured seconds, with no look at a file or a clock.

Rows come first: as long as a cheaper design allows all rows, no row is given up; only the cheapest design is made on
fewer rows, and then on as many as the budget allows.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

from heldout.defaults import TESTED_FRACTION, VALIDATION_FRACTION
from heldout.intervals import corrected_fold_t, corrected_fold_wilson
from heldout.schemes.halvings import most
from heldout.schemes.resampling import SUBSAMPLES
from heldout.splits.partition import part_size

FINALISTS = 8  # of more candidates, who get every fit
FEWEST_ROWS = 500  # the estimates never rest on fewer, if there are as many
_STEEPEST = 3.0  # power of the rows by which a cost may grow
_STEP = 1.05  # between numbers of rows that are considered
# measured on two cores: the start of the server, of the workers and of four stages; what all stages together do for
# each row of the table and for each stored loss (docs/size.md); and the share of a worker's time that is left for fits
RUN_SECONDS, SECONDS_A_ROW, SECONDS_A_LOSS, BUSY = 20.0, 6e-5, 5e-6, 0.85


@dataclass(frozen=True)
class Cost:
    """The seconds of one learner, measured at ascending numbers of training rows: of a fit, and of one answer."""

    rows: tuple[int, ...]
    fit: tuple[float, ...]
    answer: tuple[float, ...]

    def seconds(self, trained: int, answers: float) -> float:
        """The seconds of a fit on `trained` rows and of so many answers of its hypothesis."""
        return grown(self.rows, self.fit, trained) + answers * grown(self.rows, self.answer, trained)

    def times(self, factor: float) -> "Cost":
        """The cost of a learner whose fits and answers take so many times as long."""
        return Cost(self.rows, *(tuple(factor * one for one in of) for of in (self.fit, self.answer)))


@dataclass(frozen=True)
class Effort:
    """How many fits of each candidate the estimates are made of."""

    folds: int
    subsamples: int
    halvings: int
    blocks: int
    by_rule: bool = False  # the halvings are at most so many (`heldout.schemes.halvings`)


@dataclass(frozen=True)
class EqualFits:
    """So many fits on the same number of rows, the rows that each tests, and the unlabelled rows that each answers."""

    count: int
    trained: int
    tested: float
    unlabeled: int = 0

    def seconds(self, cost: Cost) -> float:
        """The seconds of a worker for all of the fits."""
        return self.count * cost.seconds(self.trained, self.tested + self.unlabeled)


@dataclass(frozen=True)
class TableSize:
    """The rows of a table: labelled ones outside of the test set, those of the test set, and those without a label.

    `own_unlabeled`: the unlabelled rows are the user's files, so that no labelled row serves as one. `copies`: some
    rows have equal features, which costs the winner further fits, as `columns` does: the report is to say which columns
    matter. `dependent`: rows depend on one another, by group
    or along time, and the interval of E_cv needs no subsamples.
    """

    labeled: int
    test: int
    unlabeled: int
    own_unlabeled: bool = False
    copies: bool = False
    columns: bool = False
    dependent: bool = False

    @property
    def rows(self) -> int:
        """All of them."""
        return self.labeled + self.test + self.unlabeled

    def unlabeled_next_to(self, rows: int) -> int:
        """The unlabelled rows, if the estimates use `rows` of the labelled rows."""
        return self.unlabeled + (0 if self.own_unlabeled else self.labeled - rows)


@dataclass(frozen=True)
class Choice:
    """The rows of the estimates, of all labelled rows, their fits, and the expected seconds, None if not measured."""

    rows: int
    labeled: int
    effort: Effort
    seconds: float | None


def efforts(table: TableSize) -> list[Effort]:
    """The designs for a table, from the most fits to the fewest."""
    subsamples = 0 if table.dependent else SUBSAMPLES
    return [Effort(10, subsamples, most(table.labeled), 20, by_rule=True), Effort(10, 0, 5, 10), Effort(5, 0, 3, 5)]


def richest(table: TableSize) -> Choice:
    """All rows and the most fits, if nobody measured how long they take."""
    return Choice(table.labeled, table.labeled, efforts(table)[0], None)


def choose(
    costs: Sequence[Cost], table: TableSize, seconds: float, workers: int, finalists: int | None = None
) -> Choice:
    """All rows with the most fits that `seconds` allow; if none do, the fewest fits on as many rows as they allow.

    If the seconds do not allow `FEWEST_ROWS`, these are chosen, and more seconds are expected.
    """
    designs = efforts(table)
    for effort in designs:
        if (needed := expected(costs, table, table.labeled, effort, workers, finalists)) <= seconds:
            return Choice(table.labeled, table.labeled, effort, needed)
    needed_by = {rows: expected(costs, table, rows, designs[-1], workers, finalists) for rows in _sizes(table.labeled)}
    rows = max((rows for rows, needed in needed_by.items() if needed <= seconds), default=min(needed_by))
    return Choice(rows, table.labeled, designs[-1], needed_by[rows])


def expected(
    costs: Sequence[Cost], table: TableSize, rows: int, effort: Effort, workers: int, finalists: int | None = None
) -> float:
    """The seconds of a whole run with so many rows for the estimates; the slowest candidates are the `finalists`."""
    before, later = [*before_race(rows, effort)], [*after_race(rows, effort, table.unlabeled_next_to(rows))]
    slowest = sorted(costs, key=lambda cost: cost.seconds(rows, rows), reverse=True)
    left = len(slowest) if finalists is None else finalists
    made = [(cost, [*before, *(later if place < left else ())]) for place, cost in enumerate(slowest)]
    return run_seconds(made, after_the_choice(rows, effort.folds, table), table, workers)


def after_the_choice(rows: int, folds: int, table: TableSize) -> list[EqualFits]:
    """The further fits of the winner: on all labelled rows, by folds that keep copies together, and those again whose
    hypotheses say which columns matter.
    """
    delivered = [] if rows == table.labeled else [EqualFits(1, table.labeled, table.test)]
    return delivered + [EqualFits(folds, rows - rows // folds, rows // folds)] * (table.copies + table.columns)


def fits(rows: int, effort: Effort, unlabeled: int) -> Iterator[EqualFits]:
    """The fits of a candidate."""
    yield from before_race(rows, effort)
    yield from after_race(rows, effort, unlabeled)


def before_race(rows: int, effort: Effort) -> Iterator[EqualFits]:
    """The fits of every candidate: the blocks of E_prog."""
    tested = round(TESTED_FRACTION * rows)
    yield EqualFits(effort.blocks, rows - tested // 2, tested / effort.blocks)


def after_race(rows: int, effort: Effort, unlabeled: int) -> Iterator[EqualFits]:
    """The fits of those who are left: hold-out, all rows, folds, subsamples, and the halves, which answer shards."""
    held_out = round(VALIDATION_FRACTION * rows)
    yield EqualFits(1, rows - held_out, held_out)
    yield EqualFits(1, rows, rows)
    in_fold = rows // effort.folds
    in_subsample = max(in_fold, rows // 10)
    yield EqualFits(effort.folds, rows - in_fold, in_fold)
    yield EqualFits(effort.subsamples, rows - in_subsample, in_subsample)
    yield EqualFits(2 * effort.halvings, rows // 2, rows, unlabeled)


def run_seconds(
    made: Sequence[tuple[Cost, Sequence[EqualFits]]], after: Sequence[EqualFits], table: TableSize, workers: int
) -> float:
    """The seconds of a run: its fixed cost, the fits of each candidate, their losses, and the winner's fits `after`.

    The slowest learner counts as the winner. Its fits occupy as many workers as there are fits.
    """
    of_fits = sum(one.seconds(cost) for cost, some in made for one in some) / (workers * BUSY)
    of_winner = max(
        (sum(one.seconds(cost) / min(workers, one.count) for one in after) for cost, _ in made), default=0.0
    )
    losses = sum(one.count * one.tested for _, some in made for one in some)
    return RUN_SECONDS + SECONDS_A_ROW * table.rows + SECONDS_A_LOSS * losses + of_fits + of_winner


def grown(rows: Sequence[int], seconds: Sequence[float], wanted: int) -> float:
    """The seconds at `wanted` rows: a power between measured points, never falling with the rows.

    Beyond the last point they grow by the last step's power, or, if that is below 1, along the line through its two
    points: a fixed cost then weighs less and less, and a power below 1 would forget the part that grows with the rows.
    """
    rising = list(accumulate(seconds, max))
    if wanted <= rows[0]:
        return rising[0]
    for (n, low), (m, high) in pairwise(zip(rows, rising, strict=True)):
        if wanted <= m:
            return low if low <= 0 else float(low * (high / low) ** (math.log(wanted / n) / math.log(m / n)))
    last = rising[-1]
    if len(rows) == 1 or rising[-2] <= 0:
        return float(last * wanted / rows[-1])
    power = math.log(last / rising[-2]) / math.log(rows[-1] / rows[-2])
    if power < 1:
        return last + (last - rising[-2]) / (rows[-1] - rows[-2]) * (wanted - rows[-1])
    return float(last * (wanted / rows[-1]) ** min(power, _STEEPEST))


def _sizes(labeled: int) -> list[int]:
    """The numbers of rows that are considered, ascending, of two digits: 500, 520, 550, …; never all rows."""
    steps = accumulate(iter(lambda: _STEP, 0.0), lambda size, step: size * step, initial=float(FEWEST_ROWS))
    sizes: list[int] = []
    for size in steps:
        rounded = _two_digits(size)
        if rounded >= labeled:
            break
        if not sizes or rounded > sizes[-1]:
            sizes.append(rounded)
    return sizes or [labeled]


def _two_digits(size: float) -> int:
    unit = 10 ** (math.floor(math.log10(size)) - 1)
    return int(size // unit * unit)


def values(choice: Choice, *, dependent: bool, binary: bool) -> dict[str, Any]:
    """The choice as values of params.yaml, by key; the interval of E_cv is named if the default needs subsamples."""
    effort = choice.effort
    fold_interval = corrected_fold_wilson.METHOD if binary else corrected_fold_t.METHOD
    needs_none = effort.subsamples == 0 and not dependent
    return {
        "split.rows": None if choice.rows == choice.labeled else choice.rows,
        "split.folds": effort.folds,
        "covalidation.repeats": "auto" if effort.by_rule else effort.halvings,
        "progressive.block": -(-part_size(choice.rows, TESTED_FRACTION, "tested_fraction") // effort.blocks),
        "intervals": {"E_cv": fold_interval.name} if needs_none else None,
    }
