"""The runs whose numbers are kept: the changes of the parameters of `write_params`, and the table if there is one.

The learners have closed forms or grow trees, so that no solver's last digits are in the numbers.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

_BAYES = "sklearn.naive_bayes.GaussianNB"
_NEIGHBOURS = "sklearn.neighbors.KNeighborsClassifier"
_SGD = "sklearn.linear_model.SGDClassifier"
_TREE = "sklearn.tree.DecisionTreeClassifier"
_OF_NUMBERS = "sklearn.tree.DecisionTreeRegressor"
BAYES = {"name": "bayes", "estimator": _BAYES}
LDA = {"name": "lda", "estimator": "sklearn.discriminant_analysis.LinearDiscriminantAnalysis"}
RIDGE = {"name": "ridge", "estimator": "sklearn.linear_model.Ridge"}

# more than ten, so that they race: seven of them are far behind, whatever the partition is
ELEVEN = [
    *({"name": f"{k}-NN", "estimator": _NEIGHBOURS, "params": {"n_neighbors": k}} for k in (1, 3, 5)),
    {"name": "bayes", "estimator": _BAYES, "params": {"var_smoothing": 0.01}},
    *(
        {
            "name": f"coin {p}",
            "estimator": "sklearn.dummy.DummyClassifier",
            "params": {"strategy": "uniform", "random_state": p},
        }
        for p in range(7)
    ),
]
# candidates of each kind: closed, left open to the seed, and two families, one of them behind preprocessing
RICH = {
    "candidates": [
        BAYES,
        {"name": "tree", "estimator": _TREE, "params": {"max_features": 16}},
        {"name": "penalty", "estimator": _SGD, "family": {"parameter": "alpha", "values": [100.0, 1.0, 0.01]}},
        {
            "name": "epochs",
            "estimator": _SGD,
            "preprocess": "sklearn.preprocessing.StandardScaler",
            "family": {"parameter": "epochs", "values": [1, 2, 4]},
        },
    ],
    "further_estimates": ["E_auc", "E_balanced", "E_nested"],
    "intervals": {"E_val": "Clopper-Pearson"},
    "deliver": "k_fold",
    "report": {"columns": [["pixel_2_3", "pixel_2_4"]]},
}
OF_NUMBERS = {
    "data": {"source": "sklearn:diabetes", "positive": None, "labeled_rows": 61, "shards": 3},
    "candidates": [
        {**RIDGE, "family": {"parameter": "alpha", "values": [10.0, 1.0, 0.1]}},
        {"name": "tree", "estimator": _OF_NUMBERS, "params": {"max_features": 3}},
    ],
    "loss_max": 110_000,  # the target lies in [25, 346], and so do the answers of these learners, nearly
    "intervals": {"E_val": "betting", "E_cv": "corrected repeated t"},
    "selection": {"level": 0.8},
    "deliver": "progressive",
}
OF_THREE_CLASSES = {
    "data": {"source": "sklearn:iris", "positive": None, "labeled_rows": 31, "shards": 1},
    "split": {"folds": "loo", "test_fraction": 0},
    "intervals": {"E_cv": "corrected t", "E_prog": "Hoeffding"},
    "selection": {"criterion": "E_maxdt", "level": 0.8},
    "deliver": "vote",
}
BY_COST = {
    "data": {"source": "sklearn:iris", "positive": None, "labeled_rows": 60, "shards": 2},
    "split": {"folds": 5},
    "candidates": [BAYES, LDA],
    "loss": {"cost": {0: {1: 1, 2: 5}, 1: {0: 2, 2: 0.5}, 2: {0: 3, 1: 4}}},
    "selection": {"criterion": "E_maxdt"},
    "deliver": "vote",
}
BY_LOG = {
    **BY_COST,
    "loss": "log",
    "further_estimates": ["E_auc"],
    "selection": {"criterion": "E_auc", "rule": "indistinguishable"},
}
BY_BRIER = {
    **BY_COST,
    "loss": "brier",
    "selection": {"criterion": "max(E_cv, E_maxdt)"},
    "further_estimates": ["E_nested"],
}
BY_QUANTILE = {**OF_NUMBERS, "loss": {"pinball": 0.9}}
BY_RACE = {
    "data": {"labeled_rows": 300, "shards": 1},
    "candidates": ELEVEN,
    "deliver": "vote",
    "progressive": {"block": "auto"},
}
# a notebook and the commands give the same numbers for these: test_validate_equals_pipeline.py
OF_BOTH_DOORS: Mapping[str, dict[str, Any]] = {
    "two classes": RICH,
    "numbers": OF_NUMBERS,
    "three classes": OF_THREE_CLASSES,
    "costs": BY_COST,
    "log loss": BY_LOG,
    "Brier loss": BY_BRIER,
    "a quantile": BY_QUANTILE,
    "a race": BY_RACE,
}
_SEARCH = {
    "name": "tree",
    "estimator": _TREE,
    "params": {"random_state": 0},
    "search": {"draws": 4, "values": {"max_depth": [2, 4, 6], "min_samples_leaf": "loguniform(1, 30)"}},
}
_ANY_COLUMNS = [
    {**BAYES, "preprocess": "auto"},
    {"name": "neighbours", "estimator": _NEIGHBOURS, "preprocess": "auto"},
    {"name": "tree", "estimator": _TREE, "params": {"random_state": 0, "max_depth": 4}, "preprocess": "auto"},
]
_ANY_NUMBERS = [
    {**RIDGE, "preprocess": "auto"},
    {"name": "tree", "estimator": _OF_NUMBERS, "params": {"random_state": 0, "max_depth": 3}, "preprocess": "auto"},
]
_OWN = {"positive": None, "labeled_rows": None}
CONFIGURATIONS: Mapping[str, dict[str, Any]] = {
    **OF_BOTH_DOORS,
    "shipped": {},
    "groups": {"data": {**_OWN, "groups": "house"}, "candidates": _ANY_COLUMNS},
    "time": {"data": {**_OWN, "time": "day"}, "split": {"gap": 2, "folds": 4}, "candidates": _ANY_NUMBERS},
    "weights": {"data": {**_OWN, "weight": "weight"}, "candidates": [_ANY_COLUMNS[0], _ANY_COLUMNS[2]]},
    "a search": {
        "data": {"labeled_rows": 200},
        "candidates": [BAYES, *ELEVEN[:3], _SEARCH],
        "selection": {"finalists": 3},
    },
    "active sampling": {
        "data": {**_OWN, "sampling": "active", "label_probability": "label_probability"},
        "candidates": _ANY_COLUMNS,
        "selection": {"criterion": None},
    },
    "sealed": {"selection": {"open_test": False}},
    "opened": {"selection": {"open_test": False}},
    "customers": {"data": {**_OWN, "target": "left", "positive": "yes"}, "candidates": _ANY_COLUMNS},
    "prices": {"data": {**_OWN, "target": "price"}, "candidates": _ANY_NUMBERS, "loss": "absolute"},
    "wines": {"data": {**_OWN, "target": "kind", "labeled_rows": 90}, "loss": "balanced", "candidates": _ANY_COLUMNS},
}
OPENED = "opened"  # by `open-test`, after the validation
WITHOUT_CHANGES = "shipped"  # the parameters of the repository


def _in_houses(rng: np.random.Generator) -> pd.DataFrame:
    """Houses of one to twelve rows, each with a mean and a leaning of its own; 20 rows come twice."""
    house = rng.permutation(np.repeat(np.arange(30), rng.integers(1, 13, 30)))
    x = rng.normal(size=(len(house), 2)) + rng.normal(size=(30, 2))[house]
    sold = (x[:, 0] + rng.normal(size=30)[house] > 0).astype(int)
    table = pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "house": house, "target": sold})
    return pd.concat([table, table[:20]])


def _in_days(rng: np.random.Generator) -> pd.DataFrame:
    """Up to three rows a day, whose noise depends on that of the day before."""
    day = np.sort(rng.integers(0, 90, 180))
    noise = np.zeros(90)
    for place in range(1, 90):
        noise[place] = 0.6 * noise[place - 1] + rng.normal()
    a = rng.normal(size=len(day))
    days = (pd.Timestamp("2026-01-01") + pd.to_timedelta(day, unit="D")).strftime("%Y-%m-%d")
    return pd.DataFrame({"day": days, "a": a, "target": 3 * a + noise[day] + 0.02 * day})


def _weighted(rng: np.random.Generator) -> pd.DataFrame:
    """Weights that are large where the label is less sure."""
    x = rng.normal(size=(150, 3))
    weight = rng.choice([0.5, 1.0, 6.0], 150)
    label = x[:, 0] + 0.3 * weight * rng.normal(size=150) > 0
    return pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "weight": weight, "target": label.astype(int)})


def _asked(rng: np.random.Generator) -> pd.DataFrame:
    """100 rows drawn at random, and 30 that were asked for with a probability each, the more near the border."""
    x = rng.normal(size=(130, 2))
    label = np.where(x[:, 0] + 0.4 * rng.normal(size=130) > 0, "won", "lost")
    asked, left = np.arange(130) >= 100, 200 - np.arange(-100, 30)
    probability = np.where(asked, (0.3 + 0.7 * np.exp(-np.abs(x[:, 0]))) / left, np.nan)
    table = pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "target": label, "label_probability": probability})
    names = [f"pool:{place}" if one else None for place, one in enumerate(asked)]
    order = np.where(asked, np.arange(130) - 99, np.nan)
    return table.assign(label_pool=np.where(asked, left, np.nan), label_order=order, label_id=names)


def _customers(rng: np.random.Generator) -> pd.DataFrame:
    """Strings, dates, gaps, a column that is nearly empty, and one customer in four that left."""
    n = 240
    months, plan = rng.integers(1, 60, n), rng.choice(["basic", "family", "office"], n, p=[0.6, 0.3, 0.1])
    since = (pd.Timestamp("2026-06-01") - pd.to_timedelta(months * 30, unit="D")).strftime("%Y-%m-%d")
    paid = np.where(rng.random(n) < 0.1, np.nan, rng.lognormal(3, 0.6, n).round(2))
    leaves = rng.random(n) < 1 / (1 + np.exp(0.05 * months - 0.5 + (plan == "office")))
    table = pd.DataFrame({"id": [f"c{place:04}" for place in range(n)], "since": since, "plan": plan, "paid": paid})
    return table.assign(note=np.where(rng.random(n) < 0.05, "called", None), left=np.where(leaves, "yes", "no"))


def _prices(rng: np.random.Generator) -> pd.DataFrame:
    """Skewed numbers of few distinct rows, with copies."""
    rooms, street = rng.integers(1, 6, 120), rng.choice(["north", "south", "west"], 120)
    price = (np.exp(0.4 * rooms + 0.3 * (street == "west") + 0.5 * rng.normal(size=120)) * 40).round(1)
    table = pd.DataFrame({"rooms": rooms, "street": street, "age": rng.integers(0, 4, 120), "price": price})
    return pd.concat([table, table[:15]])


def _wines(rng: np.random.Generator) -> pd.DataFrame:
    """Three kinds of unequal size, whose labels are hidden for most rows."""
    kind = rng.choice(3, 300, p=[0.6, 0.3, 0.1])
    x = rng.normal(size=(300, 4)) + np.array([[0, 0, 0, 0], [1.5, 0, 0, 0], [0, 2.0, 1.0, 0]])[kind]
    table = pd.DataFrame(x.round(3), columns=["acid", "sugar", "colour", "ash"])
    return table.assign(kind=np.array(["red", "white", "rose"])[kind])


TABLES: Mapping[str, Callable[[np.random.Generator], pd.DataFrame]] = {
    "groups": _in_houses,
    "time": _in_days,
    "weights": _weighted,
    "active sampling": _asked,
    "customers": _customers,
    "prices": _prices,
    "wines": _wines,
}
