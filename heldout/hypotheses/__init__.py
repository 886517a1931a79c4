"""The targets of E_cv and E_prog as scikit-learn estimators, which can be saved and served. Loads scikit-learn.

Blum, Kalai, Langford, Beating the Hold-Out (COLT 1999): a randomized hypothesis answers each query with a
randomly drawn member, so that its true error is exactly the mean of the members' true errors.
"""

from heldout.hypotheses.drawn import EXPECTED_FAILED_CHECKS
from heldout.hypotheses.k_fold import KFoldHypothesis
from heldout.hypotheses.progressive import ProgressiveHypothesis

__all__ = ["EXPECTED_FAILED_CHECKS", "KFoldHypothesis", "ProgressiveHypothesis"]
