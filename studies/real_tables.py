"""Public data sets as numbers: texts become a column for each value, and everything has mean 0 and variance 1."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn import datasets
from sklearn.preprocessing import StandardScaler

from studies.public_sets import IN_FILES

GOOD_WINE = 6  # the quality from which a wine is in the second of two classes
OF_PACKAGE = ("breast_cancer", "wine", "digits", "diabetes")  # those that scikit-learn ships


@dataclass(frozen=True, eq=False)
class Table:
    """Rows, shape (N, p), and their labels, shape (N,)."""

    X: NDArray[np.float64]
    y: NDArray[np.generic]


def read(name: str, data: Path | None) -> tuple[pd.DataFrame, pd.Series]:
    """The features and the target of the set `name`, as its file or scikit-learn has them."""
    if name in OF_PACKAGE:
        bunch = getattr(datasets, f"load_{name}")(as_frame=True)
        return bunch.data, bunch.target
    if data is None:
        raise ValueError(f"the set {name} is real: name the folder of the data sets with --data")
    file, target = IN_FILES[name]
    path = data / file
    frame = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)
    return frame.drop(columns=target), frame[target]


def numbers(frame: pd.DataFrame) -> NDArray[np.float64]:
    """All columns as numbers: of texts a column for each value, 0 or 1."""
    return np.asarray(pd.get_dummies(frame).to_numpy(dtype=np.float64))


def table(name: str, data: Path | None, *, of_classes: bool = True) -> Table:
    """The whole set; the classes are numbered in ascending order."""
    frame, target = read(name, data)
    y = np.unique(target.to_numpy(), return_inverse=True)[1] if of_classes else target.to_numpy(dtype=np.float64)
    return Table(StandardScaler().fit_transform(numbers(frame)), y)
