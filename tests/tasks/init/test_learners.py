"""The learners that init writes: boosting stays better than a constant answer where a class is rare."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from tasks.init import learners, profile


def boosting_for(table):
    *_, boosting = learners.families(profile.look(table, "label"))
    assert "boosting" == boosting.name
    return boosting.learner["params"]


def test_boosting_of_a_rare_class_errs_less_than_a_constant_answer():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 4))
    score = X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=len(X))
    y = np.where(score > np.quantile(score, 0.998), "rare", "often")
    train, test = slice(10_000), slice(10_000, None)
    params = boosting_for(pd.DataFrame(X[train], columns=list("abcd")).assign(label=y[train]))
    answers = HistGradientBoostingClassifier(**params).fit(X[train], y[train]).predict(X[test])
    assert np.mean(answers != y[test]) < np.mean(y[test] == "rare")


@pytest.mark.parametrize(("rarest", "penalty"), [(5, 1.0), (6, None)])
def test_only_a_class_below_a_hundredth_needs_the_penalty(rarest, penalty):
    rows = 600
    labels = ["rare"] * rarest + ["a", "b"] * ((rows - rarest) // 2) + ["a"] * (rarest % 2)
    found = profile.look(pd.DataFrame({"x": np.random.default_rng(0).normal(size=rows), "label": labels}), "label")
    assert penalty == learners.families(found)[-1].learner["params"].get("l2_regularization")
    numbers = replace(found, classes=())
    assert "l2_regularization" not in learners.families(numbers)[-1].learner["params"]
