"""What each rule of selection takes, among some learners or numbers of terms, from the labelled rows alone; its regret.

The regret is the true error of the taken candidate, trained on all labelled rows, less the least of all candidates.
"""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import log_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.estimates import e_nested, estimate_winner
from studies.picked import Rows
from studies.real_sets import RealSet
from studies.study import LEVEL

UNLABELED, HALVINGS = 300, 8  # rows for the disagreement, and pairs of half models
CANDIDATES = {
    "naive-bayes": GaussianNB(),
    "ridge-1000": RidgeClassifier(1000.0),
    "ridge-30": RidgeClassifier(30.0),
    "ridge-1": RidgeClassifier(1.0),
    "shallow-tree": DecisionTreeClassifier(max_depth=3, random_state=0),
    "15-nearest": KNeighborsClassifier(15),
    "5-nearest": KNeighborsClassifier(5),
    "rbf-svm": SVC(C=10.0),
}
TERMS, WEAK = (1, 2, 4, 8, 16), 1e3  # numbers of terms; C, since separated classes have no likeliest weights
DEFAULT = "minimum"
RULES = {  # of the shipped criterion, or another
    DEFAULT: ("E_cv", "minimum"),
    "one-standard-error": ("E_cv", "one_standard_error"),
    "indistinguishable": ("E_cv", "indistinguishable"),
    "max-cv-maxdt": ("max(E_cv, E_maxdt)", "minimum"),
    "maxdt": ("E_maxdt", "minimum"),
    "hold-out": ("E_val", "minimum"),
}
# the comparison of all pairs takes its variances from the rows, with the factor for hypotheses that share training rows
NO_FURTHER_FITS: dict[str, Any] = {"intervals": {"E_cv": "Bayle within folds"}, "progress": False, "level": LEVEL}


class FirstTerms(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A logistic regression on the first columns: likeliest weights, but for a penalty that keeps them finite."""

    def __init__(self, terms: int) -> None:
        self.terms = terms

    def fit(self, X: Any, y: Any) -> Any:
        model = LogisticRegression(C=WEAK, solver="newton-cholesky", max_iter=300)
        self.model_ = model.fit(X[:, : self.terms], y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: Any) -> Any:
        return self.model_.predict(X[:, : self.terms])

    def deviance(self, X: Any, y: Any) -> float:
        """Minus two times the log likelihood of the labels."""
        shares = self.model_.predict_proba(X[:, : self.terms])
        return 2 * float(log_loss(y, shares, normalize=False, labels=self.classes_))

    @property
    def weights(self) -> int:
        """How many weights were fitted."""
        return (self.terms + 1) * (len(self.classes_) - 1)


def among_learners(known: RealSet, rows: Rows, rest: Rows, seed: int) -> dict[str, float]:
    """The regret of each rule among the learners."""
    estimates = ["E_val", "E_cv", "E_maxdt", "E_bbc", "E_nested"]
    X, y, unlabeled = known.X[rows], known.y[rows], known.X[rest[:UNLABELED]]
    settings = {**NO_FURTHER_FITS, "repeats": HALVINGS, "seed": seed}
    validation = heldout.validate(CANDIDATES, X, y, unlabeled=unlabeled, estimates=estimates, **settings)
    chosen = {rule: validation.select(*by) for rule, by in RULES.items()}
    taken = {rule: selection.selected for rule, selection in chosen.items()}
    design, evidence = validation.design, validation.evidence
    repeatable = ("minimum", "one-standard-error")
    corrected = {rule: estimate_winner(design, evidence, chosen[rule])[0].value for rule in repeatable}
    taken["corrected-winner"] = taken[min(corrected, key=corrected.__getitem__)]
    inner = np.bincount(e_nested.winners(design, evidence), minlength=len(CANDIDATES))
    taken["nested"] = list(CANDIDATES)[int(inner.argmax())]
    true = {name: known.error(clone(learner).fit(X, y), rest) for name, learner in CANDIDATES.items()}
    return {rule: true[name] - min(true.values()) for rule, name in taken.items()}


def among_terms(known: RealSet, rows: Rows, rest: Rows, seed: int) -> dict[str, float]:
    """The regret of each rule among numbers of terms."""
    candidates = {str(terms): FirstTerms(terms) for terms in TERMS}
    Z, y = known.directions, known.y
    estimates = ["E_val", "E_cv"]
    validation = heldout.validate(candidates, Z[rows], y[rows], estimates=estimates, seed=seed, **NO_FURTHER_FITS)
    taken = {rule: validation.select(*RULES[rule]).selected for rule in (DEFAULT, "one-standard-error", "hold-out")}
    hypotheses = {name: clone(learner).fit(Z[rows], y[rows]) for name, learner in candidates.items()}
    for rule, price in {"aic": 2.0, "bic": float(np.log(len(rows)))}.items():
        priced = {name: g.deviance(Z[rows], y[rows]) + price * g.weights for name, g in hypotheses.items()}
        taken[rule] = min(priced, key=priced.__getitem__)
    true = {name: float((g.predict(Z[rest]) != y[rest]).mean()) for name, g in hypotheses.items()}
    return {rule: true[name] - min(true.values()) for rule, name in taken.items()}
