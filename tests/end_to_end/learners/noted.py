"""A user's learner that takes its time and notes who fits which rows; tests copy it next to their parameters."""

import os
import time
import zlib
from pathlib import Path

import numpy as np
from sklearn.naive_bayes import GaussianNB


class Noted(GaussianNB):
    """Naive Bayes, after a sleep and a line in fits.txt: the parent process, and the rows."""

    def fit(self, X, y):
        rows = zlib.crc32(np.ascontiguousarray(X).tobytes() + np.asarray(y).tobytes())
        with Path(__file__).with_name("fits.txt").open("a") as file:
            file.write(f"{os.getppid()} {self.var_smoothing}-{len(y)}-{rows}\n")
        time.sleep(0.2)
        return super().fit(X, y)
