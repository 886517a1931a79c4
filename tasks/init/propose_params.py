"""The params.yaml for a profiled table: rows and fits that a budget allows, and learners for its columns and target."""

from collections.abc import Mapping
from typing import Any

from heldout.parts.partition import part_size
from tasks.init import describe
from tasks.init.edit_params import Commented, CommentedItems, KeyPath, plain
from tasks.init.profile import Profile
from tasks.plans import budget
from tasks.plans.budget import TESTED_FRACTION, VALIDATION_FRACTION, Choice, TableSize

BUDGET_MINUTES = 5
_TEST_FRACTION = 0.2
_FEWER_FOLDS = 5
_CLASSES_STRATIFIED = 2  # by split.stratify: null
_SHARDS = 4
# boosting grows a tree for each class and step, on all columns: beyond these it has fewer steps, and a forest stands by
_MOST_CLASSES_TO_BOOST, _MOST_COLUMNS_TO_BOOST, _FEWER_TREES = 3, 200, 30
_MOST_ROWS_OF_NEIGHBOURS = 20_000  # labelled or not: each is compared with all training rows


def decide(profile: Profile, source: str, unlabeled: str | None, choice: Choice | None = None) -> dict[KeyPath, Any]:
    """The values of params.yaml that depend on the table; all others stay as they are.

    `choice` has the rows and fits that a budget allows; None takes all rows and the most fits.
    """
    test = part_size(profile.labeled, _TEST_FRACTION, "test_fraction")
    together = profile.proposed.get("duplicates")
    dependent = any(one is not None for one in (profile.time, profile.groups, together))
    table = TableSize(profile.labeled - test, test, profile.rows - profile.labeled, dependent=dependent)
    choice = budget.richest(table) if choice is None else choice
    planned = budget.values(choice, dependent=table.dependent, binary=bool(profile.classes))
    hidden = table.unlabeled + choice.labeled - choice.rows
    folds, stratify = _folds(profile, choice.rows, planned["split.folds"])
    return {
        ("data", "source"): source,
        ("data", "target"): Commented(profile.target, describe.task(profile)),
        ("data", "positive"): None,
        ("data", "drop"): CommentedItems([(column.column, column.why) for column in profile.dropped]),
        ("data", "known_after"): [],
        ("data", "missing"): list(profile.missing) or None,
        ("data", "columns"): Commented({**profile.read_as} or None, f"found: {describe.kinds(profile)}"),
        ("data", "groups"): Commented(profile.groups, profile.proposed.get("groups", "")),
        ("data", "time"): Commented(profile.time, profile.proposed.get("time", "")),
        ("data", "weight"): None,
        ("data", "labeled_rows"): None,
        ("data", "unlabeled"): unlabeled,
        ("data", "shards"): min(_SHARDS, hidden) or _SHARDS,
        ("data", "sampling"): "iid",
        ("data", "label_probability"): None,
        ("split", "test_fraction"): _TEST_FRACTION,
        ("split", "validation_fraction"): VALIDATION_FRACTION,
        ("split", "folds"): folds,
        ("split", "rows"): planned["split.rows"],
        ("split", "stratify"): stratify,
        ("split", "gap"): 0,
        ("split", "duplicates"): Commented("keep_together", together) if together else "allow",
        ("split", "repeats"): 1,
        ("progressive", "tested_fraction"): TESTED_FRACTION,
        ("progressive", "block"): planned["progressive.block"],
        ("covalidation", "repeats"): planned["covalidation.repeats"],
        ("candidates",): _candidates(profile, table.labeled + table.unlabeled),
        ("selection", "criterion"): "E_cv",
        ("selection", "rule"): "minimum",
        ("selection", "race"): "auto",
        ("selection", "nested"): False,
        ("selection", "open_test"): False,
        ("selection", "reopen_test"): False,
        ("loss",): Commented(None, profile.proposed.get("loss", "")),
        ("loss_max",): None,
        ("intervals",): planned["intervals"],
        ("further_estimates",): [],
        ("deliver",): "final",
    }


