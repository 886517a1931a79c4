"""From params.yaml to an unfitted learner: its class, its parameters, and learners inside other learners."""

import difflib
import inspect
import re
from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from heldout.errors import BadArgument
from tasks.params import own_modules
from tasks.params.allowed_imports import DEFAULT, resolve
from tasks.params.allowed_values import NAMED_PARTS, check_learner, is_named_part
from tasks.params.boosting import constraints
from tasks.params.messages import of_argument
from tasks.runtime.errors import Misplaced, Place

AUTO = "auto"  # in place of an import path: heldout.preprocessing

_LEARNER = ("fit", "predict", "get_params", "set_params")
_TRANSFORMER = ("fit", "transform", "get_params", "set_params")
_PART = ("get_params", "set_params")  # inside another learner; a kernel too
_REFUSAL = re.compile(r"The '(\w+)' parameter of (\w+) (must .*)\. Got (.*) instead\.", re.DOTALL)


def build(
    estimator: str,
    params: dict[str, Any],
    preprocess: str | None,
    family: dict[str, Any] | None = None,
    allowed: Collection[str] = DEFAULT,
    elsewhere: Mapping[str, Place] = MappingProxyType({}),
) -> Any:
    """The unfitted estimator with its settings, as a family if it is one, behind `preprocess` if there is one.

    A value in `params` of the form {estimator: path, params: {…}} is a learner itself, at any depth; a string is
    never more than a string. Messages name a parameter at the place that `elsewhere` has for it.
    Raises Misplaced for a learner that cannot be built.
    """
    learner = _make(estimator, params, allowed, _LEARNER, ("params",), elsewhere)
    if family is not None:
        from heldout.family import TunedEstimator, check

        try:
            check(learner, family["parameter"], family["values"])
        except BadArgument as error:
            raise of_argument(error, ("family", error.argument)) from None
        learner = TunedEstimator(learner, family["parameter"], family["values"])
    if preprocess is None:
        return learner
    from sklearn.pipeline import make_pipeline

    if preprocess == AUTO:
        from heldout.preprocessing import auto

        return make_pipeline(auto(learner), learner)
    transformer = _resolve(preprocess, allowed, _TRANSFORMER, ("preprocess",))
    return make_pipeline(transformer(), learner)


def check(
    estimator: str,
    params: dict[str, Any],
    preprocess: str | None,
    family: dict[str, Any] | None = None,
    allowed: Collection[str] = DEFAULT,
    elsewhere: Mapping[str, Place] = MappingProxyType({}),
) -> None:
    """Raise Misplaced for an unknown path, an unknown or bad parameter, or an object that cannot fit."""
    try:
        learner = build(estimator, params, preprocess, family, allowed, elsewhere)
    except Misplaced:
        raise
    except (Exception, SystemExit) as error:
        raise _refuses_params(estimator, error, ("estimator",)) from None
    last = learner if preprocess is None else learner.steps[-1][1]
    _check_has(last, estimator, _LEARNER, ("estimator",))

    def find(name: str, derived: Place) -> Place:
        return elsewhere.get(name) or (("params", name) if name in params else derived)

    check_learner(last if family is None else last.learner, find, base=("params",))
    if family is not None:
        values: Place = ("family", "values")
        for variant in last.path_values():
            _check_values(variant, lambda _: values)
            try:
                check_learner(variant, find)
            except Misplaced as problem:
                raise Misplaced(str(problem), values) from None


def one_pass(learner: Any) -> Any:
    """The learner, updated once with each row instead of fitted."""
    from heldout.online import OnePass

    return OnePass(learner)


def check_update(estimator: str, learner: Any, preprocess: str | None, family: dict[str, Any] | None) -> None:
    """Raise Misplaced for a learner of `one_pass` that cannot be updated with each row."""
    other = "preprocess" if preprocess is not None else "family" if family is not None else None
    if other is not None:
        raise Misplaced(f"is partial_fit, but {other} is fitted; leave one of the two out", ("update",))
    if not hasattr(learner.estimator, "partial_fit"):
        raise Misplaced(
            f"is partial_fit, which {estimator} with these settings does not have; leave it out", ("update",)
        )


def code(*paths: str | None) -> own_modules.Reached:
    """What of the user's, and of packages that are not allowed by default, what is at the import `paths` may run."""
    return own_modules.reached(*(path.rpartition(".")[0] for path in paths if path is not None and path != AUTO))


def inner_paths(value: Any) -> Iterator[str]:
    """The import path of every learner inside `value`, the params of another learner."""
    if _is_learner(value):
        yield value["estimator"]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for item in items:
        yield from inner_paths(item)


