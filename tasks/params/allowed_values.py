"""What a parameter of a learner may be: a number, a text that the learner itself names, a learner, or a list of these.

A params.yaml may come from a stranger, and some parameters are folders of pickles, files, ports, expressions or
functions. So a value is refused unless its kind is allowed here (decision 24). Not the written values are checked but
the learner that they make, and each learner that a search would make of it: so it does not matter how a value came in.
"""

import functools
import inspect
import itertools
import re
import reprlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tasks.params import boosting
from tasks.params.allowed_imports import is_own
from tasks.runtime.errors import Misplaced, Place

NAMED_PARTS = ("steps", "estimators", "transformers", "transformer_list")  # lists of (name, learner, …)
_GRIDS = ("param_grid", "param_distributions")
_MOST_VARIANTS = 1000
_NO_LEARNER = ("passthrough", "drop", None)

_ONLY: dict[str, tuple[tuple[Any, ...], str]] = {  # whatever the learner itself takes
    "memory": ((None,), "stores pickles, which can run code; leave it out: finished fits are stored in any case"),
    "n_jobs": ((None, 1), "must be 1, or be left out: execution.workers is the number of fits at the same time"),
    "input": (("content",), "must be content: otherwise the files that a table names are read"),
}
# texts that a learner takes without a list of them: none is opened, imported or evaluated
_TEXTS = {
    "constant": ".*",
    "dtype": r"(float|int)(32|64)",
    "fill_value": ".*",
    "importance_getter": r"[a-zA-Z]\w*(\.[a-zA-Z]\w*)*",
    "metric": r"\w+",
    "missing_values": ".*",
    "outlier_label": ".*",
    "pos_label": ".*",
    "refit": r"\w+",
    "scoring": r"\w+",
    "separator": ".*",
    "threshold": r"([\d.]+\s*\*\s*)?(mean|median)",
    "token_pattern": ".*",
}
_ANY, _NONE = ".*", "(?!)"
_BY_LABEL = ("class_weight", "monotonic_cst", "monotone_constraints", "transformer_weights", "vocabulary")

Find = Callable[[str, Place], Place]


def is_named_part(part: Any) -> bool:
    """Whether it is (name, learner, …), as a pipeline's step is."""
    return isinstance(part, list | tuple) and len(part) > 1 and (_is_learner(part[1]) or part[1] in _NO_LEARNER)


def check_learner(learner: Any, find: Find, prefix: str = "", base: Place = ()) -> None:
    """Raise Misplaced for a parameter of the learner, at any depth, whose kind is not allowed.

    `find` gives the place where a parameter, named as in step__C, is written, from the place where its learner is.
    """
    kind = type(learner)
    _refuse(boosting.refused_class(kind), (*base[:-1], "estimator"))
    for name, value in learner.get_params(deep=False).items():
        if value is None or _is_default(kind, name, value):
            continue
        place = find(prefix + name, (*base, name))
        if not _declares(kind, name):
            _refuse(boosting.refused_name(kind, name), place)
        _check_value(kind, name, value, place)
        for inner, inner_prefix, inner_place in _learners(value, f"{prefix}{name}", place, name in NAMED_PARTS, prefix):
            check_learner(inner, find, f"{inner_prefix}__", (*inner_place, "params"))
    for name in _GRIDS:
        if name in getattr(kind, "_parameter_constraints", {}):
            written = find(prefix + name, (*base, name))
            for variant, place in _variants(learner.estimator, getattr(learner, name), written):
                check_learner(variant, _always(place))


def _refuse(reason: str | None, place: Place) -> None:
    if reason is not None:
        raise Misplaced(reason, place)


def _always(place: Place) -> Find:
    return lambda _name, _derived: place


def _is_default(kind: type[Any], name: str, value: Any) -> bool:
    default = _defaults(kind).get(name, inspect.Parameter.empty)  # type: ignore[arg-type]  # a class is hashable
    return value is default or (isinstance(value, str | float | tuple) and repr(value) == repr(default))


@functools.cache
def _defaults(kind: type[Any]) -> dict[str, Any]:
    return {name: parameter.default for name, parameter in inspect.signature(kind).parameters.items()}


def _learners(
    value: Any, name: str, place: Place, named: bool = False, prefix: str = ""
) -> Iterator[tuple[Any, str, Place]]:
    """Each learner in a parameter's value, with its name in deep parameters and its place."""
    if _is_learner(value):
        yield value, name, place
    elif isinstance(value, list | tuple):
        for number, item in enumerate(value):
            if named and is_named_part(item):
                yield from _learners(item[1], f"{prefix}{item[0]}", (*place, number, 1))
            else:
                yield from _learners(item, f"{name}[{number}]", (*place, number))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _learners(item, f"{name}[{key}]", (*place, key))


def _variants(learner: Any, grids: Any, place: Place) -> Iterator[tuple[Any, Place]]:
    """The learner at each value of each parameter of a search's grids, as the search will make it."""
    from sklearn.base import clone

    several, made = isinstance(grids, list | tuple), 0
    for number, grid in enumerate(grids if several else [grids]):
        inside = (*place, number) if several else place
        if not isinstance(grid, Mapping) or not all(isinstance(name, str) for name in grid):
            raise Misplaced(f"is {_short(grid)}; write parameters, each with the list of its values", inside)
        for name, values in grid.items():
            if not isinstance(values, list | tuple):
                raise Misplaced(f"is {_short(values)}; write the list of its values", (*inside, name))
            first = sorted((other for other in grid if other != name and _decides(other, name)), key=len)
            for at, value in enumerate(values):
                for chosen in itertools.product(*(grid[other] for other in first)):
                    made += 1
                    if made > _MOST_VARIANTS:
                        raise Misplaced(f"has more than {_MOST_VARIANTS} learners to try; write fewer", place)
                    variant = clone(learner)
                    try:
                        for other, choice in zip((*first, name), (*chosen, value), strict=True):
                            variant.set_params(**{other: clone(choice, safe=False)})
                    except (ValueError, TypeError, AttributeError) as error:
                        if first:  # not a parameter of this choice: the search cannot set it either
                            continue
                        raise Misplaced(f"cannot be set: {error}", (*inside, name)) from None
                    yield variant, (*inside, name, at)


