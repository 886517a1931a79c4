"""Gaussian naive Bayes behind a standardisation by each training part.

The standardised features of a part all have variance 1, so `epsilon_` is `var_smoothing`. In the original units this is
`var_smoothing` times the variance of each feature in the part. Probabilities do not depend on the unit.
"""

import numpy as np

from heldout.shortcuts.class_sums import Floats
from heldout.shortcuts.gaussian_naive_bayes import GaussianNaiveBayes, MeansBasis
from heldout.shortcuts.shortcut import Declined

_VARIES = 1e-8  # times the mean: with a larger deviation, scikit-learn surely takes no feature as constant


class StandardizedGaussianNaiveBayes(GaussianNaiveBayes):
    """Exact for GaussianNB behind `StandardScaler`, weighted or not; the scaler takes no row weights."""

    def _smoothing(self, basis: MeansBasis, sums: Floats, of: Floats) -> tuple[Floats, Floats]:
        """The term added to the variance of each feature, shape (n, p), and the largest loss of digits, (n, 1)."""
        mean, variance, size = self._about_the_mean(basis, sums, of)
        far = np.abs(basis.means.mean(axis=0) + mean)
        if not (variance > (_VARIES * far) ** 2).all():
            raise Declined("has a feature that hardly varies in a training part")
        return self.smoothing * variance, (size / variance).max(axis=1, keepdims=True)