def _make(
    path: str,
    params: Mapping[str, Any],
    allowed: Collection[str],
    needs: Collection[str],
    place: Place,
    elsewhere: Mapping[str, Place] = MappingProxyType({}),
) -> Any:
    """The object of the class at `path`, which must have the methods `needs`; its params are written at `place`."""

    def at(name: str) -> Place:
        return elsewhere.get(name, (*place, name))

    constructor = _resolve(path, allowed, needs, (*place[:-1], "estimator"))
    known = _parameters(constructor)
    now: dict[str, Any] = {}
    later: dict[str, Any] = {}  # step__C belongs to a step, which exists after its pipeline is made
    for name, item in params.items():
        deep = "__" in str(name) and name not in (known or ())
        if not deep:
            _check_known(name, known, path, at)
        (later if deep else now)[name] = _value(item, allowed, at(name), constructor, name)
    try:
        made = constructor(**now)
    except (ValueError, TypeError) as error:
        raise _refuses_params(path, error, (*place[:-1], "estimator")) from None
    for name in later:
        _check_known(name, sorted(made.get_params(deep=True)), path, at)
    if later:
        made.set_params(**later)
    _check_values(made, at)
    if constraints(constructor) is not None and made.get_params()["n_jobs"] is None:
        made.set_params(n_jobs=1)  # None is every core, and workers fit at the same time
    return made


def _value(item: Any, allowed: Collection[str], place: Place, owner: Any, name: str) -> Any:
    """A parameter's value, in which each learner is made."""
    if _is_learner(item):
        unknown = [key for key in item if key not in ("estimator", "params")]
        params = item.get("params") or {}
        if unknown or not isinstance(params, dict):
            text = "is a learner; write it as {estimator: path, params: {C: 1}}"
            raise Misplaced(text + (f", without {unknown[0]!r}" if unknown else ""), place)
        return _make(item["estimator"], params, allowed, _PART, (*place, "params"))
    if isinstance(item, dict):
        return {key: _value(inner, allowed, (*place, key), None, "") for key, inner in item.items()}
    if not isinstance(item, list):
        return item
    made = [_value(inner, allowed, (*place, number), None, "") for number, inner in enumerate(item)]
    if name.rpartition("__")[2] in NAMED_PARTS:  # YAML has no tuples, and scikit-learn asks for some
        for number, part in enumerate(made):
            if not is_named_part(part):
                text = "must be a list of a name and a learner, as in [svm, {estimator: sklearn.svm.SVC}]"
                raise Misplaced(text, (*place, number))
        return [tuple(part) for part in made]
    wanted = getattr(owner, "_parameter_constraints", {}).get(name, ())
    return (
        tuple(made) if tuple in wanted and not {list, "array-like"} & {one for one in wanted if _plain(one)} else made
    )


def _plain(constraint: Any) -> bool:
    return isinstance(constraint, type | str)


def _is_learner(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("estimator"), str)


def _resolve(path: str, allowed: Collection[str], needs: Collection[str], place: Place) -> type[Any]:
    """The class at the import path that is written at `place`; it has the methods `needs`."""
    try:
        found = resolve(path, allowed)
    except ValueError as error:
        raise Misplaced(str(error), place) from None
    _check_has(found, path, needs, place)
    return found


def _check_has(owner: Any, path: str, needs: Collection[str], place: Place) -> None:
    """Raise Misplaced unless a class, before it is called, or an object has the methods `needs`."""
    missing = [method for method in needs if not hasattr(owner, method)]
    if missing:
        part = "transformer" if needs is _TRANSFORMER else "learner"
        raise Misplaced(f"is {path}, which is not a scikit-learn {part}: it lacks {', '.join(missing)}", place)


def _refuses_params(path: str, error: BaseException, place: Place) -> Misplaced:
    return Misplaced(f"is {path}, which refuses its params: {error}", place)


def _check_known(name: Any, known: Collection[str] | None, path: str, at: Any) -> None:
    """Raise Misplaced for a name that is not in the parameters `known`; None stands for any."""
    if not isinstance(name, str) or (known is not None and name not in known):
        near = difflib.get_close_matches(str(name), known or (), n=1)
        hint = f"did you mean {near[0]}?" if near else f"it takes {', '.join(known or ()) or 'none'}"
        raise Misplaced(f"is not a parameter of {path}; {hint}", at(name))


def _parameters(constructor: Any) -> list[str] | None:
    """The names that a constructor takes, or None if it takes any."""
    parameters = inspect.signature(constructor).parameters.values()
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters):
        return None
    return [parameter.name for parameter in parameters]


def _check_values(learner: Any, at: Any) -> None:
    """Raise Misplaced for a value that the learner's fit would refuse: scikit-learn's own check, before any fit."""
    if not hasattr(learner, "_parameter_constraints"):
        return
    try:
        learner._validate_params()
    except ValueError as error:
        refusal = _REFUSAL.fullmatch(str(error))
        if refusal is None:
            raise _refuses_params(type(learner).__name__, error, ("estimator",)) from None
        name, owner, limit, value = refusal.groups()
        place = at(name)
        listed = place[0] in ("grid", "search", "family")  # the value is in a list there
        text = f"contains {value}; in {owner} each value {limit}" if listed else f"is {value}; in {owner} it {limit}"
        raise Misplaced(text, place) from None
