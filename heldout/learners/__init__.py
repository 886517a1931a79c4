"""A learner and one fit of it. Here: what an unfitted learner can do, its `random_state`, which the seed sets, and its
threads.
"""

from collections.abc import Callable
from typing import Any

from heldout.losses import Loss


def open_random_states(learner: Any) -> list[str]:
    """The name of every `random_state` that is None in `learner`, also in nested learners."""
    return [
        name
        for name, value in learner.get_params(deep=True).items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    ]


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


def seeded(learner: Any, state: int) -> Any:
    """A clone of `learner` in which every `random_state` that is None is `state`, and fits take one thread.

    Other settings stay. Several fits are made at the same time, and the sums of one thread are the same on any machine.
    """
    from sklearn.base import clone

    copy = clone(learner)
    threads = dict.fromkeys(open_threads(copy), 1)
    return copy.set_params(**dict.fromkeys(open_random_states(copy), state), **threads)


def lacks_probabilities(loss: Loss) -> str:
    """What is wrong with a learner without probabilities, and the remedy."""
    return (
        f"the {loss.name} loss needs class probabilities, and it has no predict_proba; put it into "
        "sklearn.calibration.CalibratedClassifierCV, or take another loss"
    )
