"""A learner of a module of the user's own, whose file says how it misbehaves when it is asked, or before."""

import os
import signal
import time

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Strange(ClassifierMixin, BaseEstimator):
    """Predicts as `how` says."""

    def __init__(self, how: str = "well"):
        self.how = how
        self.classes_ = np.array([0, 1])

    def __setstate__(self, state):
        """What loading does."""
        super().__setstate__(state)
        if self.how.startswith("load "):
            self._misbehave(self.how.removeprefix("load "), 1)

    def fit(self, X, y):
        """Nothing is learned."""
        return self

    def predict(self, X):
        """The answers."""
        return self._misbehave(self.how, len(X))

    def _misbehave(self, how, rows):
        match how:
            case "segfault":
                os.kill(os.getpid(), signal.SIGSEGV)
            case "abort":
                os.abort()
            case "exit":
                os._exit(3)
            case "system exit":
                raise SystemExit(4)
            case "endless":
                time.sleep(10_000)
            case "lock":
                sum(range(1 << 60))  # counts for years, and never gives up Python's lock
            case "endless children":
                os.spawnlp(os.P_WAIT, "sleep", "sleep", "8471")
            case "memory":
                return np.ones(1 << 40)
            case "pages":
                return [np.empty(1 << 24) for _ in range(1 << 12)]
            case "large":
                return np.zeros((rows, 1 << 20), np.int8)
            case "recursion":
                return self._misbehave(how, rows)
            case "short":
                return np.zeros(rows - 1)
            case "nan":
                return np.full(rows, np.nan)
            case "texts":
                return np.array(["no class"] * rows, dtype=object)
            case "objects":
                return np.array([self] * rows, dtype=object)
            case "structured":
                return np.zeros(rows, [("a", int)])
        return np.zeros(rows, int)
