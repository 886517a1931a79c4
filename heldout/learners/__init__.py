"""A learner and one fit of it. Here: what an unfitted learner can do, where it would draw by itself, which the seed
decides, and its threads.

A setting may have another name than scikit-learn's, and one that CatBoost was not given is none of its `get_params`.
"""

import inspect
from collections.abc import Callable, Iterator, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.learners.clones import cloned
from heldout.losses import Loss

_STATE = "random_state"
_STATES = (_STATE, "random_seed", "seed")
_THREADS = ("n_jobs", "thread_count")
_MANY = (dict, list, tuple)


def open_random_states(learner: Any) -> list[str]:
    """The name of every setting by which `learner` would draw otherwise in each fit.

    Each `random_state` that is None: of the learner, of learners inside it (also in lists and mappings, such as the
    grid of a search), and of a splitter that shuffles; `random_seed` and `seed` where a learner calls it so. And the
    `cv` of a TargetEncoder that is a number: it shuffles, and its `random_state` is deprecated since scikit-learn 1.9.
    """
    return [f"{name}{setting}" for name, _, setting in _open_parts(learner)]


def _open_parts(learner: Any) -> Iterator[tuple[str, Any, str]]:
    """Each learner and splitter in `learner` that would draw otherwise each time.

    With the beginning of the names of its settings, and the setting by which it would.
    """
    seen: set[int] = set()

    def below(name: str, value: Any) -> Iterator[tuple[str, Any, str]]:
        if id(value) in seen or isinstance(value, type):
            return
        if hasattr(value, "get_params"):
            seen.add(id(value))
            settings = value.get_params(deep=True)
            if (state := _left_open(value, settings, _STATES)) is not None:
                yield name, value, state
            elif _draws_folds(value, settings):
                yield name, value, "cv"
            # what a list holds may have a name of its own too, as the steps of a pipeline: those come first
            for inner in sorted(settings, key=lambda of: isinstance(settings[of], _MANY)):
                yield from below(f"{name}{inner}__", settings[inner])
        elif isinstance(value, _MANY):
            pairs = value.items() if isinstance(value, dict) else enumerate(value)
            for inner, item in pairs:
                yield from below(f"{name}{inner}__", item)
        elif hasattr(value, "split") and hasattr(value, _STATE):
            seen.add(id(value))
            if getattr(value, _STATE) is None and getattr(value, "shuffle", True):
                yield name, value, _STATE

    return below("", learner)


def _left_open(part: Any, settings: dict[str, Any], names: Sequence[str]) -> str | None:
    """The one of the `names` of a setting that is None, unless the same is set by another name; None for no such one.

    Where none is among the settings, an argument of the constructor that is None by default.
    """
    if known := [name for name in names if name in settings]:
        return known[0] if all(settings[name] is None for name in known) else None
    arguments = {} if isinstance(part, type) else inspect.signature(type(part).__init__).parameters
    hidden = [name for name in names if name in arguments and arguments[name].default is None]
    return next((name for name in hidden if name != _STATE), hidden[0] if hidden else None)


def _draws_folds(part: Any, settings: dict[str, Any]) -> bool:
    """Whether it is a target encoder that shuffles its rows into folds by numpy's global generator."""
    kinds = [kind.__module__.partition(".")[0] for kind in type(part).__mro__ if kind.__name__ == "TargetEncoder"]
    if "sklearn" not in kinds:
        return False
    own = settings.get("shuffle") is not False and settings.get(_STATE, "deprecated") == "deprecated"
    return own and "cv" in settings and (settings["cv"] is None or isinstance(settings["cv"], Integral))


def open_threads(learner: Any) -> list[str]:
    """The name of every `n_jobs` that is None in `learner`, also in nested learners, and stands for every core.

    For LightGBM, XGBoost and CatBoost it does; for scikit-learn None is one.
    """
    of_others = {name: part for name, part in _parts(learner) if not type(part).__module__.startswith("sklearn.")}
    found = {name: _left_open(part, part.get_params(deep=False), _THREADS) for name, part in of_others.items()}
    return [f"{name}{setting}" for name, setting in found.items() if setting is not None]


def parameters(learner: Any) -> set[str]:
    """The names of all settings of `learner` and of learners inside it, also of those that it was not given."""
    of_constructors = {
        f"{name}{argument}"
        for name, part in _parts(learner)
        for argument, of in inspect.signature(type(part).__init__).parameters.items()
        if of.kind is of.KEYWORD_ONLY or (of.kind is of.POSITIONAL_OR_KEYWORD and argument != "self")
    }
    return {*learner.get_params(deep=True), *of_constructors}


