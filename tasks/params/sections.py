"""The sections of params.yaml that are plain values: what may stand in each, and what it means."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator
from typing_extensions import TypedDict  # pydantic takes no other before Python 3.12

from heldout.selection.select import Criterion, Rule
from tasks.params import allowed_imports
from tasks.runtime.errors import Misplaced

Fraction = Annotated[float, Field(gt=0, lt=1)]
Count = Annotated[int, Field(ge=1)]
Label = str | int | float | bool
ColumnKind = Literal["numeric", "boolean", "category", "date", "text"]
LossName = Literal["zero_one", "log", "brier", "balanced", "squared", "absolute", "pinball"]
Module = Annotated[str, Field(pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$")]


class Section(BaseModel):
    """Every key has a description: params.yaml's comment above it, and its line in docs/params.md."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Data(Section):
    """Where the rows come from, and which of them keep their labels."""

    source: str = Field(
        description="sklearn:digits, iris, wine, breast_cancer or diabetes; openml:NAME-or-ID; or the path of a CSV "
        "(also .csv.gz) or Parquet file, or of a folder of Parquet files"
    )
    target: str | None = Field(
        None,  # the column named target
        description="the column to predict: strings, booleans and whole numbers of at most 20 kinds are classes, "
        "others numbers",
    )
    positive: str | int | float | bool | None = Field(
        None, description="the value that counts as class 1 against all others; null keeps the target as it is"
    )
    drop: list[str] = Field([], description="columns to leave out")
    columns: dict[str, ColumnKind] | None = Field(
        None,  # every kind as it is found
        description="kinds other than those found, one a line, as in zip: category; numeric, boolean, category, date "
        "or text",
    )
    missing: list[str] | None = Field(None, description='further strings that mean a gap, as in ["?"]')
    groups: str | None = Field(
        None,
        description="a column that names the group of a row: no group is on both sides of any split; null for "
        "independent rows",
    )
    time: str | None = Field(
        None,
        description="a column of numbers or dates: no row is tested by a hypothesis that was trained on a later one; "
        "null for no order",
    )
    weight: str | None = Field(None, description="a column of weights; null counts every row alike")
    labeled_rows: Count | None = Field(
        None,
        description="rows that keep their label, drawn at random after the test part is cut off; null keeps every "
        "label",
    )
    unlabeled: str | None = Field(
        None,
        description="files with unlabelled rows, one shard each: a path, a folder or a glob; null serves the rows "
        "whose label was hidden",
    )
    shards: Count = Field(description="shards that hidden-label rows are dealt into")
    on_bad_shard: Literal["fail", "skip"] = Field(
        "fail",
        description="an unlabelled file that lacks a column, or has one of another kind: fail; skip, which says how "
        "many rows are lost",
    )
    sampling: Literal["iid", "active"] = Field(
        description="iid: labelled rows are random draws; active: they were picked, so cross-validation misleads"
    )

    @model_validator(mode="after")
    def _one_role_a_column(self) -> "Data":
        roles = {"target": self.target or "target", "groups": self.groups, "time": self.time, "weight": self.weight}
        seen: dict[str, str] = {}
        for role, column in roles.items():
            if column is not None and seen.setdefault(column, role) != role:
                raise Misplaced(
                    f"is {column!r}, as data.{seen[column]} is; a column has one role, name another",
                    (role,),
                )
        return self


class SplitSection(Section):
    """The parts of the labelled rows."""

    test_fraction: Annotated[float, Field(ge=0, lt=1)] = Field(
        description="share of all labelled rows cut off first and opened once, for the winner alone; 0 for no test part"
    )
    validation_fraction: Fraction = Field(
        description="share of the labelled rows that the hold-out keeps from training"
    )
    folds: Annotated[int, Field(ge=2)] | Literal["loo"] = Field(
        description="folds of cross-validation, or loo for leave-one-out"
    )
    stratify: bool = Field(description="keep the share of each class equal in all parts (classes only)")
    gap: Annotated[int, Field(ge=0)] = Field(
        0, description="with data.time: rows left out between the rows trained on and those tested after them"
    )
    duplicates: Literal["allow", "keep_together"] = Field(
        "allow", description="rows with equal features: allow them on both sides of a split, or keep_together"
    )
    repeats: Count = Field(
        1, description="partitions into folds that E_cv is the mean over; more than 1 has the corrected repeated t"
    )


