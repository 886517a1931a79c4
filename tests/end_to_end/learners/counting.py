"""A learner of a user that writes a line next to this module at each fit; tests copy it next to their parameters."""

import os
from pathlib import Path

from sklearn.naive_bayes import GaussianNB

FITS = Path(__file__).with_name("fits.txt")


class Counting(GaussianNB):
    """Naive Bayes that is counted."""

    def fit(self, X, y):
        file = os.open(FITS, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, f"{self.var_smoothing:g}\n".encode())
        os.close(file)
        return super().fit(X, y)
