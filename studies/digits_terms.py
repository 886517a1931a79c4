"""Digits: leave-one-out finds how many of 20 nested terms to use; more terms raise E_out where errors are chased.

Abu-Mostafa, lecture 13, "Cross validation in action": the digit 1 against the rest by intensity and symmetry, their
products up to order 5 in the order x1, x2, x1^2, x1 x2 … x2^5, and models with the first 1 … 20 of these terms, on 500
training examples. The smallest leave-one-out error took 6 terms; E_in was 0.8 % and E_out 1.5 %. All 20 terms
had 0 % and 2.5 %.

The learner is not stated. Assumed: linear regression to -1 and 1, and the sign of its answer, with E_cv by the
shortcut without refits. It does not chase single errors; logistic regression nearly without penalty does, and is fitted
to the same terms. Of 9298 digits (both files of the set) 500 are drawn, and E_out is the error on the others. The
lecture's numbers are those of a single draw: the intervals next to them hold 95 % of the draws, not their mean.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression, RidgeClassifier

from heldout import shortcuts
from heldout.decision.select import select
from heldout.learners.fitting import fit_and_test
from heldout.losses import ZERO_ONE
from heldout.losses.tested_losses import CrossValidated
from heldout.splits.partition import draw_folds
from heldout.splits.split import Split
from studies import digit_pictures
from studies.digit_features import digits, scaled, terms
from studies.study import LEVEL, Finding, Record, mean_interval

SEED, NEEDS_DATA = 0, True
TRAINED, QUICK_TRAINED = 500, 300  # of 9298 digits, of the 1797 of scikit-learn
ORDER, TERMS = 5, 20
UNITS, QUICK_UNITS, DRAWS = 40, 6, 5  # draws in a unit
LEARNER = RidgeClassifier(alpha=0, solver="svd")  # linear regression to -1 and 1
CHASING = LogisticRegression(C=1e6, solver="newton-cholesky", max_iter=300)
GRID = 70  # points in each direction, for the boundaries


def units(quick: bool) -> Sequence[tuple[int, int]]:
    """Numbers of batches of draws, with the number of training examples."""
    return [(batch, QUICK_TRAINED if quick else TRAINED) for batch in range(QUICK_UNITS if quick else UNITS)]


def measure(unit: tuple[int, int], data: Path | None) -> list[Record]:
    """E_in, E_cv and E_out of each number of terms, in each draw; of the first draw its boundaries too."""
    batch, trained = unit
    features, is_one = digits(data)
    columns = terms(scaled(features), ORDER)
    found: list[Record] = []
    for draw in range(DRAWS):
        order = np.random.default_rng([SEED, batch, draw]).permutation(len(is_one))
        train = np.sort(order[:trained])
        lines = [_line(columns[:, :number], is_one, train) for number in range(1, TERMS + 1)]
        E_cv = {str(number): line["E_cv"] for number, line in enumerate(lines, start=1)}
        chosen = int(select(E_cv, "E_cv", "minimum").selected)
        for number in (chosen, TERMS):
            E_in, E_out = _errors(CHASING, columns[:, :number], is_one, train)
            lines[number - 1] |= {"logistic_E_in": E_in, "logistic_E_out": E_out}
        name = {"kind": "draw", "images": "shipped" if data is None else "lecture", "chosen": chosen}
        found += [name | {"terms": number} | line for number, line in enumerate(lines, start=1)]
        if batch == draw == 0:
            found += _boundaries(features, columns, is_one, train, chosen)
    return found


def _line(columns: Any, is_one: Any, train: Any) -> Record:
    E_in, E_out = _errors(LEARNER, columns, is_one, train)
    rows, labels = columns[train], is_one[train]
    fold = draw_folds(labels, len(train), stratify=False, random_state=0)
    answers = shortcuts.find(LEARNER, rows, labels).folds(fold)
    left_out = CrossValidated(ZERO_ONE.pointwise(labels, answers), ZERO_ONE, fold=fold)
    return {"E_in": E_in, "E_cv": left_out.error, "E_out": E_out}


def _errors(learner: Any, columns: Any, is_one: Any, train: Any) -> tuple[float, float]:
    """E_in, and the error on all rows outside of `train`."""
    losses = fit_and_test(learner, columns, is_one, Split(train, np.arange(len(is_one))), ZERO_ONE, state=0).losses
    return float(losses[train].mean()), float(np.delete(losses, train).mean())


def _boundaries(features: Any, columns: Any, is_one: Any, train: Any, chosen: int) -> list[Record]:
    """The training points, and the scores of three hypotheses on a grid."""
    low, high = features.min(axis=0), features.max(axis=0)
    axis = np.linspace(low, high, GRID)
    grid = np.array([(first, second) for first in axis[:, 0] for second in axis[:, 1]])
    at = terms(2 * (grid - low) / (high - low) - 1, ORDER)
    scores = {
        name: learner.fit(columns[train, :number], is_one[train]).decision_function(at[:, :number])
        for name, learner, number in (
            ("of_chosen", LEARNER, chosen),
            ("of_all", LEARNER, TERMS),
            ("of_logistic", CHASING, TERMS),
        )
    }
    of_grid = pd.DataFrame({"kind": "grid", "x1": grid[:, 0], "x2": grid[:, 1], **scores}).to_dict("records")
    points = zip(features[train].tolist(), is_one[train].tolist(), strict=True)
    return of_grid + [{"kind": "point", "x1": x1, "x2": x2, "is_one": one} for (x1, x2), one in points]


def findings(results: pd.DataFrame) -> list[Finding]:
    """The number of terms, and the errors with it and with all terms."""
    draws = results[results["kind"] == "draw"]
    taken, every = draws[draws["terms"] == draws["chosen"]], draws[draws["terms"] == TERMS]
    gain = every["logistic_E_out"].to_numpy() - taken["logistic_E_out"].to_numpy()
    mean, low, high = mean_interval(gain)
    said = "E_out of all terms less E_out of the chosen, both by logistic regression: mean over the draws"
    calm = "linear regression does not chase single errors, not even with 20 terms; logistic regression does"
    return [
        _of_draws("digits-terms-chosen", taken, "chosen", 6),
        _of_draws("digits-error-out-chosen", taken, "E_out", 0.015),
        _of_draws("digits-error-in-chosen", taken, "E_in", 0.008),
        _of_draws("digits-error-out-all", every, "E_out", 0.025, calm),
        _of_draws("digits-error-out-all-logistic", every, "logistic_E_out", 0.025),
        _of_draws("digits-error-in-all-logistic", every, "logistic_E_in", 0.0),
        Finding("digits-gain-of-choice-logistic", mean, low > 0, said, "", low, high),
    ]


def _of_draws(name: str, lines: pd.DataFrame, column: str, published: float, otherwise: str = "") -> Finding:
    """The mean over the draws, of a count the median, and what holds 95 % of the draws."""
    values, count = lines[column], column == "chosen"
    low, high = values.quantile([(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    if (lines["images"] == "shipped").all():
        otherwise = "these are the digits of scikit-learn, of 8 x 8 points, where a 1 is hard to tell apart"
    found = Finding.of(
        name,
        values.median() if count else values.mean(),
        low,
        high,
        published=f"{published:g}",
        rounding=0.0 if count else 0.001,
        otherwise=otherwise or "outside of what holds 95 % of the draws",
    )
    if not found.agrees:
        return found
    first, third = values.quantile([0.25, 0.75])
    of_half = f"; half of the draws are between {first:.0f} and {third:.0f}, where E_cv is flat" if count else ""
    return replace(found, because=f"the interval is of single draws, as the lecture's{of_half}")


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:
    """The three errors against the number of terms, and the boundaries of one draw."""
    return {"": digit_pictures.curves(results), "boundaries": digit_pictures.boundaries(results)}
