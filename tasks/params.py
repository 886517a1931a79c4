"""params.yaml, read and validated: the one place where a parameter becomes a value."""

import difflib
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, field_validator, model_validator

from heldout.dependent_intervals import NOT_IN_TIME
from heldout.errors import BadArgument
from heldout.intervals import covering
from heldout.selection import Criterion, Rule, check_rule
from tasks import learners
from tasks.columns import Kind
from tasks.errors import UserError

Fraction = Annotated[float, Field(gt=0, lt=1)]
Count = Annotated[int, Field(ge=1)]
Deliver = Literal["final", "k_fold", "progressive", "vote"]
MOST_ERRORS = 10


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Data(_Section):
    """Where the rows come from, and which of them keep their labels."""

    source: str
    target: str | None = None  # left out: the column named target
    positive: str | int | float | bool | None = None
    drop: list[str] = []
    groups: str | None = None
    time: str | None = None
    weight: str | None = None
    columns: dict[str, Kind] | None = None  # left out: every kind as it is found
    missing: list[str] | None = None
    labeled_rows: Count | None = None  # left out: every row with a label
    unlabeled: str | None = None
    shards: Count
    on_bad_shard: Literal["fail", "skip"] = "fail"
    sampling: Literal["iid", "active"]

    @model_validator(mode="after")
    def _one_role_a_column(self) -> "Data":
        roles = {"target": self.target or "target", "groups": self.groups, "time": self.time, "weight": self.weight}
        seen: dict[str, str] = {}
        for role, column in roles.items():
            if column is not None and seen.setdefault(column, role) != role:
                raise ValueError(
                    f"data.{role} and data.{seen[column]} are both {column!r}; a column has one role, name another"
                )
        return self


class SplitSection(_Section):
    """The parts of the labelled rows."""

    test_fraction: Annotated[float, Field(ge=0, lt=1)]
    validation_fraction: Fraction
    folds: Annotated[int, Field(ge=2)] | Literal["loo"]
    stratify: bool
    gap: Annotated[int, Field(ge=0)] = 0
    duplicates: Literal["allow", "keep_together"] = "allow"


class Progressive(_Section):
    tested_fraction: Fraction
    block: Count


class Covalidation(_Section):
    repeats: Count


class Family(_Section):
    """A path of one parameter's values, from simple to complex."""

    parameter: Annotated[str, Field(min_length=1)]
    values: Annotated[list[Any], Field(min_length=2)]


class Candidate(_Section):
    """A named learner."""

    name: Annotated[str, Field(min_length=1, pattern=r"^[\w.() =,+-]+$")]
    estimator: str
    params: dict[str, Any] = {}
    preprocess: str | None = None
    family: Family | None = None

    def learner(self) -> Any:
        """The unfitted estimator, behind its preprocessing if it has one; a family chooses its own value."""
        family = None if self.family is None else self.family.model_dump()
        return learners.build(self.estimator, self.params, self.preprocess, family)

    def identity(self) -> dict[str, Any]:
        """What the learner is, whatever it is called: equal identities are one candidate."""
        family = {} if self.family is None else {"family": self.family.model_dump()}
        own = self.model_dump(exclude={"name", "family"})
        return {**own, **family, "source": learners.own_source(self.estimator, self.preprocess)}

    @model_validator(mode="after")
    def _buildable(self) -> "Candidate":
        family = None if self.family is None else self.family.model_dump()
        learners.check(self.estimator, self.params, self.preprocess, family)
        return self


class SelectionSection(_Section):
    """How the winner is chosen."""

    criterion: Criterion | None = None  # left out: E_cv for iid rows, E_maxdt for actively picked ones
    rule: Rule
    level: Fraction
    nested: bool = False
    reopen_test: bool = False


class Execution(_Section):
    executor: Literal["local", "dask"]
    workers: Count
    scheduler: str | None = None

    @model_validator(mode="after")
    def _reachable(self) -> "Execution":
        if self.executor == "dask" and self.scheduler is None:
            raise ValueError("executor is dask, which needs execution.scheduler, as in tcp://127.0.0.1:8786")
        return self


