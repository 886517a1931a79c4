"""Real sets of classes as finite populations, for the study of what progressive validation gains.

Columns of categories become columns of 0 and 1; all are standardised over the population, which looks at no label.
A set is cut to `SIZE` random rows.
"""

import functools
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn import datasets

from studies.order_free import Population
from studies.public_sets import IN_FILES

SIZE, SEED = 3_000, 20260104  # of the populations; another seed draws the samples
IN_FOLDER = ("adult", "chess_kr_vs_kp", "electricity_elec2", "letter", "occupancy", "spambase", "wine_quality")
PACKAGED = ("digits", "breast_cancer")  # with scikit-learn
GOOD_WINE = 6  # the quality from which a wine is in the second class
_LEFT_OUT = ("date", "part")  # of electricity and occupancy: a population has no time


@functools.lru_cache(maxsize=1)
def read(name: str, data: Path | None) -> Population:
    """The population of a set: from scikit-learn, or below the folder `data`."""
    if name in PACKAGED:
        features, labels = getattr(datasets, f"load_{name}")(return_X_y=True, as_frame=True)
    elif data is None:
        raise ValueError(f"the set {name} is real: name the folder of the data sets with --data")
    else:
        file, target = IN_FILES[name]
        path = data / file
        table = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)
        labels = table[target] >= GOOD_WINE if name == "wine_quality" else table[target]
        features = table.drop(columns=[column for column in (target, *_LEFT_OUT) if column in table])
    rows = np.random.default_rng(SEED).permutation(len(labels))[:SIZE]
    X = pd.get_dummies(features).to_numpy(dtype=np.float64)[rows]
    y = np.unique(labels.to_numpy()[rows], return_inverse=True)[1]
    varies = X.std(axis=0) > 0
    X = X[:, varies]
    return Population(((X - X.mean(axis=0)) / X.std(axis=0)).astype(np.float32), y.astype(np.int64))
