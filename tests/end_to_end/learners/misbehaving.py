"""Learners of a user that misbehave, each in a way of its own; tests copy this module next to their parameters."""

import contextlib
import os
import signal
import sys
import time

import numpy as np
from sklearn.naive_bayes import GaussianNB


class Exits(GaussianNB):
    """Ends its process in a fit."""

    def fit(self, X, y):
        os._exit(3)


class SystemExits(GaussianNB):
    """Ends a program in a fit."""

    def fit(self, X, y):
        sys.exit("enough")


class Interrupts(GaussianNB):
    """Behaves as if a person had stopped the run."""

    def fit(self, X, y):
        raise KeyboardInterrupt


class ExitsInPredict(GaussianNB):
    """Ends its process in a prediction."""

    def predict(self, X):
        os._exit(4)


class Killed(GaussianNB):
    """Is killed as the system does when memory runs out."""

    def fit(self, X, y):
        os.kill(os.getpid(), signal.SIGKILL)


class Endless(GaussianNB):
    """Never ends."""

    def fit(self, X, y):
        time.sleep(10_000)


class Unpicklable(GaussianNB):
    """Cannot be stored once it is fitted."""

    def fit(self, X, y):
        self.way_ = lambda: None
        return super().fit(X, y)


class Unreadable(GaussianNB):
    """Can be stored, but not read again."""

    def __setstate__(self, state):
        raise EOFError("read me not")


class Memory(GaussianNB):
    """Asks for more memory than there is."""

    def fit(self, X, y):
        raise MemoryError


class Gaps(GaussianNB):
    """Predicts no number."""

    def predict(self, X):
        return np.full(len(X), np.nan)


class Speaks(GaussianNB):
    """Raises a message with markup and terminal codes, a megabyte long."""

    def fit(self, X, y):
        raise ValueError("[/luck]\x1b[2J\x07<b>" + "long " * 200_000)


class Mute(GaussianNB):
    """Raises an error that cannot say what it is, under a name with markup."""

    def fit(self, X, y):
        def unspeakable(self):
            raise SystemExit("no word")

        raise type("[/luck]\x1b", (Exception,), {"__str__": unspeakable})


class ChangesInput(GaussianNB):
    """Changes the rows that it is given; it is a learner like others otherwise."""

    def fit(self, X, y):
        super().fit(X, y)
        with contextlib.suppress(TypeError, ValueError):  # rows that cannot be changed
            X[:] = 0
        return self
