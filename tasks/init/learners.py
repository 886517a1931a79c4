"""The learners that fit a table's columns and target, from simple to complex, and which parameters to search.

Boosting is always among them: on a table of flights with one column of tail numbers linear learners alone had an error
of 8.6 %, boosting 3.8 %.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tasks.init.profile import Profile

# boosting grows a tree for each class and step, on all columns: beyond these it has fewer steps, and a forest stands by
_MOST_CLASSES_TO_BOOST, _MOST_COLUMNS_TO_BOOST, _FEWER_TREES = 3, 200, 30
# a leaf's first step towards a class of share p is up to 1/p, if no penalty holds it back. For the country of a city,
# one of 100, boosting on 2000 cities erred 78 %, with the penalty 11 %; on 26,000 cities 32 and 2.5 %
_RAREST_TO_BOOST, _PENALTY = 0.01, 1.0
_MOST_ROWS_OF_NEIGHBOURS = 20_000  # labelled or not: each is compared with all training rows
# from so many rows on scikit-learn's boosting stops early by default, and a half of so few rows may have one of them
_ROWS_OF_EARLY_STOPPING, _FEW_OF_A_CLASS = 10_000, 20
_MOST_ROWS_OF_KERNELS = 6_000  # a fit takes time by the square of the rows, or more
Values = Mapping[str, list[Any] | str]


@dataclass(frozen=True)
class Family:
    """A learner as params.yaml has it, and the parameters of which further candidates are drawn.

    `draws` are the most of them. `always`: it is a candidate without any search too.
    """

    learner: Mapping[str, Any]
    values: Values | None = None
    draws: int = 0
    always: bool = True

    @property
    def name(self) -> str:
        """The name of the candidate."""
        return str(self.learner["name"])


def families(profile: Profile) -> list[Family]:
    """Those for a profiled table; the last is boosting, which takes columns of any kind."""
    kinds = set(profile.kinds.values())
    if "text" in kinds:
        others = _of_text(bool(profile.classes), only_text=kinds == {"text"})
        return [*others, _boosting(profile, searched=False)]
    return [*_of_columns(profile), _boosting(profile, searched=True)]


def _boosting(profile: Profile, *, searched: bool) -> Family:
    fewer: dict[str, Any] = {"max_iter": _FEWER_TREES} if _costs_much_to_boost(profile) else {}
    if min((count for _, count in profile.classes), default=profile.labeled) < _RAREST_TO_BOOST * profile.labeled:
        fewer["l2_regularization"] = _PENALTY
    if _may_not_stop_early(profile):
        fewer["early_stopping"] = False
    learner = _learner("boosting", _path(profile, "ensemble.HistGradientBoosting"), **fewer, random_state=0)
    if not searched:
        return Family(learner)
    slower = {} if "max_iter" in fewer else {"max_iter": [100, 200, 300]}
    values: Values = {"learning_rate": "loguniform(0.03, 0.3)", "max_leaf_nodes": [7, 15, 31], **slower}
    return Family(learner, values, 10 if slower else 4)


def _may_not_stop_early(profile: Profile) -> bool:
    """Whether boosting would hold rows out by class where some training part may have a single row of one."""
    many = profile.labeled > _ROWS_OF_EARLY_STOPPING
    return many and min((count for _, count in profile.classes), default=_FEW_OF_A_CLASS) < _FEW_OF_A_CLASS


def _costs_much_to_boost(profile: Profile) -> bool:
    return len(profile.kinds) > _MOST_COLUMNS_TO_BOOST or len(profile.classes) > _MOST_CLASSES_TO_BOOST


def _of_columns(profile: Profile) -> Iterator[Family]:
    if profile.classes:
        counted = sum(kind in ("category", "boolean") for kind in profile.kinds.values())
        bayes = "naive_bayes.BernoulliNB" if 2 * counted >= len(profile.kinds) else "naive_bayes.GaussianNB"
        yield Family(_learner("naive-bayes", bayes))
        logistic = _learner("logistic", "linear_model.LogisticRegression", C=1.0, max_iter=1000)
        yield Family(logistic, {"C": "loguniform(0.01, 100)"}, 3)
    else:
        yield Family(_learner("ridge", "linear_model.Ridge"), {"alpha": "loguniform(0.1, 1000)"}, 3)
    if profile.rows <= _MOST_ROWS_OF_NEIGHBOURS:
        neighbours = _path(profile, "neighbors.KNeighbors")
        values: Values = {"n_neighbors": "loguniform(1, 40)", "weights": ["uniform", "distance"]}
        few = 5 if profile.classes else 10
        yield Family(_learner("nearest-neighbours", neighbours, n_neighbors=few), values, 4)
    yield Family(_learner("tree", _path(profile, "tree.DecisionTree"), max_depth=6, random_state=0))
    if profile.classes and profile.labeled <= _MOST_ROWS_OF_KERNELS:
        yield Family(_learner("rbf-svm", "svm.SVC", C=1.0), {"C": "loguniform(0.3, 100)"}, 4, always=False)
    trees = {"n_estimators": 100, "max_features": "sqrt", "random_state": 0}
    shapes: Values = {"max_features": ["sqrt", 0.3, 0.6], "min_samples_leaf": [1, 2, 4]}
    stands_by = _costs_much_to_boost(profile)  # a forest grows one tree for all classes, on the root of the columns
    yield Family(_learner("forest", _path(profile, "ensemble.RandomForest"), **trees), shapes, 4, always=stands_by)
    yield Family(_learner("extra-trees", _path(profile, "ensemble.ExtraTrees"), **trees), shapes, 4, always=False)


def _of_text(classes: bool, *, only_text: bool) -> Iterator[Family]:
    if not classes:
        yield Family(_learner("ridge", "linear_model.Ridge", alpha=10.0), {"alpha": "loguniform(0.1, 100)"}, 4)
        yield Family(_learner("weak-ridge", "linear_model.Ridge", alpha=1.0))
        yield Family(_learner("nearest-neighbours", "neighbors.KNeighborsRegressor", n_neighbors=10))
        return
    # ComplementNB needs counts that are not negative: words are counts, scaled numbers are not
    bayes = "naive_bayes.ComplementNB" if only_text else "naive_bayes.BernoulliNB"
    yield Family(_learner("naive-bayes", bayes), {"alpha": "loguniform(0.01, 1)"}, 3)
    logistic = _learner("logistic", "linear_model.LogisticRegression", C=1.0, max_iter=1000)
    yield Family(logistic, {"C": "loguniform(0.3, 100)"}, 4)
    svm = _learner("linear-svm", "svm.LinearSVC", C=1.0, random_state=0)
    yield Family(svm, {"C": "loguniform(0.05, 10)"}, 4)


def _path(profile: Profile, stem: str) -> str:
    return f"{stem}{'Classifier' if profile.classes else 'Regressor'}"


def _learner(name: str, path: str, **params: Any) -> dict[str, Any]:
    learner: dict[str, Any] = {"name": name, "estimator": f"sklearn.{path}", "preprocess": "auto"}
    return {**learner, "params": params} if params else learner
