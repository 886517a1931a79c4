"""What one validation found, gathered for people: the record, and how its numbers are written."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout.decision.ship import Decision, Planned, plan_with, won_by
from heldout.display import about_race, cells
from heldout.display.cells import DOUBTED
from heldout.estimates.criteria import compares_by, judged_by, ranked
from heldout.fits import baseline
from heldout.learners.fit_warnings import WarningCounts
from heldout.losses import Loss, Losses, amounts
from heldout.metrics import METRICS
from heldout.metrics.metric import Metric
from heldout.records import Difference, Estimate, MoreRows, PredictionPowered, PredictionSets
from heldout.schemes.halvings import Halvings
from heldout.selection.race import Dropped
from heldout.splits.dependence import DependenceKind
from tasks.outcome import decision
from tasks.params import Settings
from tasks.storage.findings import Found
from tasks.storage.shard_report import ShardReport

_Record = TypeVar("_Record", Estimate, MoreRows, PredictionPowered)
_STEPS_SHOWN = 1000
_FIVE_DIGITS = 10_000


@dataclass(frozen=True, eq=False)
class WinnerTables:
    """Each table as it was written; one without a line has nothing to say."""

    class_errors: pd.DataFrame = field(default_factory=pd.DataFrame)
    confusion: pd.DataFrame = field(default_factory=pd.DataFrame)
    columns: pd.DataFrame = field(default_factory=pd.DataFrame)
    hard_rows: pd.DataFrame = field(default_factory=pd.DataFrame)
    to_label: pd.DataFrame = field(default_factory=pd.DataFrame)
    shards: pd.DataFrame = field(default_factory=pd.DataFrame)
    calibration: pd.DataFrame = field(default_factory=pd.DataFrame)
    roc: pd.DataFrame = field(default_factory=pd.DataFrame)
    residuals: pd.DataFrame = field(default_factory=pd.DataFrame)


@dataclass(frozen=True, eq=False)
class TestSet:
    """What the winner errs on the test set: the lines of metrics.csv, and the confusion matrix of classes."""

    __test__ = False  # for pytest, which collects what is called so

    metrics: pd.DataFrame
    confusion: pd.DataFrame

    @property
    def headline(self) -> list[tuple[Metric, dict[Any, Any]]]:
        """The metrics on the whole test set, with their lines of metrics.csv."""
        lines = {line["metric"]: line for line in self.metrics[self.metrics["slice"] == ""].to_dict("records")}
        return [(metric, lines[metric.name]) for metric in METRICS if metric.name in lines]

    @property
    def positive(self) -> str | None:
        """The class of two that AUC, average precision and F1 are about, the second; None with more or none."""
        names = [str(name) for name in self.confusion.columns]
        return names[1] if len(names) == 2 else None

    @property
    def slices(self) -> list[dict[Any, Any]]:
        """The lines of metrics.csv about a part of the test set."""
        return self.metrics[self.metrics["slice"] != ""].to_dict("records")


@dataclass(frozen=True, eq=False)
class Curves:
    """The errors of each candidate by fold, and along the stream of rows, both in order.

    `band` holds for the selected candidate at all steps of the stream at once; None where there is none.
    """

    fold_errors: Mapping[str, Losses]
    progressive_errors: Mapping[str, Losses]
    band: tuple[Losses, Losses] | None


@dataclass(frozen=True, eq=False)
class Tuned:
    """What each tuned candidate `chosen` among the values of its parameter, and the errors of all values, its path."""

    chosen: pd.DataFrame
    paths: pd.DataFrame


@dataclass(frozen=True, eq=False)
class Unlabeled:
    """The unlabelled rows: whether any are `present`, and their shards.

    `least_half_error` is what the selected candidate's half models err on average at least, by their disagreement, in
    the population of these rows.
    """

    present: bool
    least_half_error: float | None = None
    shards: Sequence[ShardReport] = ()


@dataclass(frozen=True, eq=False)
class LabeledRows:
    """The labelled rows: `kind` is how they depend on one another, None for independent rows.

    `optimism` says what stratified parts do to the estimates, None where that is little.
    """

    kind: DependenceKind | None = None
    optimism: str | None = None
    labels: Sequence[tuple[str, int]] = ()  # each class with the number of its rows; empty for numbers
    data_hash: str = ""
    columns: int = 0
    found: Found = field(default_factory=Found)  # what `init` found in the table


@dataclass(frozen=True, eq=False)
class Summary:
    """Estimates, selection, failures and curves of one validation.

    `warned` counts the fits of each candidate that gave warnings.
    """

    settings: Settings
    loss: Loss
    estimates: pd.DataFrame
    selection: Mapping[str, Any]
    differences: pd.DataFrame  # `compared_by` of the winner less that of each other candidate and of the baseline
    more_rows: pd.DataFrame  # each candidate's errors after training on few and on many rows
    no_more_rows: str | None  # why nothing is known of more rows; None where it is
    prediction_powered: pd.DataFrame  # each candidate's E_val and E_cv, narrowed by unlabelled rows
    prediction_sets: PredictionSets  # of what is delivered
    failures: Mapping[str, str]
    warned: Mapping[str, WarningCounts]
    test_set: TestSet
    curves: Curves
    tuned: Tuned
    unlabeled: Unlabeled
    rows: LabeledRows = field(default_factory=LabeledRows)
    tables: WinnerTables = field(default_factory=WinnerTables)
    not_credible: Mapping[tuple[str, str], str] = field(default_factory=dict)  # why, by candidate and estimate
    lacking: Mapping[str, str] = field(default_factory=dict)  # which estimates a candidate lacks, and why
    equal: Mapping[str, str] = field(default_factory=dict)  # each that has the losses of an earlier one, and that one

    @property
    def percent(self) -> bool:
        """Whether errors are shown in percent: those of a loss of 0 and 1."""
        return self.loss.binary

    @property
    def other_population(self) -> str | None:
        """Why the unlabelled rows are not of the labelled rows' population; None where nothing says so."""
        return self.selection.get("other_population")

    @property
    def decision(self) -> Decision:
        """Whether to ship the winner."""
        return decision.read(self.selection)

    @cached_property
    def planned(self) -> Planned | None:
        """What the winner errs, by the estimate that a decision rests on; None where none has an interval."""
        values = {record.estimate: record.value for record in self.records_of(baseline.NAME)}
        return plan_with(self.records_of(self.selected), values, self.against_baseline)

    @cached_property
    def won_by(self) -> str:
        """The estimate by which the winner was the least of several, and chosen; empty for none."""
        return won_by(self.selection["criterion"], self.selected, self._records)

    @cached_property
    def _records(self) -> list[Estimate]:
        return [Estimate(**line) for line in as_records(self.estimates)]

    def records_of(self, candidate: str) -> list[Estimate]:
        """The estimates of one candidate."""
        return self._records_of.get(candidate, [])

    @cached_property
    def _records_of(self) -> dict[str, list[Estimate]]:
        return _by_candidate(self._records)

    def more_rows_of(self, candidate: str) -> list[MoreRows]:
        """The lines of more_rows.csv of one candidate."""
        return self._more_rows_of.get(candidate, [])

    @cached_property
    def _more_rows_of(self) -> dict[str, list[MoreRows]]:
        return _by_candidate(MoreRows(**line) for line in as_records(self.more_rows))

    def powered_of(self, candidate: str) -> list[PredictionPowered]:
        """The lines of prediction_powered.csv of one candidate."""
        return self._powered_of.get(candidate, [])

    @cached_property
    def _powered_of(self) -> dict[str, list[PredictionPowered]]:
        return _by_candidate(PredictionPowered(**line) for line in as_records(self.prediction_powered))

    @property
    def against_baseline(self) -> dict[str, Difference]:
        """The winner's error less the baseline's on the same rows, by the name of the estimate."""
        return decision.against_baseline(self.of_winner, self.selection)

    @cached_property
    def of_winner(self) -> list[Difference]:
        """The lines of differences.csv."""
        return [Difference(**line) for line in as_records(self.differences)]

    @cached_property
    def winner_less(self) -> dict[str, Difference]:
        """The same, by the name of the other."""
        return {one.against: one for one in self.of_winner}

    @cached_property
    def worse(self) -> dict[str, tuple[str, str]]:
        """How much more than the winner each other one errs, by `compared_by`, as tables show it."""
        return cells.worse(self.of_winner, self.value(self.selected, self.compared_by) or 0.0, self.loss)

    @property
    def no_better(self) -> list[str]:
        """The others that err no less than the baseline, and are left out for it (`heldout.selection.comparison`)."""
        left = {*self.selection["indistinguishable"], baseline.NAME}
        of_all = [one for one in self.of_winner if one.against not in left and not one.shown_less]
        least = next((one.difference for one in self.of_winner if one.against == baseline.NAME), -math.inf)
        return [one.against for one in of_all if one.difference <= least]

    @property
    def margin(self) -> float | None:
        """The largest difference that does not matter, in units of the loss; None where nobody stated one."""
        written = self.settings.selection.margin
        return None if written is None else amounts.of_margin(written, self.loss)

    @property
    def selected(self) -> str:
        """The name of the winner."""
        return str(self.selection["selected"])

    @property
    def ranked(self) -> list[str]:
        """The candidates that did not fail and were not dropped, in the order in which people see them."""
        gone = {*self.failures, *self.dropped}
        names = [name for name in self.selection["candidates"] if name not in gone]
        lines = {name: self.estimates_of(name) for name in names}
        values = {name: dict(zip(of["estimate"], of["value"], strict=True)) for name, of in lines.items()}
        return ranked(self.selection["criterion"], values)

    @cached_property
    def dropped(self) -> dict[str, str]:
        """What tables say of each candidate that a race dropped, in place of its numbers."""
        return about_race.lines(self.left_race, self.loss)

    @property
    def left_race(self) -> list[Dropped]:
        """The candidates that a race dropped, in the order in which they left it."""
        return [Dropped(**one) for one in self.selection.get("dropped", [])]

    @property
    def halvings(self) -> Halvings | None:
        """How many halvings a rule made; None where params.yaml names their number."""
        found = self.selection.get("halvings")
        return None if found is None else Halvings(**found)

    @property
    def opened(self) -> bool:
        """Whether the test set was opened for this winner: no other one has E_test on these rows."""
        return self.selection["E_test"] is not None

    @property
    def ordered_by(self) -> str:
        """The estimate that goes with this order: the criterion, or E_cv where that is the largest of two."""
        criterion = str(self.selection["criterion"])
        return criterion if self.value(self.selected, criterion) is not None else "E_cv"

    @property
    def compared_by(self) -> str:
        """The estimate whose paired differences say who errs less."""
        return compares_by(self.selection["criterion"])

    @property
    def chosen_by_metric(self) -> bool:
        """Whether 1 - a metric chose."""
        return self.compared_by != "E_cv"

    @property
    def judged_by(self) -> str:
        """What says whether the winner beats the baseline, in words."""
        return judged_by(self.selection["criterion"], self.loss)

    @property
    def weighted(self) -> bool:
        """Whether some rows count more than others."""
        return self.settings.data.weight is not None or self.settings.data.label_probability is not None

    @property
    def scale(self) -> str:
        """In which numbers errors are shown."""
        return self.loss.scale(self.settings.data.target or "the target")

    @property
    def level(self) -> str:
        """The level of all intervals and bounds, in words."""
        return f"{100 * self.settings.selection.level:g} %"

    def in_groups(self, part: str) -> str:
        """Of how many groups the rows of a part are, `estimates` or `test`; empty for rows in none."""
        count = self.selection.get("groups", {}).get(part)
        return "" if count is None else f" of {shown_count(count)} groups ({self.settings.data.groups})"

    def estimates_of(self, candidate: str) -> pd.DataFrame:
        """The lines of estimates.csv of one candidate."""
        return self._by_candidate.get(candidate, self.estimates.iloc[:0])

    @cached_property
    def _by_candidate(self) -> dict[str, pd.DataFrame]:
        return {str(name): lines for name, lines in self.estimates.groupby("candidate", sort=False)}

    def value(self, candidate: str, estimate: str) -> float | None:
        """The value of an estimate; None where it was not computed."""
        lines = self.estimates_of(candidate)
        values = lines["value"][lines["estimate"] == estimate]
        return None if values.empty else float(values.iloc[0])

    def cell(self, candidate: str, estimate: str) -> tuple[str, str]:
        """A value and its interval as people read them; empty where there is none."""
        one = next((one for one in self.records_of(candidate) if one.estimate == estimate), None)
        if one is None:
            return "", ""
        interval = ""
        if one.low is not None and one.high is not None:
            interval = f"{self.number(one.low)}–{self.number(one.high)}"
        if interval and (candidate, estimate) in self.not_credible:
            interval += f" {DOUBTED}"
        return self.number(one.value), interval

    def learning_curve(self) -> pd.DataFrame:
        """The lines of more_rows.csv of the winner."""
        return self.more_rows[self.more_rows["candidate"] == self.selected]

    def shown(self, errors: Any) -> Any:
        """The numbers that people read of mean losses: a number, an array or a column."""
        return amounts.shown(errors, self.loss)

    def number(self, value: float) -> str:
        """An error as people read it."""
        return amounts.number(value, self.loss)

    def between(self, low: float, high: float) -> str:
        """An interval as a table shows it; a dash where none is claimed."""
        return "–" if pd.isna(low) else f"{self.number(low)} to {self.number(high)}"

    def written(self, read: float) -> str:
        """A number that people read, as text."""
        return amounts.written(read, self.loss)

    def points(self, difference: float, error: float) -> str:
        """A difference of `error` from another one, as people read it."""
        return amounts.points(difference, error, self.loss)

    def between_points(self, low: float, high: float, error: float) -> str:
        """The interval of such a difference; a dash where none is claimed."""
        return "–" if pd.isna(low) else f"{self.points(low, error)} to {self.points(high, error)}"

    def amount(self, value: float) -> str:
        """The same with its unit."""
        return amounts.amount(value, self.loss)

    def with_unit(self, number: str) -> str:
        """A number of a cell with its unit; empty stays empty."""
        return amounts.with_unit(number, self.loss) if number else ""


def _by_candidate(records: Iterable[_Record]) -> dict[str, list[_Record]]:
    of: dict[str, list[_Record]] = defaultdict(list)
    for record in records:
        of[record.candidate].append(record)
    return of


def as_records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Each line, with None for what is empty."""
    lines = table.astype(object)
    records = lines.where(lines.notna(), None).to_dict("records")
    return [{str(name): value for name, value in line.items()} for line in records]


def shown_count(rows: int) -> str:
    """A number of rows as people read it: 4000, 277,677."""
    return f"{rows:,}" if rows >= _FIVE_DIGITS else str(rows)


def shown_steps(steps: int) -> NDArray[np.intp]:
    """The places of the steps of a curve that are drawn and logged: all, or 1000 of them, the last one too."""
    return np.unique(np.linspace(0, steps - 1, min(steps, _STEPS_SHOWN)).round().astype(np.intp))
