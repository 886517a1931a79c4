"""A learner with CatBoost's conventions, which is not installed here: column answers, a copied list, a hidden seed."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier


class Columns(ClassifierMixin, BaseEstimator):
    """A tree on drawn rows; of three classes it answers one column, of shape (n, 1), as CatBoost 1.2.10 does."""

    def __init__(self, depth=None, cat_features=None, random_seed=None, random_state=None, thread_count=None):
        if random_seed is not None and random_state is not None:
            raise ValueError("only one of the parameters random_seed, random_state should be initialized.")
        given = {"depth": depth, "random_seed": random_seed, "random_state": random_state, "thread_count": thread_count}
        self.given = {name: value for name, value in given.items() if value is not None}
        if cat_features is not None:
            self.given["cat_features"] = [*cat_features]  # which scikit-learn's clone refuses

    def get_params(self, deep=True):
        return {**self.given}

    def set_params(self, **params):
        self.given.update(params)
        return self

    def fit(self, X, y):
        rows = np.random.default_rng(self.given.get("random_seed", 0)).integers(len(y), size=len(y))
        self.tree_ = DecisionTreeClassifier(max_depth=self.given.get("depth", 3), random_state=0)
        self.tree_.fit(np.asarray(X)[rows], np.asarray(y)[rows])
        self.classes_ = self.tree_.classes_
        return self

    def predict(self, X):
        said = self.tree_.predict(np.asarray(X))
        return said if len(self.classes_) == 2 else said[:, None]

    def predict_proba(self, X):
        return self.tree_.predict_proba(np.asarray(X))
