"""Wilson's interval of all held-out answers of k folds, each counted as three fifths of a row: no further fit.

Target: the true error of the k-fold hypothesis.
Kind: asymptotic, a heuristic correction (docs/decisions/0008); too narrow for leave-one-out of a learner that follows
the training shares of the classes alone (METHOD, section 3).
Source: E. B. Wilson (1927) for the roots; P. Bayle, A. Bayle, L. Janson, L. Mackey, Cross-validation confidence
intervals for test error (NeurIPS 2020) for the variance s^2 / N of stable learners; Nadeau, Bengio (Machine Learning
52, 2003) for its correction.

Hypotheses that share training rows make losses of different folds dependent: hardly for a stable learner, whose E_cv
has the variance s^2 / N; with a correlation of fold errors of 1/k it is 1 + k / (k - 1) times that, 2 or more. What k
fold errors show of the factor has k - 1 degrees of freedom, and costs more width than the factor does. With V = 5/3
s^2 / N the interval covered in the study of stable and unstable learners, 2 folds, 10, and N. So 3/5 N rows are in
Wilson's roots.
"""

from heldout.intervals.method import IntervalMethod, two_sided_normal
from heldout.intervals.wilson import roots_at
from heldout.losses.tested_losses import CrossValidated

FACTOR = 5 / 3  # of s^2 / N
COVERS = {"E_cv": "independent examples; the folds' shared training rows make the variance 5/3 of that of N losses"}


def bounds(observed: CrossValidated, level: float) -> tuple[float, float]:
    """Wilson's roots at 3/5 N rows."""
    return roots_at(observed.error, observed.n / FACTOR, two_sided_normal(level))


METHOD = IntervalMethod(
    name="pooled Wilson",
    covers=COVERS,
    losses="0/1",
    validity="asymptotic",
    bounds=bounds,
    least_folds=2,
    least=4,
    keeps_width=True,
)
