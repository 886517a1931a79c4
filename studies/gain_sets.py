"""Real sets of classes as finite populations, for the study of what progressive validation gains.

Columns of categories become columns of 0 and 1; all are standardised over the population, which looks at no label.
A set is cut to `SIZE` random rows.
"""

import functools
from pathlib import Path

import numpy as np
import pandas as pd

from studies import real_tables
from studies.order_free import Population

SIZE, SEED = 3_000, 20260104  # of the populations; another seed draws the samples
IN_FOLDER = ("adult", "chess_kr_vs_kp", "electricity_elec2", "letter", "occupancy", "spambase", "wine_quality")
PACKAGED = ("digits", "breast_cancer")  # with scikit-learn
_LEFT_OUT = ("date", "part")  # of electricity and occupancy: a population has no time


@functools.lru_cache(maxsize=1)
def read(name: str, data: Path | None) -> Population:
    """The population of a set: from scikit-learn, or below the folder `data`."""
    features, labels = real_tables.read(name, data)
    if name == "wine_quality":
        labels = labels >= real_tables.GOOD_WINE
    features = features.drop(columns=[column for column in _LEFT_OUT if column in features])
    rows = np.random.default_rng(SEED).permutation(len(labels))[:SIZE]
    X = pd.get_dummies(features).to_numpy(dtype=np.float64)[rows]
    y = np.unique(labels.to_numpy()[rows], return_inverse=True)[1]
    varies = X.std(axis=0) > 0
    X = X[:, varies]
    return Population(((X - X.mean(axis=0)) / X.std(axis=0)).astype(np.float32), y.astype(np.int64))