def _folds(profile: Profile, rows: int, most: int) -> tuple[int, bool | None]:
    """The number of folds, and split.stratify: false if one of two classes has too few rows for every fold."""
    if len(profile.classes) != _CLASSES_STRATIFIED:
        return max(2, min(most, rows)), None
    smallest = int(min(count for _, count in profile.classes) * rows / profile.labeled)
    for folds in (most, _FEWER_FOLDS):
        if smallest >= folds and VALIDATION_FRACTION * rows >= _CLASSES_STRATIFIED:
            return folds, None
    return max(2, min(most, rows)), False


def _candidates(profile: Profile, rows: int) -> list[dict[str, Any]]:
    """Three to six learners, from simple to complex; the last is boosting, which takes columns of any kind."""
    kinds = set(profile.kinds.values())
    if "text" in kinds:
        others = _of_text(bool(profile.classes), only_text=kinds == {"text"})
    else:
        others = _of_columns(profile, neighbours=rows <= _MOST_ROWS_OF_NEIGHBOURS)
    return [*others, _boosting(profile)]


def _boosting(profile: Profile) -> dict[str, Any]:
    fewer = {"max_iter": _FEWER_TREES} if _costs_much_to_boost(profile) else {}
    kind = "Classifier" if profile.classes else "Regressor"
    return _learner("boosting", f"ensemble.HistGradientBoosting{kind}", **fewer, random_state=0)


def _costs_much_to_boost(profile: Profile) -> bool:
    return len(profile.kinds) > _MOST_COLUMNS_TO_BOOST or len(profile.classes) > _MOST_CLASSES_TO_BOOST


def _of_columns(profile: Profile, *, neighbours: bool) -> list[dict[str, Any]]:
    forest = {"n_estimators": 100, "max_features": "sqrt", "random_state": 0}
    forests = _costs_much_to_boost(profile)  # a forest grows one tree for all classes, on the root of the columns
    if not profile.classes:
        return [
            _learner("ridge", "linear_model.Ridge"),
            *([_learner("nearest-neighbours", "neighbors.KNeighborsRegressor", n_neighbors=10)] if neighbours else []),
            _learner("tree", "tree.DecisionTreeRegressor", max_depth=6, random_state=0),
            *([_learner("forest", "ensemble.RandomForestRegressor", **forest)] if forests else []),
        ]
    counted = sum(kind in ("category", "boolean") for kind in profile.kinds.values())
    bayes = "naive_bayes.BernoulliNB" if 2 * counted >= len(profile.kinds) else "naive_bayes.GaussianNB"
    return [
        _learner("naive-bayes", bayes),
        _learner("logistic", "linear_model.LogisticRegression", C=1.0, max_iter=1000),
        *([_learner("nearest-neighbours", "neighbors.KNeighborsClassifier", n_neighbors=5)] if neighbours else []),
        _learner("tree", "tree.DecisionTreeClassifier", max_depth=6, random_state=0),
        *([_learner("forest", "ensemble.RandomForestClassifier", **forest)] if forests else []),
    ]


def _of_text(classes: bool, *, only_text: bool) -> list[dict[str, Any]]:
    if not classes:
        return [
            _learner("ridge", "linear_model.Ridge", alpha=10.0),
            _learner("weak-ridge", "linear_model.Ridge", alpha=1.0),
            _learner("nearest-neighbours", "neighbors.KNeighborsRegressor", n_neighbors=10),
        ]
    return [
        # ComplementNB needs counts that are not negative: words are counts, scaled numbers are not
        _learner("naive-bayes", "naive_bayes.ComplementNB" if only_text else "naive_bayes.BernoulliNB"),
        _learner("logistic", "linear_model.LogisticRegression", C=1.0, max_iter=1000),
        _learner("linear-svm", "svm.LinearSVC", C=1.0, random_state=0),
    ]


def _learner(name: str, path: str, **params: Any) -> dict[str, Any]:
    learner: dict[str, Any] = {
        "name": name,
        "estimator": f"sklearn.{path}",
        "preprocess": "auto",
    }
    return {**learner, "params": params} if params else learner


def named(values: Mapping[KeyPath, Any], template: Mapping[str, Any]) -> dict[KeyPath, Any]:
    """`values` without the nulls for keys that `template` does not name."""
    known = {(key,) for key in template} | {
        (key, inner) for key, section in template.items() if isinstance(section, dict) for inner in section
    }
    return {path: value for path, value in values.items() if path in known or plain(value) is not None}
