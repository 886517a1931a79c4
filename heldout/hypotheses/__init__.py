"""The targets of E_cv and E_prog as scikit-learn estimators, fit to be saved and served.

Blum, Kalai, Langford, Beating the Hold-Out (COLT 1999): a randomized hypothesis answers each query with one
of its members, drawn at random, so that its true error is exactly the mean of theirs. Loads scikit-learn.
"""

from heldout.hypotheses.drawn import EXPECTED_FAILED_CHECKS
from heldout.hypotheses.k_fold import KFoldHypothesis
from heldout.hypotheses.progressive import ProgressiveHypothesis

__all__ = ["EXPECTED_FAILED_CHECKS", "KFoldHypothesis", "ProgressiveHypothesis"]
