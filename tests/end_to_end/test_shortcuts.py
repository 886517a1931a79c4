"""execution.shortcuts: auto and off give the same estimates, and the first makes fewer fits."""

import pandas as pd
import pytest

pytestmark = pytest.mark.long
LEARNERS = {
    "bayes": "naive_bayes.GaussianNB",
    "counts": "naive_bayes.MultinomialNB",
    "centroid": "neighbors.NearestCentroid",
    "least-squares": "linear_model.RidgeClassifier",
    "machine": "svm.SVC",  # fitted from shared distances
    "forest": "ensemble.RandomForestClassifier, params: {n_estimators: 3}, preprocess: auto",  # and from one tree
    "scaled": "linear_model.RidgeClassifier, preprocess: sklearn.preprocessing.StandardScaler",
    "preprocessed": "discriminant_analysis.LinearDiscriminantAnalysis, preprocess: auto",
    "tree": "tree.DecisionTreeClassifier, params: {random_state: 0, max_depth: 3}",  # without a shortcut
}
SMALL = [
    f"candidates=[{', '.join(f'{{name: {name}, estimator: sklearn.{path}}}' for name, path in LEARNERS.items())}]",
    *("data.labeled_rows=60", "covalidation.repeats=1", "progressive.block=5", "split.folds=loo"),
]


def estimates(checkout, shortcuts: str) -> pd.DataFrame:
    changes = [part for change in (*SMALL, f"execution.shortcuts={shortcuts}") for part in ("--set", change)]
    checkout.flow("validate", *changes)
    return pd.read_csv(checkout.path / "reports/estimates.csv", index_col=["candidate", "estimate"])


def test_both_give_the_same_estimates(clone):
    checkout = clone()
    off, auto = estimates(checkout, "off"), estimates(checkout, "auto")
    assert {*LEARNERS, "baseline"} == set(auto.index.get_level_values("candidate"))
    numbers = ["value", "low", "high"]
    pd.testing.assert_frame_equal(off[numbers], auto[numbers], rtol=1e-9, atol=1e-9)
    pd.testing.assert_frame_equal(off.drop(columns=numbers), auto.drop(columns=numbers))
