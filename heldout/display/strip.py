"""The decision strip: the winner's error from the most optimistic estimate to the honest, on one axis, in one record.

`strip_html` draws it for a page, `strip_text` for a terminal, `strip_picture` for a notebook and for MLflow.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from heldout.display import number_axis
from heldout.display.measured_intervals import MEASURED
from heldout.estimates import ESTIMATES, PLANNED_BY
from heldout.fits.baseline import NAME
from heldout.losses import Loss, amounts
from heldout.printable import printable
from heldout.records import Estimate

BOUND = "bound"
# what stands next to a name; the other words are those of `Planning`
_TRAINING = "on the rows it was trained on"
_AT_MOST = "at most, with all comparisons counted"
_LEVEL = 0.95  # that of the coverage study
_MILLIONS = 6
_ROOM = 1.03  # of the axis behind the last end
_MOST_NAMED, _LONGEST = 2, 20  # of the candidates beyond the axis; letters of a name


@dataclass(frozen=True)
class Mark:
    """A number on the axis: what it is `called`, what it rests on, its interval, and how often that held in a study."""

    called: str
    rests_on: str
    value: float | None
    low: float | None = None
    high: float | None = None
    covered: str = ""

    @property
    def ends(self) -> list[float]:
        """Value, low and high, as far as there are some."""
        return [end for end in (self.value, self.low, self.high) if end is not None]


@dataclass(frozen=True)
class Strip:
    """The numbers that a sceptical reader needs to decide.

    `marks` are those of the winner, `planned` is the name of the one to plan with, empty without an interval. `rivals`
    are the other candidates that are left, each called by its name, by the estimate `compared`, the least first, and
    `baseline` is the best constant answer by the estimate that is compared with the plan.
    """

    winner: str
    marks: tuple[Mark, ...]
    planned: str
    compared: str
    rivals: tuple[Mark, ...]
    baseline: Mark | None
    loss: Loss

    @property
    def plan(self) -> Mark | None:
        """The mark to plan with."""
        return next((mark for mark in self.marks if mark.called == self.planned), None)

    @property
    def end(self) -> float:
        """The end of the axis, in the mean of the loss: above every end of the winner and most of the others.

        What is beyond is drawn as an arrow, so that one bad rival does not flatten the rest.
        """
        of_winner = [end for mark in self.marks for end in mark.ends]
        others = [end for mark in self.rivals for end in mark.ends]
        constant = [] if self.baseline is None or self.baseline.value is None else [self.baseline.value]
        most = max(of_winner, default=0.0)
        ends = [most, *(end for end in others if end <= 2 * most), *(end for end in constant if end <= 3 * most)]
        return _ROOM * max(ends)

    @property
    def beyond(self) -> str:
        """What the arrow of the others stands for: who is beyond the axis, with the number; empty for nobody."""
        far = [mark for mark in self.rivals if mark.value is not None and mark.value > self.end]
        named = [f"{mark.called[:_LONGEST]} {self.number(mark.value or 0.0)}" for mark in far[:_MOST_NAMED]]
        more = [f"{len(far) - _MOST_NAMED} more"] if len(far) > _MOST_NAMED else []
        return ", ".join([*named, *more])

    @property
    def power(self) -> int:
        """The power of ten that numbers are counted in, where they would have too many digits; else 0."""
        found = number_axis.power(float(amounts.shown(self.end, self.loss)))
        return 0 if self.loss.binary or 0 <= found < _MILLIONS else found

    def number(self, value: float) -> str:
        """A mean loss as it is read here, counted in `power`."""
        if not self.power or value == 0:
            return amounts.rounded(value, self.loss)
        return f"{float(amounts.shown(value, self.loss)) / 10.0**self.power:.3g}"

    def numbers(self, mark: Mark, unit: str = "") -> str:
        """Value and interval, or the limit, of a mark, with a `unit` after the first number."""
        if mark.value is None:
            return f"at most {self.number(mark.high or 0.0)}{unit}"
        text = f"{self.number(mark.value)}{unit}"
        if mark.low is not None and mark.high is not None:
            text += f" [{self.number(mark.low)}–{self.number(mark.high)}]"
        return f"{text}  ← plan with it" if mark.called == self.planned else text

    @property
    def counted_in(self) -> str:
        """What `power` is called, in front of the end of a sentence or of the name of an axis: billion."""
        return number_axis.counted_in(10.0**self.power).removeprefix(", ").removesuffix("s") if self.power else ""


def strip(
    winner: str,
    records: Sequence[Estimate],
    loss: Loss,
    *,
    planned: str,
    against: str,
    won: str,
    bound: float | None,
    level: float,
    plain: bool,
) -> Strip:
    """The strip of a `winner`, from the `records` of all candidates and of the baseline.

    `planned` is the estimate to plan with, empty for none, and `against` the baseline's that is compared with it.
    `won` is the estimate by which the winner was the least, empty for none (`heldout.decision.ship.won_by`).
    `plain` says that rows are independent and count alike, as in the study of coverage.
    """
    of_winner = {record.estimate: record for record in records if record.candidate == winner}
    compared = next((name for name in ("E_cv", "E_val") if name in of_winner), "")
    others = [record for record in records if record.estimate == compared and record.candidate not in (winner, NAME)]
    constant = next((one for one in records if (one.candidate, one.estimate) == (NAME, against or compared)), None)
    rivals = [replace(_mark(record), called=record.candidate) for record in others]
    marks = tuple(_marks(of_winner, bound, loss, level if plain else None, won))
    return Strip(
        winner=winner,
        marks=marks,
        planned=planned,
        compared=compared,
        rivals=tuple(sorted(rivals, key=lambda mark: mark.value or 0.0)),
        baseline=None if constant is None else _mark(constant),
        loss=loss,
    )


def alternative(made: Strip) -> str:
    """What the picture shows, for whoever does not see it."""
    plan = made.plan
    said = "" if plan is None else f" Plan with {plan.called}."
    return printable(f"{made.winner}: its error from the most optimistic estimate to the honest.{said}")


def _marks(
    of_winner: dict[str, Estimate], bound: float | None, loss: Loss, level: float | None, won: str
) -> Iterator[Mark]:
    """E_in, then the estimates that one may plan with, the honest last, and the bound."""
    if "E_in" in of_winner:
        yield Mark("E_in", _TRAINING, of_winner["E_in"].value)
    for definition in reversed(PLANNED_BY):
        record = of_winner.get(definition.name)
        if record is None or (definition.name == "E_val" and "E_cv" in of_winner):
            continue
        yield _mark(record, _rests_on(record, won), _covered(record, loss, level))
    if bound is not None:
        yield Mark(BOUND, _AT_MOST, None, high=bound)


def _mark(record: Estimate, rests_on: str = "", covered: str = "") -> Mark:
    return Mark(record.estimate, rests_on, record.value, record.low, record.high, covered)


def _rests_on(record: Estimate, won: str) -> str:
    planning = ESTIMATES[record.estimate].planning
    return "" if planning is None else planning.says(f"{record.n_tested:,}", won=record.estimate == won)


def _covered(record: Estimate, loss: Loss, level: float | None) -> str:
    """How often the method held; empty where the study was about other losses, rows or levels."""
    task = "classes" if loss.binary else "numbers" if loss.power == 2 else ""
    like = "E_val" if record.estimate == "E_test" else record.estimate  # new rows both
    found = MEASURED.get((like, task, record.interval or ""))
    return found.says if found is not None and level == _LEVEL and record.not_credible is None else ""
