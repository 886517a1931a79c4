"""params.yaml, read and validated: the one place where a parameter becomes a value."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    Field,
    PrivateAttr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from heldout import defaults
from heldout.errors import BadArgument
from heldout.estimates import NOT_IN_TIME, ON_REQUEST
from heldout.estimates.criteria import check_rule, meant
from heldout.estimates.methods import DEFAULTS, covering
from heldout.findings.checks import CODES
from heldout.fits import baseline
from heldout.intervals.corrected_t import METHOD as CORRECTED
from heldout.losses import check_spec
from heldout.losses.choice import Spec
from heldout.schemes.delivery import FORMS
from heldout.selection.selection import Criterion
from tasks.params import (
    allowed_extensions,
    allowed_imports,
    build_learner,
    by_name,
    grids,
    loss_key,
    searches,
)
from tasks.params.check_time import check_time
from tasks.params.hidden import reveal
from tasks.params.messages import of_argument, problems
from tasks.params.own_modules import Reached
from tasks.params.running import Execution, Operations, Tracking
from tasks.params.sections import (
    LEFT_OUT,
    Covalidation,
    Data,
    ParamsSection,
    Progressive,
    ReportSection,
    Search,
    SelectionSection,
    SplitSection,
    TunedParameter,
)
from tasks.params.source_name import source_name
from tasks.params.written import Written, first_errors
from tasks.runtime.errors import Misplaced, UserError

if TYPE_CHECKING:
    Deliver = str
else:
    Deliver = Literal[tuple(FORMS)]

FURTHER = [*ON_REQUEST]


class Candidate(ParamsSection):
    """A named learner; with a grid, one for each of its points; with a search, also one for each of its draws."""

    name: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[\w.() =,+-]+$")] = Field(
        description="name in tables, files and MLflow, without a dot; baseline is the name of the best constant answer",
        json_schema_extra={"pattern": r"^[\w() =,+-]+$"},
    )
    estimator: str = Field(
        description="import path of the class of a scikit-learn learner, in a module of execution.allowed_modules"
    )
    params: dict[str, Any] = Field(
        {},
        description="its settings; step__name sets a parameter of a step of a pipeline. A value {estimator: path, "
        "params: {…}} is a nested learner, at any depth",
    )
    grid: (
        Annotated[
            dict[Annotated[str, Field(min_length=1)], Annotated[list[Any], Field(min_length=1)]], Field(min_length=1)
        ]
        | None
    ) = Field(
        None,
        description="values of some parameters, from simple to complex: each point is a separate candidate, called "
        "name(C=1, gamma=0.1); the last parameter varies fastest",
    )
    search: Search | None = Field(
        None,
        description="further candidates with other values of some parameters, drawn by the seed: this candidate as it "
        "is written comes first, then each draw, called name(C=0.13, gamma=0.1)",
    )
    preprocess: str | None = Field(
        None,
        description="auto, or the import path of a transformer's class; fitted inside each training part",
    )
    family: TunedParameter | None = Field(
        None,
        description="values of one parameter, chosen by validation inside each fit; together they are one candidate",
    )
    update: Literal["partial_fit"] | None = Field(
        None,
        description="partial_fit: one pass of it over the rows, in their order, instead of fit; folds and steps share "
        "their updates. If the order matters (SGD), this is not the same learner as its refit; it is called "
        "name (one pass)",
    )
    _allowed: tuple[str, ...] = PrivateAttr(default=allowed_imports.DEFAULT)
    _seed: int = PrivateAttr(default=0)

    def learner(self) -> Any:
        """The unfitted estimator, behind its preprocessing if it has one; a family chooses its own value."""
        family = None if self.family is None else self.family.model_dump()
        built = build_learner.build(self.estimator, self.params, self.preprocess, family, self._allowed)
        return built if self.update is None else build_learner.one_pass(built)

    def identity(self) -> dict[str, Any]:
        """What the learner is, whatever it is called: equal identities are one candidate."""
        family = {} if self.family is None else {"family": self.family.model_dump()}
        update = {} if self.update is None else {"update": self.update}
        settings = self.model_dump(exclude={"name", "grid", "search", "family", "update"})
        return {**settings, **family, **update, "source": self._code().own}

    def fit_identity(self) -> tuple[object, ...]:
        """What decides its fits, for their keys: the learner, and the versions of the packages that it imports."""
        return self.identity(), self._code().installed

    def _code(self) -> Reached:
        return build_learner.code(self.estimator, self.preprocess, *build_learner.inner_paths(self.params))

    def points(self) -> "list[Candidate]":
        """The candidate, or the points of its grid or search, each without one, under the names that are shown."""
        if self.grid is None and self.search is None and self.update is None:
            return [self]
        once = "" if self.update is None else " (one pass)"
        return [
            self.model_copy(
                update={"name": f"{name}{once}", "params": {**self.params, **values}, "grid": None, "search": None}
            )
            for name, values in self._named_points()
        ]

    def _named_points(self) -> "list[tuple[str, dict[str, Any]]]":
        if self.grid is not None:
            return [*grids.points(self.name, self.grid)]
        if self.search is not None:
            return [*searches.points(self.name, self.search.values, self.search.draws, self._seed)]
        return [(self.name, {})]

    @field_validator("name")
    @classmethod
    def _has_no_dot(cls, name: str) -> str:
        if "." in name:
            raise Misplaced(
                f"is {name!r}; a dot would begin another key in `dvc exp run -S candidates.NAME.params.C=1`, so write "
                f"{name.replace('.', '-')!r}"
            )
        return name

    @model_validator(mode="after")
    def _buildable(self, info: ValidationInfo) -> "Candidate":
        context = info.context or {}
        self._allowed = tuple(context.get("allowed_modules", allowed_imports.DEFAULT))
        self._seed = context.get("seed", 0)
        if self.grid is not None and self.search is not None:
            raise Misplaced("is next to a grid; leave one of the two out", ("search",))
        places = {
            name: self._place(name) for name in (*(self.grid or ()), *(self.search.values if self.search else ()))
        }
        family = None if self.family is None else self.family.model_dump()
        ends = [] if self.search is None else searches.ends(self.search.values)
        of_ends = [self.model_copy(update={"params": {**self.params, **values}}) for values in ends]
        for point in [*of_ends, *self.points()]:
            build_learner.check(point.estimator, point.params, point.preprocess, family, self._allowed, places)
            if point.update is not None:
                build_learner.check_update(point.estimator, point.learner(), point.preprocess, family)
        return self

    def _place(self, name: str) -> tuple[str | int, ...]:
        """Where a parameter of the grid or the search is written. Raises Misplaced for one that is written twice."""
        place = ("search", "values", name) if self.grid is None else ("grid", name)
        if self.grid is not None and name in self.params:
            raise Misplaced("is in params too; leave it in one of the two", place)
        if self.family is not None and name == self.family.parameter:
            raise Misplaced("is in family too; leave it in one of the two", place)
        return place


_SECTIONS = ("split", "progressive", "covalidation", "selection", "report", "execution", "operations", "tracking")


class Settings(ParamsSection):
    """All of params.yaml."""

    seed: Annotated[int, Field(ge=0)] = Field(
        defaults.SEED,
        description="every random choice, and every random_state that a candidate does not set, comes from this number",
    )
    data: Data
    split: SplitSection = LEFT_OUT
    progressive: Progressive = LEFT_OUT
    covalidation: Covalidation = LEFT_OUT
    candidates: Annotated[list[Candidate], Field(min_length=1)] = Field(
        description="From simple to complex: a tie goes to the first. A mapping from each name to the rest, or a list",
        json_schema_extra=by_name.allow_both,
    )
    loss: loss_key.LossSpec | None = Field(None, description=loss_key.DESCRIPTION)
    loss_max: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(
        None,
        description="a number that no loss of any answer to any row can pass, which gives losses of numbers and log a "
        "bound: 10000 for squared, if target and predictions lie in [0, 100]. A loss above it ends the run",
    )
    # left out: the methods that docs/coverage.md chose
    intervals: dict[str, str] | None = Field(
        None,
        description="interval methods instead of the defaults from docs/coverage.md, one per line, as in E_cv: Bayle "
        "within folds",
        json_schema_extra={"propertyNames": {"enum": list(DEFAULTS)}},
    )
    further_estimates: list[str] = Field(
        [],
        description=f"estimates that are made only where they are named here: {', '.join(FURTHER)}. docs/method.md has "
        "what each is, and how many fits it needs",
        json_schema_extra={"items": {"type": "string", "enum": [*FURTHER]}},
    )
    selection: SelectionSection = LEFT_OUT
    muted_checks: list[str] = Field(
        [*defaults.MUTED_CHECKS],
        description="codes of checks of the table that hold no verdict back, as in [HLD006] where the rows to come are "
        "of the same patients; docs/checks.md has each",
        json_schema_extra={"items": {"type": "string", "enum": [*CODES]}},
    )
    deliver: Deliver = Field(
        "final",
        description="what is saved, registered and tested. "
        + "; ".join(f"{name}: {form.says}" for name, form in FORMS.items()),
    )
    report: ReportSection = LEFT_OUT
    execution: Execution = LEFT_OUT
    operations: Operations = LEFT_OUT
    tracking: Tracking = LEFT_OUT
    _folder: str = PrivateAttr(default=".")

    def use_folder(self) -> None:
        """Make the user's modules next to params.yaml importable, in a worker too."""
        allowed_imports.use_folder(self._folder, self.execution.allowed_modules)

    def with_only(self, *candidates: Candidate) -> "Settings":
        """The same with these candidates, for a task: with ten thousand of them it would be a megabyte."""
        return self.model_copy(update={"candidates": [*candidates]})

    @property
    def criterion(self) -> Criterion:
        """The selection criterion, by how rows were picked where none is written (METHOD, section 5)."""
        if (written := self.selection.criterion) is not None:
            return meant(written)
        return "E_maxdt" if self.data.picked_blindly else "E_cv"

    @property
    def nested(self) -> bool:
        """Whether the selection is repeated inside each fold's training rows."""
        return "E_nested" in self.further_estimates

    @property
    def judged_by(self) -> Spec | None:
        """The loss as `heldout.losses.choose_loss` takes it: what is written, or the function that it names."""
        path = loss_key.function_of(self.loss)
        return self.loss if path is None else allowed_imports.function(path, self.execution.allowed_modules)

    def own_code(self, *, of_candidates: bool) -> dict[str, str]:
        """The hash of each module of the user's that the loss may run, and the candidates if asked, by its name."""
        found = build_learner.code(loss_key.function_of(self.loss)).own
        for candidate in self.candidates if of_candidates else ():
            found |= candidate._code().own
        return dict(sorted(found.items()))

    @property
    def loss_identity(self) -> tuple[object, ...]:
        """What decides the losses of rows and answers, for the keys of stored fits; empty for the natural loss."""
        return () if self.loss is None else (self.loss, *build_learner.code(loss_key.function_of(self.loss)))

    @property
    def source_name(self) -> str:
        """What people call the data source."""
        return source_name(self.data.source)

    @property
    def registered_model(self) -> str:
        """The name under which winners are registered: that of the data source where none is written."""
        return self.tracking.registered_model or self.source_name

    @field_validator(*_SECTIONS, mode="before")
    @classmethod
    def _empty(cls, section: Any) -> Any:
        """A section of which every line was taken away is null in YAML."""
        return {} if section is None else section

    @field_validator("candidates")
    @classmethod
    def _every_point(cls, written: list[Candidate]) -> list[Candidate]:
        """Each point of a grid or a search in its place."""
        numbered = [(number, point) for number, candidate in enumerate(written) for point in candidate.points()]
        names = [point.name for _, point in numbered]
        for place, (number, point) in enumerate(numbered):
            if point.name == baseline.NAME:
                raise Misplaced(baseline.reserved("is"), (number, "name"))
            if point.name in names[:place]:
                raise Misplaced(
                    f"is {point.name!r}, which {names.count(point.name)} candidates are called; change all but one",
                    (number, "name"),
                )
        return [point for _, point in numbered]

    @field_validator("loss", mode="before")
    @classmethod
    def _known_loss(cls, loss: Any, info: ValidationInfo) -> Any:
        if isinstance(path := loss_key.function_of(loss), str):
            try:
                allowed_imports.function(path, (info.context or {}).get("allowed_modules", ()))
            except ValueError as error:
                raise Misplaced(str(error), (loss_key.FUNCTION,)) from None
            return loss
        try:
            if loss is not None:
                check_spec(loss)
        except BadArgument as error:
            raise of_argument(error) from None
        return loss

    @field_validator("muted_checks")
    @classmethod
    def _known_checks(cls, muted: list[str]) -> list[str]:
        for place, code in enumerate(muted):
            if code not in CODES:
                raise Misplaced(f"is {code!r}, which is no check; choose among {', '.join(CODES)}", (place,))
        return muted

    @field_validator("intervals")
    @classmethod
    def _known_intervals(cls, chosen: dict[str, str] | None) -> dict[str, str] | None:
        for estimate, name in (chosen or {}).items():
            if estimate not in DEFAULTS:
                raise Misplaced(f"is not known; choose among {', '.join(DEFAULTS)}", (estimate,))
            try:
                covering(estimate, name)
            except BadArgument as error:
                raise of_argument(error, (estimate,), key=()) from None
        return chosen

    @model_validator(mode="after")
    def _rule_fits(self) -> "Settings":
        try:
            check_rule(self.criterion, self.selection.rule)
        except BadArgument as error:
            raise of_argument(error, ("selection", error.argument)) from None
        check_time(self.data, self.split, self.criterion)
        if self.data.test_rows is not None and self.split.test_fraction == 0:
            text = f"is {self.data.test_rows!r}, but split.test_fraction is 0 for no test set; leave one of the two out"
            raise Misplaced(text, ("data", "test_rows"))
        self._check_repeats()
        self._check_criterion()
        for place, name in enumerate(self.further_estimates):
            if name not in FURTHER:
                text = f"is not made on request; choose among {', '.join(FURTHER)}"
                raise Misplaced(text, ("further_estimates", place))
            if self.data.time is not None and name in NOT_IN_TIME:
                raise Misplaced("does not exist for rows in time; leave it out", ("further_estimates", place))
        if self.nested and self.selection.finalists is not None:
            text = "is a number, and E_nested would have to repeat that choice in each fold; write null"
            raise Misplaced(text, ("selection", "finalists"))
        if self.nested and self.split.folds == 2:
            raise Misplaced("is 2, but E_nested needs at least 3", ("split", "folds"))
        return self

    def _check_criterion(self) -> None:
        """A criterion that is made on request alone has to be asked for."""
        if self.criterion in FURTHER and self.criterion not in self.further_estimates:
            text = f"is {self.criterion}, which is not made unless further_estimates names it; add it there"
            raise Misplaced(text, ("selection", "criterion"))

    def _check_repeats(self) -> None:
        """What the mean over several partitions into folds cannot have."""
        repeats, chosen = self.split.repeats, (self.intervals or {}).get("E_cv")
        if repeats == 1:
            return
        reasons = {
            ("split", "folds"): self.split.folds == "loo" and "is loo, which has one partition; write a number",
            ("data", "time"): self.data.time is not None
            and f"is {self.data.time!r}, and folds of rows in time are not drawn at random; write null",
            ("further_estimates",): self.nested and "has E_nested, which is for one partition; leave it out",
            ("deliver",): self.deliver in ("k_fold", "vote") and f"is {self.deliver}, which is for one partition",
            ("intervals", "E_cv"): chosen is not None
            and not covering("E_cv", chosen).for_repeats
            and f"is {chosen}, which is for one partition; leave it out, or use {CORRECTED.name}",
        }
        for place, reason in reasons.items():
            if reason:
                raise Misplaced(f"{reason}, or set split.repeats to 1 (it is {repeats})", place)