class Progressive(Section):
    """Test each block of rows, then train on it."""

    tested_fraction: Fraction = Field(description="share of the labelled rows that are tested, then trained on")
    block: Count | Literal["auto"] = Field(
        description="steps that share one fit; auto: a tenth of the rows trained on before, so that fits are few"
    )


class Covalidation(Section):
    """Train on both halves of the rows, and compare."""

    repeats: Count = Field(description="times that the labelled rows are halved, and both halves trained on")


class TunedParameter(Section):
    """A path of one parameter's values, from simple to complex."""

    parameter: Annotated[str, Field(min_length=1)] = Field(
        description="epochs, the passes of a learner with partial_fit; or a parameter of the learner"
    )
    values: Annotated[list[Any], Field(min_length=2)] = Field(description="its values, from simple to complex")


class PinballLoss(TypedDict):
    """The pinball loss of one quantile."""

    pinball: Annotated[Fraction, Field(description="the quantile")]


class CostLoss(TypedDict):
    """What each answer costs, by the right class, then by the class predicted."""

    cost: Annotated[
        dict[Label, dict[Label, Annotated[float, Field(ge=0)]]],
        Field(description="the cost of each prediction, for each class that is right"),
    ]


class SelectionSection(Section):
    """How the winner is chosen."""

    criterion: Criterion | None = Field(
        None,
        description="E_val, E_cv, E_2cv, E_prog, E_maxdt or max(E_cv, E_maxdt); left out, data.sampling decides",
    )
    rule: Rule = Field(
        description="minimum; one_standard_error: the first candidate within one standard error of the least; "
        "indistinguishable: the first of those that the data cannot tell from the best"
    )
    level: Fraction = Field(description="level of every interval and bound")
    nested: bool = Field(
        False,
        description="also repeat the selection inside each fold's training rows, for E_nested: k (k - 1) / 2 further "
        "fits a candidate",
    )
    reopen_test: bool = Field(
        False, description="open the test part although it was opened for another winner on the same data"
    )


class Execution(Section):
    """Who does the arithmetic, and which code it may be."""

    executor: Literal["local", "dask"] = Field(
        description="local: processes of this machine; dask: the workers of the scheduler below"
    )
    workers: Count = Field(description="processes that fit at the same time")
    scheduler: str | None = Field(None, description="address of a Dask scheduler, as in tcp://127.0.0.1:8786")
    shortcuts: Literal["auto", "off"] = Field(
        "auto",
        description="auto: no fit where the held-out answers follow exactly from fewer; off: every fit is made",
        json_schema_extra={"enum": ["auto", "off", False]},
    )
    allowed_modules: list[Module] = Field(
        list(allowed_imports.DEFAULT),
        description="modules that candidates may come from, and none else is imported: name your own, which lies "
        "beside this file; a module that is imported runs its code, so read this line in a file from a stranger",
    )

    @field_validator("shortcuts", mode="before")
    @classmethod
    def _off(cls, written: Any) -> Any:
        return "off" if written is False else written  # YAML reads off as false

    @model_validator(mode="after")
    def _reachable(self) -> "Execution":
        if self.executor == "dask" and self.scheduler is None:
            raise Misplaced("is dask, which needs execution.scheduler, as in tcp://127.0.0.1:8786", ("executor",))
        return self


class Tracking(Section):
    """Where runs are recorded."""

    uri: Annotated[str, Field(min_length=1)] = Field(description="MLflow's store; its artifacts lie beside it")
    experiment: Annotated[str, Field(min_length=1)] = Field(description="MLflow's experiment")
    registered_model: Annotated[str, Field(min_length=1, pattern=r"^[^/:]+$")] = Field(
        description="name under which the winner is registered, with the alias champion"
    )