class Tracking(_Section):
    uri: Annotated[str, Field(min_length=1)]
    experiment: Annotated[str, Field(min_length=1)]
    registered_model: Annotated[str, Field(min_length=1, pattern=r"^[^/:]+$")]


class Settings(_Section):
    """All of params.yaml."""

    seed: Annotated[int, Field(ge=0)]
    data: Data
    split: SplitSection
    progressive: Progressive
    covalidation: Covalidation
    candidates: Annotated[list[Candidate], Field(min_length=1)]
    intervals: dict[str, str] | None = None  # left out: the methods that docs/coverage.md chose
    selection: SelectionSection
    deliver: Deliver = "final"
    execution: Execution
    tracking: Tracking
    _folder: str = PrivateAttr(default=".")

    def use_folder(self) -> None:
        """Let modules beside params.yaml be imported, in a worker too."""
        _use_folder(self._folder)

    @property
    def criterion(self) -> Criterion:
        """The selection criterion, by `data.sampling` where none is written (METHOD, section 5)."""
        return self.selection.criterion or ("E_maxdt" if self.data.sampling == "active" else "E_cv")

    @field_validator("candidates")
    @classmethod
    def _distinct(cls, candidates: list[Candidate]) -> list[Candidate]:
        names = [candidate.name for candidate in candidates]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(
                f"the name {twice[0]!r} is used {names.count(twice[0])} times; give each candidate its own"
            )
        return candidates

    @field_validator("intervals")
    @classmethod
    def _known_intervals(cls, chosen: dict[str, str] | None) -> dict[str, str] | None:
        for estimate, name in (chosen or {}).items():
            try:
                covering(estimate, name)
            except BadArgument as error:
                raise ValueError(str(error)) from None
        return chosen

    @model_validator(mode="after")
    def _rule_fits(self) -> "Settings":
        try:
            check_rule(self.criterion, self.selection.rule)
        except BadArgument as error:
            raise ValueError(f"selection.{error}") from None
        self._check_time()
        pairs = (
            self.selection.nested
            or covering("E_cv", (self.intervals or {}).get("E_cv", "corrected t")).needs == "fold_pairs"
        )
        if pairs and self.split.folds == 2:
            raise ValueError("split.folds is 2, but nested selection and the nested interval need at least 3")
        return self

    def _check_time(self) -> None:
        """What rows in time cannot have; and a gap is theirs alone."""
        if self.data.time is None:
            if self.split.gap:
                raise ValueError(f"split.gap is {self.split.gap}, but data.time is null; name a column, or set it to 0")
            return
        later = "would train on rows later than those that it tests"
        if self.split.folds == "loo":
            raise ValueError(f"split.folds is loo, which with data.time {later}; give a number of folds")
        if self.selection.nested:
            raise ValueError(f"selection.nested is true, which with data.time {later}; set it to false")
        if self.criterion in NOT_IN_TIME:
            raise ValueError(f"selection.criterion is {self.criterion}, which with data.time {later}; take another")


def load(path: str | Path = "params.yaml", overrides: Sequence[str] = ()) -> Settings:
    """Read and check `path`, after `overrides` of the form a.b=c, whose values are read as YAML.

    Raises UserError with at most ten lines, each naming the key, its value and what is allowed.
    """
    path = Path(path)
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read ({error}); name a parameter file with --params") from None
    except (yaml.YAMLError, ValueError, AttributeError) as error:
        raise UserError(f"{path}: is not valid YAML: {' '.join(str(error).split())}") from None
    if not isinstance(raw, dict):
        raise UserError(f"{path}: must be a mapping with the keys {', '.join(Settings.model_fields)}")
    for override in overrides:
        _override(raw, override)
    folder = str(path.resolve().parent)
    _use_folder(folder)
    try:
        settings = Settings.model_validate(raw)
    except ValidationError as error:
        lines = [f"{path}: {_explain(problem)}" for problem in _distinct_problems(error)]
        more = [f"… and {len(lines) - MOST_ERRORS} more"] if len(lines) > MOST_ERRORS else []
        raise UserError("\n".join(lines[:MOST_ERRORS] + more)) from None
    settings._folder = folder
    return settings


