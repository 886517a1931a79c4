"""Handwritten digits by two features, intensity and symmetry, and their products in the lecture's order."""

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.polynomial import legendre
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.preprocessing import PolynomialFeatures

Numbers = NDArray[np.float64]


def digits(data: Path | None) -> tuple[Numbers, NDArray[np.int64]]:
    """The features of each digit, shape (N, 2), and whether it is a 1; the digits of scikit-learn without a folder."""
    if data is None:
        pixels, target = load_digits(return_X_y=True)
        images = pixels.reshape(-1, 8, 8) / 16
        mirrored = (np.abs(images - images[:, :, ::-1]) + np.abs(images - images[:, ::-1])).mean(axis=(1, 2))
        return np.column_stack([images.mean(axis=(1, 2)), -mirrored]), np.asarray(target == 1, dtype=np.int64)
    parts = [pd.read_csv(data / "lfd_digits" / f"features_{part}.csv") for part in ("train", "test")]
    table = pd.concat(parts)
    return table[["intensity", "symmetry"]].to_numpy(np.float64), np.asarray(table["digit"] == 1, dtype=np.int64)


def scaled(features: Numbers) -> Numbers:
    """Each feature on [-1, 1]."""
    low, high = features.min(axis=0), features.max(axis=0)
    return np.asarray(2 * (features - low) / (high - low) - 1)


def terms(of_scaled: Numbers, order: int) -> Numbers:
    """x1, x2, x1^2, x1 x2, x2^2, x1^3 … to `order`, shape (N, terms), as products of Legendre polynomials.

    Each term is its product of powers plus terms of lower order, which stand before it. So the first m terms span the
    same hypotheses as the first m products of powers, in better conditioned columns.
    """
    powers = PolynomialFeatures(order, include_bias=False).fit(of_scaled).powers_
    first, second = (legendre.legvander(column, order) for column in of_scaled.T)
    return np.asarray(first[:, powers[:, 0]] * second[:, powers[:, 1]])
