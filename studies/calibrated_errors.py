"""The error of a hypothesis on rows without labels, from its probabilities: CBPE, and PAPE for other covariates.

PAPE: J. Bialek, J. Kivimäki, W. Kuberski, N. Perrakis, Estimating model performance under covariate shift without
labels (NeurIPS 2025). A classifier parts labelled from `shifted` rows, its odds weigh the labelled rows, and on these a
regression learns the chance of a class from the score of that class; the error that these chances expect is the
estimate. With weights of one it is CBPE, of NannyML. Assumption: labels of given columns are as before.

The settings are those of its source: LightGBM with its defaults for both, the odds asked at the rows that trained them,
the share of labelled rows at least .05 below a fraction, and weights of .001 at least. The source has two classes. Here
each of C classes has a regression of its own, as in NannyML, and the C chances of a row are divided by their sum.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float64]
Classes = NDArray[np.int64]
LEAST_SHARE, LEAST_WEIGHT = 0.05, 0.001
REACH = 3  # standard errors on both sides, as NannyML draws them
_HOW: dict[str, Any] = {"random_state": 0, "n_jobs": 1, "verbosity": -1}


def weights_of_odds(shares: Rows, shifted: int) -> Rows:
    """How often a labelled row should count, from the `shares` of shifted rows at it, shape (n,), among n + `shifted`.

    Where both are alike, shares are shifted / (n + shifted), and the weights are one.
    """
    ratio = len(shares) / shifted * shares / np.maximum(1 - shares, LEAST_SHARE)
    weights: Rows = np.maximum(ratio, LEAST_WEIGHT)
    return weights


def density_ratio(X: Rows, shifted: Rows) -> Rows:
    """The weights of the rows X, shape (n, p), that describe the population of `shifted`, shape (m, p)."""
    from lightgbm import LGBMClassifier

    is_shifted = np.arange(len(X) + len(shifted)) >= len(X)
    parts = LGBMClassifier(**_HOW).fit(np.concatenate([X, shifted]), is_shifted)
    return weights_of_odds(np.asarray(parts.predict_proba(X))[:, 1], len(shifted))


def calibrated(probabilities: Rows, y: Classes, weights: Rows, shifted: Rows) -> Rows:
    """The chances of the classes of m rows, from their scores `shifted`, shape (m, C).

    Labelled rows have `probabilities`, shape (n, C), the places of their classes `y`, and `weights`, shape (n,).
    """
    from lightgbm import LGBMRegressor

    def of_class(place: int) -> Rows:
        chance = LGBMRegressor(**_HOW).fit(probabilities[:, [place]], y == place, sample_weight=weights)
        return np.clip(np.asarray(chance.predict(shifted[:, [place]]), dtype=np.float64), 0, 1)

    classes = shifted.shape[1]
    if classes == 2:
        second = of_class(1)
        return np.column_stack([1 - second, second])
    chances = np.column_stack([of_class(place) for place in range(classes)])
    total = chances.sum(axis=1, keepdims=True)
    return np.where(total > 0, chances / np.where(total > 0, total, 1), 1 / classes)


def expected_error(chances: Rows, answers: Classes) -> float:
    """The mean chance that the answers, shape (m,), are wrong, where the classes have `chances`, shape (m, C)."""
    return float(1 - chances[np.arange(len(answers)), answers].mean())


def sampling_error(losses: Rows, shifted: int) -> float:
    """NannyML's standard error of an estimate on so many rows: it has the rows' noise alone, by labelled rows."""
    return float(losses.std() / np.sqrt(shifted))