def _seed(written: Any) -> int:
    """The seed, by which a search draws, before it is checked: 0 where it is none, which is then refused."""
    seed = written.get("seed") if isinstance(written, dict) else None
    return seed if isinstance(seed, int) and seed >= 0 else defaults.SEED


def load(path: str | Path = "params.yaml", overrides: Sequence[str] = ()) -> Settings:
    """Read and check `path`, after `overrides` of the form a.b=c, whose values are read as YAML.

    Raises UserError with at most ten lines, each naming the file (and --set), the key, its value and what is allowed.
    """
    path = Path(path)
    written = Written(path, Settings.model_fields)
    for override in overrides:
        written.override(reveal(override))
    folder = str(path.resolve().parent)
    allowed = allowed_imports.named(written.value)
    if (reason := allowed_extensions.why_others(allowed)) is not None:
        raise UserError(f"{written.where(('execution', 'allowed_modules'))}: execution.allowed_modules {reason}")
    allowed_imports.use_folder(folder, allowed)
    try:
        settings = Settings.model_validate(
            written.value, context={"allowed_modules": allowed, "seed": _seed(written.value)}
        )
    except ValidationError as error:
        found = problems(error, Settings, {**{name: {} for name in _SECTIONS}, **written.value})
        raise UserError(first_errors([f"{written.where(each.place)}: {each.text}" for each in found])) from None
    settings._folder = folder
    return settings
