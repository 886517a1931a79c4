"""What the methods return: frozen records, each readable by itself."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Interval:
    """A two-sided interval: bounds, level, the method's name and its assumption."""

    low: float
    high: float
    level: float
    method: str
    assumption: str


@dataclass(frozen=True)
class Estimate:
    """One number about one candidate: a line of `estimates.csv`.

    `target` names the hypothesis whose true error `value` estimates. `low`, `high`, `level`,
    `interval` (the method's name) and `assumption` are None where there is no valid interval. `n_train` is the number
    of training rows of a hypothesis (the mean over hypotheses, rounded; None where nobody knows it), `n_tested` the
    number of rows that the value averages over. `not_credible` says why the interval cannot be right, where the losses
    show it (`heldout.intervals.credible`); it is no column of the table.
    """

    candidate: str
    estimate: str
    value: float
    target: str
    n_train: int | None
    n_tested: int
    low: float | None = None
    high: float | None = None
    level: float | None = None
    interval: str | None = None
    assumption: str | None = None
    not_credible: str | None = None


@dataclass(frozen=True)
class Difference:
    """E_cv of a candidate less that of another on the same rows: a line of `differences.csv`.

    The bounds against all other candidates hold at `level` at the same time, whichever candidate won, and those against
    the baseline for all candidates (`heldout.selection.comparison`); they, `level` and `interval` are None
    where there is no valid interval. `by_margin` says what `candidate` is next to `against` where a margin was stated,
    else None: better, worse, alike or undecided (`heldout.selection.margin`).
    """

    candidate: str
    against: str
    difference: float
    low: float | None = None
    high: float | None = None
    level: float | None = None
    interval: str | None = None
    by_margin: str | None = None

    @property
    def shown_less(self) -> bool:
        """Whether `candidate` is shown to err less than `against`."""
        return self.high is not None and self.high < 0

    @property
    def shown_more(self) -> bool:
        """Whether `candidate` is shown to err more than `against`."""
        return self.low is not None and self.low > 0


@dataclass(frozen=True)
class MoreRows:
    """An error of a candidate after training on `rows` rows: a line of `more_rows.csv`.

    `estimate` is E_2cv, E_prog (a part of its steps) or E_cv; E_N and E_2N, the errors after training on all rows and
    on twice as many; or gain, E_2cv less E_cv (`heldout.diagnosis.more_rows`). `low`, `high`, `level`, `interval` and
    `assumption` are None where there is no valid interval.
    """

    candidate: str
    rows: int
    estimate: str
    value: float
    low: float | None = None
    high: float | None = None
    level: float | None = None
    interval: str | None = None
    assumption: str | None = None


@dataclass(frozen=True)
class PredictionPowered:
    """E_val or E_cv of a candidate, corrected by unlabelled rows: a line of `prediction_powered.csv`
    (`heldout.diagnosis.prediction_powered`).

    `width` is the interval's over that of the plain one. `labels_gained` is how many more tested rows would have given
    as much precision; it is below 0 where some is lost. `unlabeled` is the number of unlabelled rows that were used.
    Where they cannot be used, `reason` says why, and the numbers before it are None or 0.
    """

    candidate: str
    estimate: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    level: float | None = None
    interval: str | None = None
    width: float | None = None
    labels_gained: float | None = None
    unlabeled: int = 0
    reason: str = ""


@dataclass(frozen=True)
class ColumnReliance:
    """What the fold hypotheses of a candidate err more where some columns have the values of other rows
    (`heldout.diagnosis.column_reliance`).

    `columns` are permuted together: names of a data frame, else places; mostly one. `increase` is of E_cv's loss. The
    bounds hold at `level` for all lines of a candidate at the same time; they, `level` and `interval` are None where
    there is no valid interval. `not_credible` says why the interval cannot be right, where the losses show it.
    """

    candidate: str
    columns: tuple[Any, ...]
    increase: float
    low: float | None = None
    high: float | None = None
    level: float | None = None
    interval: str | None = None
    not_credible: str | None = None

    @property
    def shown_used(self) -> bool:
        """Whether the candidate is shown to err more without what the columns say."""
        return self.low is not None and self.low > 0


@dataclass(frozen=True)
class Measured:
    """A metric of one hypothesis on its test set, or on a slice of it: a line of `metrics.csv`.

    `slice` is empty for all rows, else `column=value`. `value` is None where the metric is not defined, the bounds,
    `level` and `interval` where there is no valid interval; `reason` then says why, or why an interval is not credible.
    """

    candidate: str
    metric: str
    slice: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    level: float | None = None
    interval: str | None = None
    n_tested: int = 0
    reason: str = ""


@dataclass(frozen=True)
class PredictionSets:
    """The conformal prediction sets of one hypothesis: a line of `prediction_sets.csv`
    (`heldout.diagnosis.prediction_sets`).

    `threshold` comes from the `calibrated` held-out rows, by `method`; it is None where the `reason` says why. The
    fields from `coverage` on are measured on `tested` rows: the share of sets that hold the label, with its bounds; of
    classes the mean size of a set, and the shares of sets with one class and with none; of numbers the mean width.
    """

    candidate: str
    hypothesis: str
    level: float
    method: str
    threshold: float | None = None
    calibrated: int = 0
    tested: int = 0
    coverage: float | None = None
    low: float | None = None
    high: float | None = None
    mean_size: float | None = None
    mean_width: float | None = None
    single: float | None = None
    empty: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class ShardDisagreement:
    """How far the winner's half models disagree on the rows of one shard: a line of `shards.csv`.

    `file` is where the user has these rows. `low`, `high`, `level` and `interval` are None where there is no valid
    interval.
    """

    shard: str
    file: str
    rows: int
    disagreement: float
    low: float | None = None
    high: float | None = None
    level: float | None = None
    interval: str | None = None


@dataclass(frozen=True)
class CalibrationBin:
    """Rows whose class has a probability from `bin_low` to `bin_high`: a line of `calibration.csv`.

    `class_name` is the class that the probability is of, empty for the most probable class of each row. `probability`
    is its mean, `share` how often it came true, with its bounds (`heldout.diagnosis.curves.calibration`).
    """

    class_name: str
    bin_low: float
    bin_high: float
    rows: int
    probability: float
    share: float
    low: float | None = None
    high: float | None = None
    level: float | None = None


@dataclass(frozen=True)
class ClassError:
    """The cross-validated error of a candidate on the `n_tested` rows of a class: a line of `class_errors.csv`.

    `value` is None where no row of the class counts; `low` and `high` are None for the `reason`.
    """

    candidate: str
    class_name: str
    n_tested: int
    value: float | None
    low: float | None
    high: float | None
    reason: str = ""


@dataclass(frozen=True)
class Confused:
    """How many `rows` of a class the fold hypotheses of a candidate take for another, or for it: a line of
    `cv_confusion.csv`.
    """

    candidate: str
    class_name: str
    taken_for: str
    rows: float


@dataclass(frozen=True)
class RocPoint:
    """The rates at which rows ranked at `threshold` or above are of another class, and of the class: `roc.csv`.

    `threshold` is None at the first point, where no row is.
    """

    class_name: str
    threshold: float | None
    false_positive_rate: float
    true_positive_rate: float


@dataclass(frozen=True)
class Residual:
    """The label of a row, what was predicted, and the label less that: a line of `residuals.csv`."""

    actual: float
    predicted: float
    residual: float
