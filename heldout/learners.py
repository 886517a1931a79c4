"""A learner's open randomness, closed by the seed."""

from typing import Any


def open_random_states(learner: Any) -> list[str]:
    """The names of every `random_state` that `learner` leaves open (None), nested ones too."""
    return [
        name
        for name, value in learner.get_params(deep=True).items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    ]


def gives_probabilities(learner: Any) -> bool:
    """Whether the unfitted `learner` will have `predict_proba` once it is fitted.

    A method that exists under a condition (`available_if`) is asked of the learner as it stands. Meta-estimators
    may answer no before `fit` for want of what `fit` makes, so they are judged by the learner that they pass the
    question to: the last step of a pipeline, `estimator`, and `final_estimator`, which stacking fills with a
    logistic regression where it is None.
    """
    if hasattr(learner, "predict_proba"):
        return True
    if not hasattr(type(learner), "predict_proba"):
        return False
    if hasattr(learner, "steps"):
        return gives_probabilities(learner.steps[-1][1])
    own = learner.get_params(deep=False)
    if "final_estimator" in own:
        return own["final_estimator"] is None or gives_probabilities(own["final_estimator"])
    inner = own.get("estimator")
    return inner is not None and gives_probabilities(inner)


def seeded(learner: Any, state: int) -> Any:
    """A clone of `learner` with every open `random_state` set to `state`; written ones stay."""
    from sklearn.base import clone

    closed = clone(learner)
    return closed.set_params(**dict.fromkeys(open_random_states(closed), state))
