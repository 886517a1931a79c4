"""Clones of unfitted learners, also of those that scikit-learn's `clone` refuses."""

from typing import Any


def cloned(learner: Any) -> Any:
    """An unfitted learner with the same settings, as scikit-learn's `clone` makes it; also of a learner whose
    constructor copies a setting, as CatBoost does with `cat_features`, and that `clone` refuses.
    """
    from sklearn.base import clone

    try:
        return clone(learner, safe=False)
    except RuntimeError:
        if isinstance(learner, list | tuple):
            return type(learner)(map(cloned, learner))
        if not hasattr(learner, "get_params"):
            raise
        settings = learner.get_params(deep=False)
        copy = type(learner)(**{name: cloned(value) for name, value in settings.items()})
        made = copy.get_params(deep=False)
        if {name: str(made[name]) for name in made} != {name: str(value) for name, value in settings.items()}:
            raise  # it has lost or changed one
        return copy