def _decides(other: str, name: str) -> bool:
    """Whether the parameter `other` replaces the learner that `name` is a parameter of."""
    outer, _, last = other.rpartition("__")
    return name.startswith(f"{other}__") or (last in NAMED_PARTS and name.startswith(outer))


def _check_value(kind: type[Any], name: str, value: Any, place: Place) -> None:
    values, reason = _ONLY.get(name, ((), ""))
    if (values and value not in values) or not _admits(kind, name, value):
        says = reason or f"is not allowed in {kind.__name__}; write {_allowed(kind, name)}"
        listed = place[0] in ("grid", "search", "family")  # the value is in a list there
        raise Misplaced(f"{'contains' if listed else 'is'} {_short(value)}, which {says}", place)


def _admits(kind: type[Any], name: str, value: Any) -> bool:
    """Whether the kind of the value is allowed, by what the learner's own constraints name."""
    constraints = _constraints(kind, name)
    if isinstance(value, str):
        return _is_text(kind, name, value)
    if _is_learner(value):
        return constraints is None or any(_takes(one, value) for one in constraints)
    if isinstance(value, list | tuple | dict) and name in _GRIDS and constraints is not None:
        return True  # its values are checked in the learners that they make
    if isinstance(value, list | tuple) and name in NAMED_PARTS:
        return all(is_named_part(part) and _is_data(part[:1] + part[2:], _ANY) for part in value)
    if isinstance(value, list | tuple):
        texts = _ANY if constraints is not None or is_own(kind) else _NONE
        if boosting.constraints(kind) is not None:
            texts = boosting.WORDS
        return (constraints is None or any(map(_takes_list, constraints))) and _is_data(value, texts)
    if isinstance(value, dict):
        arguments = name not in _BY_LABEL and not is_own(kind)
        if arguments and any(key in _ONLY and item not in _ONLY[key][0] for key, item in value.items()):
            return False
        texts = _ANY if constraints is None and is_own(kind) else _TEXTS.get(name, _NONE)
        return (constraints is None or any(map(_takes_dict, constraints))) and _is_data(value, texts)
    return _is_number(value)


def _constraints(kind: type[Any], name: str) -> list[Any] | None:
    """What a learner says that the parameter may be; None if it says nothing."""
    known = None if _declares(kind, name) else boosting.constraints(kind)
    if known is not None:
        return known.get(name, [])
    declared = getattr(kind, "_parameter_constraints", {}).get(name)
    if declared is None or declared == "no_validation":
        return None
    return [getattr(one, "constraint", one) for one in declared]  # that of Hidden


def _declares(kind: type[Any], name: str) -> bool:
    """Whether a class of the user's own module has the parameter in its constructor."""
    return is_own(kind) and name in _defaults(kind)  # type: ignore[arg-type]


def _is_text(kind: type[Any], name: str, value: str) -> bool:
    constraints = _constraints(kind, name)
    if constraints is None and is_own(kind):
        return True  # the user's own program
    if any(isinstance(one, re.Pattern) and one.fullmatch(value) for one in constraints or ()):
        return True
    if value in _named(constraints) or (value == "fixed" and name.endswith("_bounds")):
        return True
    return boosting.constraints(kind) is None and _is_data(value, _TEXTS.get(name, _NONE))


def _named(constraints: list[Any] | None) -> list[str]:
    """The texts that constraints name."""
    return sorted({text for one in constraints or () for text in getattr(one, "options", ()) if isinstance(text, str)})


def _takes(constraint: Any, learner: Any) -> bool:
    """Whether a constraint names learners like this one; of functions, a kernel is the only one allowed."""
    from sklearn.gaussian_process.kernels import Kernel

    if constraint is callable:
        return isinstance(learner, Kernel)
    if isinstance(constraint, type):
        return isinstance(learner, constraint)
    return hasattr(constraint, "methods") and all(callable(getattr(learner, each, None)) for each in constraint.methods)


def _takes_list(constraint: Any) -> bool:
    import numpy as np

    return constraint in (list, tuple, np.ndarray, "array-like", "sparse matrix", "cv_object") or (
        hasattr(constraint, "methods") and "__iter__" in constraint.methods
    )


def _takes_dict(constraint: Any) -> bool:
    return isinstance(constraint, type) and issubclass(dict, constraint)


def _is_data(value: Any, texts: str) -> bool:
    """Whether it is made of numbers, learners (each is checked), texts of this pattern, lists and mappings."""
    if isinstance(value, list | tuple):
        return all(_is_data(item, texts) for item in value)
    if isinstance(value, Mapping):
        return all(_is_data(key, _ANY) and _is_data(item, texts) for key, item in value.items())
    if isinstance(value, str):
        return re.fullmatch(texts, value, re.DOTALL) is not None
    return _is_number(value) or _is_learner(value)


def _is_number(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float)


def _is_learner(value: Any) -> bool:
    return hasattr(value, "get_params") and not isinstance(value, type)


def _allowed(kind: type[Any], name: str) -> str:
    named = [repr(text) for text in _named(_constraints(kind, name))]
    return "a number" + "".join(f", {text}" for text in named) + ", or leave it out"


def _short(value: Any) -> str:
    return reprlib.repr(value)
