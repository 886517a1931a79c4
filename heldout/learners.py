"""A learner's open randomness, closed by the seed."""

from typing import Any


def open_random_states(learner: Any) -> list[str]:
    """The names of every `random_state` that `learner` leaves open (None), nested ones too."""
    return [
        name
        for name, value in learner.get_params(deep=True).items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    ]


def seeded(learner: Any, state: int) -> Any:
    """A clone of `learner` with every open `random_state` set to `state`; written ones stay."""
    from sklearn.base import clone

    closed = clone(learner)
    return closed.set_params(**dict.fromkeys(open_random_states(closed), state))
