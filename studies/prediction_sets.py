"""How often prediction sets hold the label of a new row: the table in docs/method.md.

Samples are drawn from the populations of `studies.populations`, whose other rows are the new rows. The hold-out
calibrates the threshold of g-; the sets of g, trained on all rows of the sample, take the same threshold. Both for a
candidate that was named before, and for the one that wins by E_cv on the same rows.
    python -m studies.prediction_sets            # half an hour
    python -m studies.prediction_sets --quick    # two minutes: few samples
"""

import argparse
import warnings
from collections.abc import Iterator
from string import ascii_lowercase
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import heldout
from heldout.diagnosis.prediction_sets import answers_of, sets_of
from heldout.losses import ZERO_ONE
from heldout.losses.loss import places
from heldout.parts.partition import rarest_class
from studies.populations import SIMULATED, SIZE, Population, population

LEVEL = 0.95
SIZES = (100, 300, 1000)
SAMPLES, QUICK_SAMPLES = 200, 20
_SEED = 20261123
NAMED = "linear"  # the candidate that was named before
OF_CLASSES = {
    NAMED: LogisticRegression(),
    "bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(min_samples_leaf=5),
    "nearest": KNeighborsClassifier(),
}
OF_NUMBERS = {NAMED: Ridge(), "tree": DecisionTreeRegressor(min_samples_leaf=5), "nearest": KNeighborsRegressor()}


def letters() -> Population:
    """26 classes around centres of their own: of some a small sample has no held-out row."""
    rng = np.random.default_rng(_SEED)
    centres, y = 1.3 * rng.normal(size=(26, 8)), rng.integers(0, 26, SIZE)
    X = (centres[y] + rng.normal(size=(SIZE, 8))).astype(np.float32)
    return Population(X, np.array([*ascii_lowercase])[y], ZERO_ONE)


def covered(
    hypothesis: Any, made: Population, rows: NDArray[np.intp], threshold: float, classes: Any
) -> tuple[float, float]:
    """The share of `rows` whose label is in its set, and the mean size or width of a set."""
    y = made.y[rows]
    sets = sets_of(answers_of(hypothesis, made.X, classes, rows), classes, threshold)
    if classes is None:
        return float(((sets[:, 0] <= y) & (y <= sets[:, 1])).mean()), float((sets[:, 1] - sets[:, 0]).mean())
    place = places(y, classes)
    return float((sets[np.arange(len(y)), place] & (place >= 0)).mean()), float(sets.sum(axis=1).mean())


def lines(name: str, made: Population, n: int, samples: int) -> Iterator[dict[str, Any]]:
    """A line for each sample and choice: the named candidate, and the winner."""
    rng = np.random.default_rng([_SEED, n])
    candidates = OF_CLASSES if made.loss.of_classes else OF_NUMBERS
    for sample in range(samples):
        order = rng.permutation(SIZE)
        mine, new = np.sort(order[:n]), order[n:]
        if made.loss.of_classes and rarest_class(made.y[mine])[1] < 2 and len(np.unique(made.y)) == 2:
            continue  # `validate` refuses it
        found = heldout.validate(
            candidates,
            made.X[mine],
            made.y[mine],
            loss=made.loss.name,
            seed=sample,
            level=LEVEL,
            estimates=["E_in", "E_val", "E_cv"],
            intervals={"E_cv": "Bayle within folds"},  # no further fits
            progress=False,
        )
        winner = found.select().selected
        for choice, candidate in (("named", NAMED), ("winner", winner)):
            sets = found.prediction_sets(made.X[new[:1]], candidate)
            for which, estimate in (("g-", "E_val"), ("g", "E_in")):
                (hypothesis,) = found.target(candidate, estimate)
                share, size = covered(hypothesis, made, new, sets.threshold, sets.classes)
                yield {"population": name, "n": n, "choice": choice, "of": which, "coverage": share, "size": size}


def main() -> None:
    """Print the mean coverage of each cell with its standard error, and the mean size or width."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--samples", type=int)
    arguments = parser.parse_args()
    samples = arguments.samples or (QUICK_SAMPLES if arguments.quick else SAMPLES)
    warnings.simplefilter("ignore")
    populations = {**{name: population(name, None) for name in SIMULATED}, "26 classes": letters()}
    for name, made in populations.items():
        for n in SIZES:
            table = pd.DataFrame(lines(name, made, n, samples))
            cells = table.groupby(["population", "n", "choice", "of"])[["coverage", "size"]]
            shown = cells.mean().assign(error=cells.sem()["coverage"]).round(4)
            print(shown.to_string(header=n == SIZES[0]), flush=True)


if __name__ == "__main__":
    main()
