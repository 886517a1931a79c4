"""The finite populations of the coverage study: every true error is a mean over all their rows.

Samples are drawn with replacement, so that they are independent draws from the population and its mean loss
is exactly the true error. Real tables are cut to `SIZE` rows at random; simulated tables have as many rows.
"""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from heldout.losses import SQUARED, ZERO_ONE, Loss

SIZE = 4000
# the populations whose losses are those of numbers
NUMBERS = ("california_housing", "heavy_tails", "gamma_noise", "lognormal_noise", "waves")
_SEED = 20260101  # of the populations; another seed draws the samples


@dataclass(frozen=True, eq=False)
class Population:
    """All rows of a population, and the loss of its task."""

    X: NDArray[np.float32]
    y: NDArray[np.generic]
    loss: Loss


def adult(folder: Path) -> Population:
    """Income above 50 000 from the six numeric columns."""
    table = pd.read_parquet(folder / "adult" / "adult_train.parquet")
    return _cut(table.select_dtypes("number"), table["income"].str.contains(">").astype("int64"), ZERO_ONE)


def letter(folder: Path) -> Population:
    """One of 26 letters from 16 numbers."""
    table = pd.read_csv(folder / "letter" / "letter.csv")
    name = next(column for column in table.columns if table[column].dtype.kind not in "iuf")
    return _cut(table.drop(columns=name), table[name].astype("category").cat.codes.astype("int64"), ZERO_ONE)


def electricity(folder: Path) -> Population:
    """Price up or down; the time order is dropped, since a population has no order."""
    table = pd.read_parquet(folder / "electricity_elec2" / "elec2.parquet")
    name = next(column for column in ("class", "target", "label") if column in table.columns)
    codes = table[name].astype("category").cat.codes.astype("int64")
    features = table.drop(columns=name).select_dtypes("number")
    return _cut(features.drop(columns=[column for column in ("date",) if column in features]), codes, ZERO_ONE)


def california(folder: Path) -> Population:
    """House value in units of 100 000, from the numeric columns, gaps filled with the median."""
    table = pd.read_csv(folder / "california_housing" / "california_housing.csv").select_dtypes("number")
    name = next(column for column in ("medianHouseValue", "MedHouseVal", "target") if column in table.columns)
    value = table[name] / (1e5 if table[name].max() > 1000 else 1.0)
    return _cut(table.drop(columns=name).fillna(table.median()), value, SQUARED)


def null_labels() -> Population:
    """Labels that are independent of the features."""
    rng, X = _features()
    return Population(X, rng.integers(0, 2, SIZE), ZERO_ONE)


def linear_noise() -> Population:
    """A linear boundary; a tenth of the labels is flipped."""
    rng, X = _features()
    flipped = rng.random(SIZE) < 0.1
    return Population(X, ((X @ np.array([2.0, 1, 1, 0.5, 0.5, 0, 0, 0]) > 0) ^ flipped).astype(np.int64), ZERO_ONE)


def interaction() -> Population:
    """The sign of a product of two features; a twentieth of the labels is flipped."""
    rng, X = _features()
    flipped = rng.random(SIZE) < 0.05
    return Population(X, ((X[:, 0] * X[:, 1] > 0) ^ flipped).astype(np.int64), ZERO_ONE)


def rare_class() -> Population:
    """A class of one row in twenty, two standard deviations away in two features."""
    rng, X = _features()
    y = (rng.random(SIZE) < 0.05).astype(np.int64)
    X[:, :2] += 2 * y[:, None]
    return Population(X, y, ZERO_ONE)


def heavy_tails() -> Population:
    """A linear function with noise of Student's t, 5 degrees of freedom: squared losses with heavy tails."""
    rng, X = _features()
    return Population(X, X @ np.array([2.0, 1, 1, 0.5, 0.5, 0, 0, 0]) + rng.standard_t(5, SIZE), SQUARED)


def gamma_noise() -> Population:
    """A product and a line with noise of a gamma distribution of shape 1/2: one long tail."""
    rng, X = _features()
    return Population(X, X[:, 0] * X[:, 1] + X[:, 2] + rng.gamma(0.5, size=SIZE), SQUARED)


def lognormal_noise() -> Population:
    """A line with lognormal noise: squared losses so heavy that few rows make most of their mean."""
    rng, X = _features()
    return Population(X, X[:, 0] + X[:, 1] + rng.lognormal(size=SIZE), SQUARED)


def waves() -> Population:
    """A sine with normal noise, which a line does not follow: light tails."""
    rng, X = _features()
    return Population(X, 2 * np.sin(2 * X[:, 0]) + X[:, 1] + rng.normal(size=SIZE), SQUARED)


def three_shares() -> Population:
    """Three classes with the shares .8, .15 and .05, each around a centre of its own."""
    rng, X = _features()
    y = rng.choice(3, SIZE, p=[0.8, 0.15, 0.05])
    X[:, :2] += 1.5 * np.array([[0.0, 0.0], [1.0, 1.0], [-1.0, 1.0]])[y]
    return Population(X, y, ZERO_ONE)


def twelve_classes() -> Population:
    """Twelve equally frequent classes, each around a random centre."""
    rng, X = _features()
    y = rng.integers(0, 12, SIZE)
    return Population(X + rng.normal(size=(12, 8))[y].astype(np.float32), y, ZERO_ONE)


def clear_boundary() -> Population:
    """A linear boundary without noise, and one row in twelve on the rare side: half models differ on few rows."""
    _, X = _features()
    return Population(X, (X[:, 0] + X[:, 1] > 1.95).astype(np.int64), ZERO_ONE)


REAL: Mapping[str, Callable[[Path], Population]] = {
    "adult": adult,
    "letter": letter,
    "electricity": electricity,
    "california_housing": california,
}
SIMULATED: Mapping[str, Callable[[], Population]] = {
    "null labels": null_labels,
    "linear with noise": linear_noise,
    "interaction": interaction,
    "rare class": rare_class,
    "heavy tails": heavy_tails,
}

# not looked at when the default intervals were chosen
FRESH: Mapping[str, Callable[[], Population]] = {
    "gamma noise": gamma_noise,
    "lognormal noise": lognormal_noise,
    "waves": waves,
    "three shares": three_shares,
    "twelve classes": twelve_classes,
    "clear boundary": clear_boundary,
}


@functools.lru_cache(maxsize=2)
def population(name: str, folder: Path | None) -> Population:
    """The population called `name`; real tables are read below `folder`."""
    if name in SIMULATED or name in FRESH:
        return {**SIMULATED, **FRESH}[name]()
    if folder is None:
        raise ValueError(f"the population {name} is real: name the folder of the data sets with --data")
    return REAL[name](folder)


def _features() -> tuple[np.random.Generator, NDArray[np.float32]]:
    rng = np.random.default_rng(_SEED)
    return rng, rng.normal(size=(SIZE, 8)).astype(np.float32)


def _cut(features: pd.DataFrame, target: pd.Series, loss: Loss) -> Population:
    rows = np.random.default_rng(_SEED).choice(len(features), SIZE, replace=False)
    return Population(features.to_numpy(dtype=np.float32)[rows], target.to_numpy()[rows], loss)
