"""The sections of params.yaml that are plain values: what may stand in each, and what it means."""

from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from heldout import defaults
from heldout.errors import BadArgument
from heldout.estimates.criteria import CRITERIA, OF_METRICS, listed
from heldout.rows import foreign_kinds
from heldout.selection.race import MORE_THAN, Races
from heldout.selection.rules import RULES
from tasks.params.messages import of_argument
from tasks.runtime.errors import Misplaced

Fraction = Annotated[float, Field(gt=0, lt=1)]
Count = Annotated[int, Field(ge=1)]
Label = str | int | float | bool
ColumnKind = Literal["numeric", "boolean", "category", "date", "text"]
Separator = Literal["comma", "semicolon", "tab", "bar"]
Decimal = Literal["point", "comma"]
Module = Annotated[str, Field(pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$")]
if TYPE_CHECKING:
    CriterionName = str
    RuleName = str
    NamedKind = str
else:
    CriterionName, RuleName = Literal[(*CRITERIA, *OF_METRICS)], Literal[tuple(RULES)]
    NamedKind = Literal[(*get_args(ColumnKind), *foreign_kinds.KINDS)]


class ParamsSection(BaseModel):
    """Every key has a description: params.yaml's comment above it, and its line in docs/params.md."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


LEFT_OUT: Any = Field(default_factory=dict, validate_default=True)  # a section: all of its keys have their defaults


class Read(ParamsSection):
    """How a text file is written; what is left out is as usual, and refused where two ways are possible."""

    separator: Separator | None = Field(
        None,  # comma, in .tsv tab
        description="what separates the columns: comma, semicolon, tab or bar; null is comma, in .tsv tab",
    )
    decimal: Decimal | None = Field(
        None,  # point
        description="the decimal mark, point or comma; null is point, and refuses strings such as 1,234, which can be "
        "read with either",
    )
    dayfirst: bool | None = Field(
        None,
        description="whether 01/02/2011 is the first of February; null refuses a column of dates that both orders read",
    )


class Data(ParamsSection):
    """Where the rows come from, and which rows keep their labels."""

    source: str = Field(
        description="sklearn:digits, iris, wine, breast_cancer or diabetes; openml:NAME-or-ID; or the path of a .csv, "
        ".tsv, .json or .jsonl file (also with .gz or .zip), of a .parquet, .feather or .xlsx file, or of a folder of "
        "Parquet files"
    )
    read: Read = LEFT_OUT
    target: str | None = Field(
        None,  # the column named target
        description="the column to predict: strings, booleans and whole numbers of at most 20 kinds are classes, "
        "others numbers",
    )
    positive: str | int | float | bool | None = Field(
        None, description="the value that counts as class 1 against all others; null keeps the target as it is"
    )
    drop: list[str] = Field([], description="columns to leave out")
    known_after: list[str] = Field(
        [],
        description="columns that are known only after the label, as the reason of a cancellation: left out as those "
        "of drop are, and an unlabelled file may lack them",
    )
    columns: dict[str, NamedKind] | None = Field(
        None,  # every kind as it is found
        description="kinds of columns, where the detected kind is wrong, one per line, as in zip: category; numeric "
        "(of strings: mostly numbers, a range is its middle, the rest missing), boolean, category, date, text, or the "
        "kind of an extension",
    )
    missing: list[str] | None = Field(
        None, description='further strings and numbers that mean a missing value, in quotes, as in ["?", "-999"]'
    )
    key: str | list[str] | None = Field(
        None,
        description="the column, or the columns together, that name a row and stay when its other values change: no "
        "features. The test set, the nights and the count of what was compared know a row by them, and a changed row "
        "is a correction; null knows a row by all its values",
        exclude_if=lambda key: key is None,  # so that no stage is stale by a key that nobody gave
    )
    groups: str | None = Field(
        None,
        description="a column with the group of each row: no group is on both sides of a split; null for independent "
        "rows",
    )
    time: str | None = Field(
        None,
        description="a column of numbers or dates: every tested row is later than the training rows; null for no order",
    )
    weight: str | None = Field(None, description="a column of weights; null gives every row the same weight")
    test_rows: str | None = Field(
        None,
        description="a column of true and false, 1 and 0, or test and train: the rows of true, 1 or test are the test "
        "set, in place of a share of split.test_fraction; null draws them",
        exclude_if=lambda column: column is None,  # as of `key`
    )
    labeled_rows: Count | None = Field(
        None,
        description="number of rows that keep their label, drawn at random after the test set is cut off; null keeps "
        "every label",
    )
    unlabeled: str | None = Field(
        None,
        description="files with unlabelled rows, each file a shard: a path, a folder or a glob; null takes the rows "
        "whose label was hidden",
    )
    shards: Count = Field(4, description="number of shards for the rows whose label was hidden")
    on_bad_shard: Literal["fail", "skip"] = Field(
        "fail",
        description="an unlabelled file that lacks a column, or has a column of another kind: fail; skip, which "
        "reports the number of lost rows",
    )
    sampling: Literal["iid", "active"] = Field(
        "iid",
        description="iid: labelled rows are random draws; active: they were picked, so cross-validation misleads",
    )
    label_probability: str | None = Field(
        None,
        description="with sampling: active, the column with the probability with which label-next drew each row, so "
        "that errors weigh by it and cross-validation does not mislead; empty for rows that are random draws",
    )

    @field_validator("read", mode="before")
    @classmethod
    def _empty(cls, section: Any) -> Any:
        return {} if section is None else section

    @property
    def left_out(self) -> dict[str, str]:
        """The columns that are no features, each with the key that leaves it out; drop comes first."""
        of_key = dict.fromkeys(self.key_columns, "data.key")
        return {
            **of_key,
            **({self.test_rows: "data.test_rows"} if self.test_rows else {}),
            **dict.fromkeys(self.known_after, "data.known_after"),
            **dict.fromkeys(self.drop, "data.drop"),
        }

    @property
    def key_columns(self) -> list[str]:
        """The columns that name a row; none where all its values do."""
        return [] if self.key is None else [self.key] if isinstance(self.key, str) else self.key

    @property
    def picked_blindly(self) -> bool:
        """Whether the labelled rows were picked with probabilities that nobody knows."""
        return self.sampling == "active" and self.label_probability is None

    @model_validator(mode="after")
    def _one_role_a_column(self) -> "Data":
        roles = {"target": self.target or "target", "groups": self.groups, "time": self.time, "weight": self.weight}
        roles |= {"label_probability": self.label_probability, "test_rows": self.test_rows}
        seen: dict[str, str] = {}
        for role, column in roles.items():
            if column is not None and seen.setdefault(column, role) != role:
                raise Misplaced(
                    f"is {column!r}, as data.{seen[column]} is; a column has one role, name another",
                    (role,),
                )
        self._check_key()
        self._check_label_probability()
        return self

    def _check_key(self) -> None:
        """What cannot name a row."""
        if self.key == [] or len({*self.key_columns}) < len(self.key_columns):
            raise Misplaced("names no column, or one twice; name each column once, or write null", ("key",))
        changing = {"target": self.target or "target", "weight": self.weight, "test_rows": self.test_rows}
        for role, column in changing.items():
            if column in self.key_columns:
                raise Misplaced(f"names {column!r}, as data.{role} does; it changes where a row stays", ("key",))

    def _check_label_probability(self) -> None:
        """What rows that were drawn with known probabilities cannot have."""
        if self.label_probability is None:
            return
        reasons = {
            "data.sampling is iid; write active there": self.sampling == "iid",
            f"data.weight is {self.weight!r}, and a row has one weight; write null in one of the two": self.weight,
            f"data.time is {self.time!r}, and rows in time are not drawn; write null in one of the two": self.time,
        }
        for reason, holds in reasons.items():
            if holds:
                raise Misplaced(f"is {self.label_probability!r}, but {reason}", ("label_probability",))


class SplitSection(ParamsSection):
    """The parts of the labelled rows."""

    test_fraction: Annotated[float, Field(ge=0, lt=1)] = Field(
        0.2,
        description="share of all labelled rows cut off first and opened once, for the winner alone; 0 for no test set",
    )
    test_key: Annotated[int, Field(ge=0)] = Field(
        0,
        description="with a hash of its content and of its number among equal rows, this number decides whether a row "
        "is in the test set: no seed and no added row does. With data.groups the group's name decides, with data.time "
        "the order",
    )
    validation_fraction: Fraction = Field(
        defaults.VALIDATION_FRACTION, description="share of the labelled rows that the hold-out tests"
    )
    folds: Annotated[int, Field(ge=2)] | Literal["loo"] = Field(
        defaults.FOLDS, description="number of folds of cross-validation, or loo for leave-one-out"
    )
    rows: Annotated[int, Field(ge=2)] | None = Field(
        None,
        description="number of labelled rows that the estimates use, drawn at random outside of the test set; the "
        "delivered model (deliver: final) is trained on all of them; null for all",
    )
    stratify: bool | None = Field(
        None,
        description="of classes. true: each part has the class shares of all rows, which makes estimates too low where "
        "classes are many; false: random parts, with each class in the training rows; null: true for two classes, else "
        "false",
    )
    gap: Annotated[int, Field(ge=0)] = Field(
        defaults.GAP,
        description="with data.time: number of rows left out between the training rows and the tested rows",
    )
    duplicates: Literal["allow", "keep_together"] = Field(
        "allow",
        description="rows with equal features: allow them on both sides of a split, and of the test set, or "
        "keep_together",
    )
    repeats: Count = Field(
        1,
        description="number of partitions into folds; E_cv is the mean over them, which chance moves less",
    )


class Progressive(ParamsSection):
    """Test each block of rows, then train on it."""

    tested_fraction: Fraction = Field(
        defaults.TESTED_FRACTION, description="share of the labelled rows that are tested, then trained on"
    )
    block: Count | Literal["auto"] = Field(
        defaults.BLOCK,
        description="steps that share one fit; auto: a tenth of the rows trained on before, for few fits",
    )


class Covalidation(ParamsSection):
    """Train on both halves of the rows, and compare."""

    repeats: Count | Literal["auto"] = Field(
        defaults.REPEATS,
        description="number of times that the labelled rows are halved and a model is trained on each half; auto: as "
        "many as bring what their drawing adds to the variance of E_2cv below a tenth of it, 8 to 30, or 8 to 10 for "
        "more than 600 rows",
    )


class TunedParameter(ParamsSection):
    """A path of one parameter's values, from simple to complex."""

    parameter: Annotated[str, Field(min_length=1)] = Field(
        description="epochs, the number of passes of a learner with partial_fit; or a parameter of the learner"
    )
    values: Annotated[list[Any], Field(min_length=2, max_length=1000)] = Field(
        description="its values, from simple to complex"
    )


class Search(ParamsSection):
    """Further candidates like this one, with other values of some parameters, drawn by the seed."""

    draws: Annotated[int, Field(ge=1, le=999)] = Field(
        description="number of points that are drawn; each is a candidate, next to the candidate as it is written"
    )
    values: Annotated[
        dict[
            Annotated[str, Field(min_length=1)],
            Annotated[list[Any], Field(min_length=1)] | str,
        ],
        Field(min_length=1),
    ] = Field(
        description="by parameter a list of values, or loguniform(low, high) for a number between, whole where both "
        "bounds are"
    )


class SelectionSection(ParamsSection):
    """How the winner is chosen."""

    criterion: CriterionName | None = Field(
        None,
        description=f"{', '.join(CRITERIA[:-1])} or {CRITERIA[-1]}, or the name of a metric as AUC or RMSE; left out, "
        "data.sampling decides",
    )
    rule: RuleName = Field("minimum", description="; ".join(f"{name}: {rule.says}" for name, rule in RULES.items()))
    level: Fraction = Field(defaults.LEVEL, description="level of every interval and bound")
    race: Races = Field(
        defaults.RACE,
        description=f"auto: of more than {MORE_THAN} candidates those that fall behind on the first steps of E_prog, "
        "by more than chance, get no further fits; it needs a loss of known limit and independent rows. off: all fits "
        "are made",
        json_schema_extra={"enum": ["auto", "off", False]},
    )
    finalists: Count | None = Field(
        None,
        description="the most candidates that get folds and half models: those of the least E_prog, after all of its "
        "steps. The others are left out, and are not shown to err more; null for all",
    )
    margin: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(
        None,
        description="the largest difference of errors that does not matter to you: in percentage points where errors "
        "are in percent (zero_one), else in units of the loss, squared units for squared. Each comparison then says "
        "better, worse, alike or undecided by the margin; null for none",
    )
    open_test: bool = Field(
        False,
        description="true: every run opens the test set for its winner, as the shipped example does, since no choice "
        "follows it. false: it stays sealed until `python -m flows open-test`, so that you may change anything before; "
        "a run that may promote opens it",
    )
    reopen_test: bool = Field(
        False, description="open the test set even if it was opened for another winner on the same data"
    )

    @field_validator("race", mode="before")
    @classmethod
    def _off(cls, written: Any) -> Any:
        return "off" if written is False else written  # YAML reads off as false

    @field_validator("criterion", mode="before")
    @classmethod
    def _known_criterion(cls, criterion: Any) -> Any:
        try:
            return listed(criterion) if isinstance(criterion, str) else criterion
        except BadArgument as error:
            raise of_argument(error) from None


class ReportSection(ParamsSection):
    """What the report shows next to the estimates."""

    slices: list[Annotated[str, Field(min_length=1)]] = Field(
        [],
        description="columns by whose values the errors on the test set are shown, as in [sex]; also columns of "
        "data.drop and data.known_after, each with at most 20 values",
    )

    columns: bool | list[Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]] = Field(
        False,
        description="true: which columns matter, by what the winner errs more where a column has the values of other "
        "held-out rows; its folds are fitted once more, unless they are kept. Or sets of columns that are exchanged as "
        "one, as in [[latitude, longitude]], next to all other columns: those that say the same hide each other",
    )

    @field_validator("slices")
    @classmethod
    def _once(cls, slices: list[str]) -> list[str]:
        seen: set[str] = set()
        for place, column in enumerate(slices):
            if column in seen:
                raise Misplaced(f"is {column!r}, which stands before; name each column once", (place,))
            seen.add(column)
        return slices
