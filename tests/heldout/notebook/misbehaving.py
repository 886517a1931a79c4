"""Learners that end their process, or never end, in a module that other processes import."""

import os
import time

from sklearn.naive_bayes import GaussianNB


class Exits(GaussianNB):
    """Ends the process that fits it."""

    def fit(self, X, y, sample_weight=None):
        os._exit(3)


class Sleeps(GaussianNB):
    """Is fitted for a minute."""

    def fit(self, X, y, sample_weight=None):
        time.sleep(60)