def _parts(learner: Any) -> list[tuple[str, Any]]:
    """`learner` and each learner that is one of its settings, with the beginning of the names of its own."""
    inner = [(f"{name}__", part) for name, part in learner.get_params(deep=True).items()]
    return [(name, part) for name, part in [("", learner), *inner] if hasattr(part, "get_params")]


def gives_probabilities(learner: Any) -> bool:
    """Whether the unfitted `learner` will have `predict_proba` once it is fitted.

    A method may exist under a condition (`available_if`), which depends on the settings. A meta-estimator may answer
    no before `fit`, because it checks an attribute that `fit` makes. Then the answer is the inner learner's: the last
    step of a pipeline, `estimator`, or `final_estimator`, where None stands for a logistic regression (stacking).
    """
    if hasattr(learner, "predict_proba"):
        return True
    if not hasattr(type(learner), "predict_proba"):
        return False
    if hasattr(learner, "steps"):
        return gives_probabilities(learner.steps[-1][1])
    settings = learner.get_params(deep=False)
    if "final_estimator" in settings:
        return settings["final_estimator"] is None or gives_probabilities(settings["final_estimator"])
    inner = settings.get("estimator")
    return inner is not None and gives_probabilities(inner)


def is_classifier(learner: Any) -> bool:
    """Whether the unfitted `learner` says that it predicts classes."""
    from sklearn.base import is_classifier as says_so

    return _says(says_so, learner)


def is_regressor(learner: Any) -> bool:
    """Whether the unfitted `learner` says that it predicts numbers."""
    from sklearn.base import is_regressor as says_so

    return _says(says_so, learner)


def _says(says_so: Callable[[Any], bool], learner: Any) -> bool:
    try:
        return bool(says_so(learner))
    except Exception:  # a learner that is no BaseEstimator says nothing
        return False


def seeded(learner: Any, state: int, y: NDArray[np.generic] | None = None) -> Any:
    """A clone of `learner` in which every open setting (`open_random_states`) is `state`, and fits take one thread.

    A learner that takes no classes but 0 … C-1 is given these, and answers with the classes (`learners.encoded`). A
    target encoder gets the folds that it would draw, with `state`: stratified where the labels `y` that it will see,
    of shape (n,), are classes, plain without them. Other settings stay. Several fits are made at the same time, and the
    sums of one thread are the same on any machine.
    """
    copy = cloned(learner)
    for _, part, setting in [*_open_parts(copy)]:
        value = _folds(part, state, y) if setting == "cv" else state
        if hasattr(part, "get_params"):
            part.set_params(**{setting: value})
        else:
            setattr(part, setting, value)
    copy.set_params(**dict.fromkeys(open_threads(copy), 1))
    return in_codes(copy, y)


def in_codes(learner: Any, y: NDArray[np.generic] | None) -> Any:
    """`learner`, or a learner around it where it takes no classes but 0 … C-1 and the labels `y`, (n,), are others."""
    from heldout.learners.encoded import Encoded, are_codes, takes_codes

    if y is None or y.ndim != 1 or are_codes(y) or not takes_codes(learner):
        return learner
    return Encoded(learner)


def _folds(encoder: Any, state: int, y: NDArray[np.generic] | None) -> Any:
    """The folds of a target encoder: those of `check_cv` for its `cv`, shuffled by `state`."""
    from sklearn.model_selection import KFold, StratifiedKFold
    from sklearn.utils.multiclass import type_of_target

    of_classes = y is not None and type_of_target(y) in ("binary", "multiclass")
    kind = StratifiedKFold if of_classes and encoder.target_type != "continuous" else KFold
    return kind(5 if encoder.cv is None else encoder.cv, shuffle=True, random_state=state)


def lacks_probabilities(loss: Loss, learner: Any) -> str:
    """What is wrong with a `learner` without probabilities, and the remedy."""
    if is_regressor(learner):
        return (
            f"the {loss.name} loss needs class probabilities, and it is a regressor; take a classifier, or, where the "
            "target holds numbers, a loss of numbers such as squared"
        )
    return (
        f"the {loss.name} loss needs class probabilities, and it has no predict_proba; put it into "
        "sklearn.calibration.CalibratedClassifierCV, or take another loss"
    )
