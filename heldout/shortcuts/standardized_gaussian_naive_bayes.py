"""Gaussian naive Bayes behind a standardisation that each training part makes anew.

The standardised features of a part all have variance 1, so `epsilon_` is `var_smoothing` itself: in the features as
they are, `var_smoothing` times the feature's own variance in the part. Probabilities do not change with the unit.
"""

import numpy as np

from heldout.shortcuts.class_sums import Floats
from heldout.shortcuts.gaussian_naive_bayes import About, GaussianNaiveBayes
from heldout.shortcuts.shortcut import Declined

_VARIES = 1e-8  # of the mean: the least deviation for which no feature is surely taken for a constant


class StandardizedGaussianNaiveBayes(GaussianNaiveBayes):
    """Exact for GaussianNB behind `StandardScaler`, weighted or not: the scaler has no weights of rows."""

    def _smoothing(self, basis: About, sums: Floats, of: Floats) -> tuple[Floats, Floats]:
        """What is added to the variance of each feature, shape (n, p); the second as of all features alike."""
        mean, variance, size = self._about_the_mean(basis, sums, of)
        far = np.abs(basis.means.mean(axis=0) + mean)
        if not (variance > (_VARIES * far) ** 2).all():
            raise Declined("has a feature that hardly varies in a training part")
        return self.smoothing * variance, (size / variance).max(axis=1, keepdims=True)
