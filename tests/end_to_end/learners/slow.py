"""A user's learner that takes its time; tests copy this module next to their parameters."""

import time

from sklearn.naive_bayes import GaussianNB

SECONDS = 0.2


class Slow(GaussianNB):
    """Naive Bayes, after a sleep."""

    def fit(self, X, y):
        time.sleep(SECONDS)
        return super().fit(X, y)
