"""Fifteen real sets of classes as finite populations: the true error of a hypothesis is its mean loss over known rows.

Columns of categories become truth values, those that are rare are left out; all columns are standardised over the
whole set, which needs no label. Texts are word presences without message headers, turned into their first principal
directions. Sets are cut to `SIZE` random rows.
"""

import functools
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from studies import real_tables
from studies.public_sets import IN_FILES

SIZE, SEED = 2500, 20260318
RARE = 0.02  # a truth value that holds in a smaller share of the rows is left out
MOST_TERMS = 16
WORDS, DIRECTIONS = 2000, 30
NAMES = (*(name for name in IN_FILES if name != "california_housing"), "breast_cancer")
_LEFT_OUT = {"reuters_top10": ["newid", "date", "modapte", "topics"], "occupancy": ["part", "date"]}


@dataclass(frozen=True, eq=False)
class RealSet:
    """All rows of a set, standardised, and their classes 0, 1, …"""

    X: NDArray[np.float64]
    y: NDArray[np.int64]

    @functools.cached_property
    def directions(self) -> NDArray[np.float64]:
        """The first `MOST_TERMS` principal directions; of a few columns, those of their least sufficient powers."""
        p = self.X.shape[1]
        degree = next(degree for degree in range(1, MOST_TERMS) if math.comb(p + degree, degree) > MOST_TERMS)
        powers = PolynomialFeatures(degree, include_bias=False)
        found: NDArray[np.float64] = make_pipeline(
            powers, StandardScaler(), PCA(MOST_TERMS, whiten=True, random_state=SEED)
        ).fit_transform(self.X)
        return found

    def error(self, hypothesis: object, rows: NDArray[np.intp]) -> float:
        """The mean 0/1 loss of a hypothesis over `rows`."""
        return float((hypothesis.predict(self.X[rows]) != self.y[rows]).mean())  # type: ignore[attr-defined]


@functools.lru_cache(maxsize=2)
def read(name: str, data: Path | None) -> RealSet:
    """The set of that name: from scikit-learn, or below the folder `data`."""
    features, labels = _classes(name, data)
    rows = np.random.default_rng(SEED).permutation(len(labels))[:SIZE]
    features, y = features.iloc[rows], np.unique(labels.iloc[rows], return_inverse=True)[1]
    if "text" in features:
        X = _words(features["text"], headers=name.startswith("news20"))
    else:
        X = pd.get_dummies(features, dtype=float).to_numpy(dtype=float)
        truth = np.isin(X, (0, 1)).all(axis=0)
        X = X[:, ~truth | ((X.mean(axis=0) >= RARE) & (X.mean(axis=0) <= 1 - RARE))]
    return RealSet(StandardScaler().fit_transform(X), y.astype(np.int64))


def _classes(name: str, data: Path | None) -> tuple[pd.DataFrame, pd.Series]:
    features, labels = real_tables.read(name, data)
    if name == "wine_quality":
        labels = labels >= real_tables.GOOD_WINE
    if name == "letter":
        labels = labels.isin(list("ABCDEFGHIJKLM"))  # the first half of the alphabet
    others = [
        column for column in features if str(column).startswith("is_")
    ]  # labels of a document, next to the target
    return features.drop(columns=[*_LEFT_OUT.get(name, []), *others]), labels


def _words(texts: pd.Series, *, headers: bool) -> NDArray[np.float64]:
    """The first principal directions of word presences; what stands above the first empty line are `headers`."""
    bodies = texts.str.split("\n\n", n=1).str[-1] if headers else texts
    present = CountVectorizer(binary=True, stop_words="english", max_features=WORDS).fit_transform(bodies)
    found: NDArray[np.float64] = TruncatedSVD(DIRECTIONS, random_state=SEED).fit_transform(present.astype(float))
    return found
