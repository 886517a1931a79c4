"""A learner and one fit of it. Here: what an unfitted learner can do, where it would draw by itself, which the seed
decides, and its threads.
"""

from collections.abc import Callable, Iterator
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heldout.losses import Loss

_STATE = "random_state"
_MANY = (dict, list, tuple)


def open_random_states(learner: Any) -> list[str]:
    """The name of every setting by which `learner` would draw otherwise in each fit.

    Each `random_state` that is None: of the learner, of learners inside it (also in lists and mappings, such as the
    grid of a search), and of a splitter that shuffles. And the `cv` of a TargetEncoder that is a number: it shuffles,
    and its own `random_state` is deprecated since scikit-learn 1.9.
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
            if settings.get(_STATE, 0) is None:
                yield name, value, _STATE
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


def _draws_folds(part: Any, settings: dict[str, Any]) -> bool:
    """Whether it is a target encoder that shuffles its rows into folds by numpy's global generator."""
    kinds = [kind.__module__.partition(".")[0] for kind in type(part).__mro__ if kind.__name__ == "TargetEncoder"]
    if "sklearn" not in kinds:
        return False
    own = settings.get("shuffle") is not False and settings.get(_STATE, "deprecated") == "deprecated"
    return own and "cv" in settings and (settings["cv"] is None or isinstance(settings["cv"], Integral))


def open_threads(learner: Any) -> list[str]:
    """The name of every `n_jobs` that is None in `learner`, also in nested learners, and stands for every core.

    For LightGBM and XGBoost it does; for scikit-learn None is one.
    """
    settings = learner.get_params(deep=True)
    owners = {"n_jobs": learner, **{f"{name}__n_jobs": part for name, part in settings.items()}}
    return [
        name
        for name, owner in owners.items()
        if name in settings and settings[name] is None and not type(owner).__module__.startswith("sklearn.")
    ]


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

    A target encoder gets the folds that it would draw, with `state`: stratified where the labels `y` that it will see,
    of shape (n,), are classes, plain without them. Other settings stay. Several fits are made at the same time, and the
    sums of one thread are the same on any machine.
    """
    from sklearn.base import clone

    copy = clone(learner)
    for _, part, setting in [*_open_parts(copy)]:
        value = _folds(part, state, y) if setting == "cv" else state
        if hasattr(part, "get_params"):
            part.set_params(**{setting: value})
        else:
            setattr(part, setting, value)
    return copy.set_params(**dict.fromkeys(open_threads(copy), 1))


def _folds(encoder: Any, state: int, y: NDArray[np.generic] | None) -> Any:
    """The folds of a target encoder: those of `check_cv` for its `cv`, shuffled by `state`."""
    from sklearn.model_selection import KFold, StratifiedKFold
    from sklearn.utils.multiclass import type_of_target

    of_classes = y is not None and type_of_target(y) in ("binary", "multiclass")
    kind = StratifiedKFold if of_classes and encoder.target_type != "continuous" else KFold
    return kind(5 if encoder.cv is None else encoder.cv, shuffle=True, random_state=state)


def lacks_probabilities(loss: Loss) -> str:
    """What is wrong with a learner without probabilities, and the remedy."""
    return (
        f"the {loss.name} loss needs class probabilities, and it has no predict_proba; put it into "
        "sklearn.calibration.CalibratedClassifierCV, or take another loss"
    )
