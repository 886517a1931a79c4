"""Real shifts: labelled rows of one population, and rows of another, whose labels are read for the true error alone.

Two groups of one set, by a query about its columns, which are then left out; two files of different writers; or rows
whose pixels were corrupted. Numbers as targets become two classes. Made shifts are of one kind each, which is known:
the target's rows are drawn by a direction of the columns (labels of given columns stay), by class (columns of given
classes stay), with other labels at half of the rows (columns stay), or as the source's.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import ndimage
from sklearn.preprocessing import StandardScaler

from studies.real_tables import numbers, read

Rows = NDArray[np.float64]

FROM = {  # set, query of the source, query of the target
    "adult: men, women": ("adult", "sex == 'Male'", "sex == 'Female'"),
    "adult: women, men": ("adult", "sex == 'Female'", "sex == 'Male'"),
    "adult: White, Black": ("adult", "race == 'White'", "race == 'Black'"),
    "adult: White, Asian": ("adult", "race == 'White'", "race == 'Asian-Pac-Islander'"),
    "adult: Black, White": ("adult", "race == 'Black'", "race == 'White'"),
    "adult: to 35, over 50": ("adult", "age <= 35", "age > 50"),
    "adult: over 50, to 35": ("adult", "age > 50", "age <= 35"),
    "adult: full time, part time": ("adult", "hours_per_week >= 40", "hours_per_week < 35"),
    "adult: part time, full time": ("adult", "hours_per_week < 35", "hours_per_week >= 40"),
    "adult: private, other": ("adult", "workclass == 'Private'", "workclass != 'Private'"),
    "adult: other, private": ("adult", "workclass != 'Private'", "workclass == 'Private'"),
    "adult: born there, elsewhere": ("adult", "native_country == 'United-States'", "native_country != 'United-States'"),
    "adult: born elsewhere, there": ("adult", "native_country != 'United-States'", "native_country == 'United-States'"),
    "occupancy: train, test1": ("occupancy", "part == 'train'", "part == 'test1'"),
    "occupancy: train, test2": ("occupancy", "part == 'train'", "part == 'test2'"),
    "occupancy: test1, train": ("occupancy", "part == 'test1'", "part == 'train'"),
    "occupancy: test1, test2": ("occupancy", "part == 'test1'", "part == 'test2'"),
    "occupancy: test2, train": ("occupancy", "part == 'test2'", "part == 'train'"),
    "occupancy: test2, test1": ("occupancy", "part == 'test2'", "part == 'test1'"),
    "wine: red, white": ("wine_quality", "colour == 'red'", "colour == 'white'"),
    "wine: white, red": ("wine_quality", "colour == 'white'", "colour == 'red'"),
    "wine: weak, strong": ("wine_quality", "alcohol < 10", "alcohol > 11"),
    "wine: strong, weak": ("wine_quality", "alcohol > 11", "alcohol < 10"),
    "california: north, south": ("california_housing", "latitude > 36.5", "latitude <= 36.5"),
    "california: south, north": ("california_housing", "latitude <= 36.5", "latitude > 36.5"),
    "california: west, east": ("california_housing", "longitude <= -120", "longitude > -118"),
    "california: east, west": ("california_housing", "longitude > -118", "longitude <= -120"),
    "california: old, new": ("california_housing", "housingMedianAge > 35", "housingMedianAge < 20"),
    "california: new, old": ("california_housing", "housingMedianAge < 20", "housingMedianAge > 35"),
    "letter: narrow, wide": ("letter", "width <= 4", "width >= 7"),
    "letter: wide, narrow": ("letter", "width >= 7", "width <= 4"),
    "letter: low, high": ("letter", "high <= 5", "high >= 9"),
    "letter: high, low": ("letter", "high >= 9", "high <= 5"),
    "electricity: night, day": ("electricity_elec2", "period < 0.3", "0.4 < period < 0.7"),
    "electricity: day, night": ("electricity_elec2", "0.4 < period < 0.7", "period < 0.3"),
    **{  # a month has 1440 half hours; the prices of the neighbour state begin with month 12
        f"electricity: months 13 to 18, {month}": (
            "electricity_elec2",
            "18720 <= index < 27360",
            f"{1440 * month} <= index < {1440 * month + 1440}",
        )
        for month in range(19, 31)
    },
}
LEFT_OUT = {"california_housing": ["longitude", "latitude"], "electricity_elec2": ["date"], "occupancy": ["date"]}
TWO_CLASSES = {"wine_quality": 6, "california_housing": 200_000}  # from this number on
WRITERS = {  # two files of pixels
    "optdigits: 30 writers, 13 others": ("optdigits/optdigits_train.csv", "optdigits/optdigits_test.csv"),
    "optdigits: 13 writers, 30 others": ("optdigits/optdigits_test.csv", "optdigits/optdigits_train.csv"),
    "zip codes: train, test": ("lfd_digits/zip_train.parquet", "lfd_digits/zip_test.parquet"),
    "zip codes: test, train": ("lfd_digits/zip_test.parquet", "lfd_digits/zip_train.parquet"),
}


def _images(change: Callable[[Rows], Rows]) -> Callable[[Rows, np.random.Generator], Rows]:
    return lambda rows, rng: change(rows.reshape(-1, 8, 8)).reshape(len(rows), -1)  # noqa: ARG005


CORRUPTIONS: dict[str, dict[str, Callable[[Rows, np.random.Generator], Rows]]] = {
    "digits": {
        "noise": lambda rows, rng: rows + rng.normal(scale=4, size=rows.shape),
        "contrast": lambda rows, rng: 4 + rows / 2,  # noqa: ARG005
        "blur": _images(lambda images: ndimage.uniform_filter(images, (0, 2, 2))),
        "a pixel to the right": _images(lambda images: ndimage.shift(images, (0, 0, 1))),
        "lower rows lost": _images(lambda images: images * (np.arange(8) < 6)[:, None]),
    },
    "letter": {
        "noise": lambda rows, rng: rows + rng.normal(scale=1.5, size=rows.shape),
        "scaled": lambda rows, rng: rows * 1.2,  # noqa: ARG005
        "edges lost": lambda rows, rng: np.where(np.arange(rows.shape[1]) < 12, rows, 4.0),  # noqa: ARG005
    },
}
CORRUPTIONS["optdigits"] = CORRUPTIONS["digits"]
CORRUPTED = [f"{name}, corrupted: {change}" for name in ("optdigits", "letter") for change in CORRUPTIONS[name]]
QUICK_FROM = {
    "breast cancer: smooth, rough": ("breast_cancer", "`mean smoothness` <= 0.095", "`mean smoothness` > 0.095"),
    "breast cancer: rough, smooth": ("breast_cancer", "`mean smoothness` > 0.095", "`mean smoothness` <= 0.095"),
}
NAMES = (*FROM, *WRITERS, *CORRUPTED)
KINDS = ("none", "covariates", "labels", "concept")
MADE_OF = ("adult", "occupancy", "wine_quality", "california_housing", "letter", "electricity_elec2", "optdigits")
MADE = tuple(f"{name}, made: {kind}" for name in MADE_OF for kind in KINDS)
QUICK_MADE = tuple(f"digits, made: {kind}" for kind in KINDS)
TILT, REPLACED = (
    1.5,
    0.4,
)  # how much a standard deviation of the direction counts; share of labels replaced at half of the rows
QUICK_NAMES = (*QUICK_FROM, *(f"digits, corrupted: {change}" for change in CORRUPTIONS["digits"]))


@dataclass(frozen=True, eq=False)
class Shift:
    """Rows of two populations: the `source`, shape (N, p), and the `target`, shape (T, p), with their classes."""

    source: Rows
    source_y: NDArray[np.int64]
    target: Rows
    target_y: NDArray[np.int64]


def shift(name: str, data: Path | None, rng: np.random.Generator) -> Shift:
    """The shift of that name; corrupted rows are a random half, and so are those that are drawn otherwise."""
    if name in FROM or name in QUICK_FROM:
        return _between_groups(*(FROM | QUICK_FROM)[name], data)
    if name in WRITERS and data is not None:
        train, test = (_frame(data / file) for file in WRITERS[name])
        return Shift(_pixels(train), train["digit"].to_numpy(), _pixels(test), test["digit"].to_numpy())
    if name in MADE or name in QUICK_MADE:
        made_of, kind = name.split(", made: ")
        return _made(made_of, kind, data, rng)
    set_name, change = name.split(", corrupted: ")
    frame, target = read(set_name, data)
    rows, y = numbers(frame), _classes(set_name, target)
    half = rng.permutation(len(y)) < len(y) // 2
    return Shift(rows[half], y[half], CORRUPTIONS[set_name][change](rows[~half], rng), y[~half])


def _between_groups(set_name: str, source: str, target: str, data: Path | None) -> Shift:
    frame, labels = read(set_name, data)
    y = _classes(set_name, labels)
    asked = set(re.findall(r"\w+", source)) | set(LEFT_OUT.get(set_name, ()))
    rows = numbers(frame.drop(columns=[column for column in frame if column in asked]))
    of_source, of_target = frame.query(source).index, frame.query(target).index
    return Shift(rows[of_source], y[of_source], rows[of_target], y[of_target])


def _made(set_name: str, kind: str, data: Path | None, rng: np.random.Generator) -> Shift:
    frame, labels = read(set_name, data)
    rows = numbers(frame.drop(columns=[column for column in frame if column in LEFT_OUT.get(set_name, ())]))
    y = _classes(set_name, labels)
    half = rng.permutation(len(y)) < len(y) // 2
    X, right = rows[~half], y[~half].copy()
    along = StandardScaler().fit_transform(X) @ rng.normal(size=X.shape[1])
    along = np.clip((along - along.mean()) / along.std(), -3, 3)
    classes = int(y.max()) + 1
    if kind == "concept":
        others = (right + rng.integers(1, classes, len(right))) % classes
        right = np.where((along > np.median(along)) & (rng.random(len(right)) < REPLACED), others, right)
    chances = np.ones(len(right))
    if kind == "covariates":
        chances = np.exp(TILT * along)
    elif kind == "labels":
        counts = np.bincount(right, minlength=classes)
        chances = (rng.dirichlet(np.ones(classes)) / np.maximum(counts, 1))[right]
    drawn = rng.choice(len(right), size=len(right), p=chances / chances.sum())  # with chances alike: a bootstrap
    return Shift(rows[half], y[half], X[drawn], right[drawn])


def _classes(set_name: str, target: pd.Series) -> NDArray[np.int64]:
    values = target.to_numpy()
    if set_name in TWO_CLASSES:
        values = values >= TWO_CLASSES[set_name]
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def _frame(path: Path) -> pd.DataFrame:
    return pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)


def _pixels(frame: pd.DataFrame) -> Rows:
    return np.asarray(frame.drop(columns="digit").to_numpy(dtype=np.float64))
