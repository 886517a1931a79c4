"""Every estimate of some learners with the libraries that run this file, as JSON, for test_declared_range.py."""

import json

from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import heldout

CLASSIFIERS = {
    "lda": LinearDiscriminantAnalysis(solver="lsqr"),  # "svd" divides by another number since scikit-learn 1.9.1
    "bayes": GaussianNB(),
    "neighbours": KNeighborsClassifier(),
    "tree": DecisionTreeClassifier(),
    "svm": make_pipeline(StandardScaler(), SVC()),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
}
REGRESSORS = {"ridge": Ridge(), "neighbours": KNeighborsRegressor(), "tree": DecisionTreeRegressor(max_depth=3)}
ON_REQUEST = ["E_auc", "E_ap", "E_f1", "E_balanced"]


def numbers(shown: heldout.Validation) -> dict[str, list[float]]:
    """The value of each estimate of each candidate, and of the differences; with the ends of an interval, if any."""
    found = {f"{name} {estimate}": of for name in shown for estimate, of in shown[name].items()}
    ends = {what: [of.value, of.low, of.high] for what, of in found.items()}
    pairs = {f"{one.candidate} - {one.against}": [one.difference, one.low, one.high] for one in shown.differences()}
    return {what: [end for end in of if end is not None] for what, of in {**ends, **pairs}.items()}


def main() -> None:
    """Print them."""
    X, y = load_breast_cancer(return_X_y=True)
    shown = heldout.validate(
        CLASSIFIERS, X[:300], y[:300], unlabeled=X[300:], further_estimates=ON_REQUEST, seed=0, progress=False
    )
    X, y = load_diabetes(return_X_y=True)
    other = heldout.validate(REGRESSORS, X[:200], y[:200], unlabeled=X[200:], seed=0, progress=False)
    print(json.dumps({"classes": numbers(shown), "numbers": numbers(other)}))


if __name__ == "__main__":
    main()