def _use_folder(folder: str) -> None:
    if folder not in sys.path:  # a user's own module lies beside params.yaml
        sys.path.append(folder)


def _override(raw: dict[str, Any], override: str) -> None:
    key, equals, text = override.partition("=")
    if not equals or not key:
        raise UserError(f"--set {override}: must have the form a.b=c, as in --set split.folds=5")
    *parents, last = key.split(".")
    place: Any = raw
    try:
        for name in parents:
            if isinstance(place, dict) and place.get(name) is None:
                place[name] = {}  # a key that is missing or null has nothing below it yet
            place = place[int(name)] if isinstance(place, list) else place[name]
        value = yaml.safe_load(text)
        if isinstance(place, list):
            place[int(last)] = value
        else:
            place[last] = value
    except yaml.YAMLError:
        raise UserError(f"--set {override}: {text!r} is not valid YAML") from None
    except (TypeError, AttributeError, ValueError, IndexError):
        raise UserError(f"--set {override}: there is nothing at {'.'.join(parents) or key} to set a key of") from None


def _distinct_problems(error: ValidationError) -> list[Any]:
    """One problem for each place: a value that fits no member of a union is told once."""
    problems: dict[str, Any] = {}
    for problem in error.errors():
        problems.setdefault(_dotted(problem["loc"]), problem)
    return list(problems.values())


def _dotted(place: Sequence[int | str]) -> str:
    # the tail that names a member of a union ("int", "literal['loo']") is no key
    keys: list[str] = []
    model: Any = Settings
    for part in place:
        if isinstance(part, int) and keys:
            keys[-1] += f"[{part}]"
            continue
        if model is None or (model is not Any and part not in model.model_fields and place[-1] != part):
            break
        if model is not Any and part in model.model_fields:
            model = _section(model.model_fields[part].annotation)
        elif model is None:
            break
        name = str(part)
        keys.append(name if name.isprintable() else repr(name))  # a message is one line
    return ".".join(keys)


def _section(annotation: Any) -> Any:
    """The model inside an annotation: itself, or that of a list's items; None for a plain value."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    inner = [found for item in getattr(annotation, "__args__", ()) if (found := _section(item))]
    return inner[0] if inner else None


def _explain(problem: Any) -> str:
    key, kind, value = _dotted(problem["loc"]), problem["type"], problem["input"]
    if kind == "extra_forbidden":
        return f"{key} is not known; did you mean {_nearest(key)}?"
    if kind == "missing":
        return f"{key} is missing; write it: no number has a default in the code"
    if kind == "value_error":  # our own messages say all
        text = str(problem["ctx"]["error"])
        return f"{key}: {text}" if key else text
    extra = " or 'loo'" if key == "split.folds" else ""
    return f"{key} is {value!r}: {problem['msg'][0].lower()}{problem['msg'][1:]}{extra}"


def _nearest(key: str) -> str:
    """The known key whose last part is most like that of `key`, its neighbours before others."""
    section, _, name = re.sub(r"\[\d+\]", "", key).rpartition(".")

    def likeness(known: str) -> float:
        other_section, _, other = known.rpartition(".")
        return difflib.SequenceMatcher(None, name, other).ratio() + 0.3 * (section == other_section)

    return max(_known_keys(), key=likeness)


def _known_keys(model: type[BaseModel] = Settings, prefix: str = "") -> list[str]:
    keys: list[str] = []
    for name, field in model.model_fields.items():
        section = _section(field.annotation)
        place = f"{prefix}{name}"
        keys += [place] if section is None else [place, *_known_keys(section, f"{place}.")]
    return keys
