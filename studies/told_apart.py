"""How often the best candidate is among those not shown to err more than the winner, and a worse one is not.

    python -m studies.told_apart [--data FOLDER] [--samples 200]    # the table in docs/method.md, in some minutes

Of a population of rows, each sample has N of them; the estimates are those of the shipped settings. A candidate's true
error is that of its hypotheses on the whole population, its mean over the samples says which candidate is the best.
The null pairs are exchangeable: least squares on three columns that matter and on another column of noise each. The
real pairs are learners on the numeric columns of `adult` in FOLDER, next to least squares on fewer columns.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import heldout
from studies.public_sets import IN_FILES

LEVEL = 0.95
Candidates = dict[str, BaseEstimator]
Population = tuple[NDArray[np.float64], NDArray[Any], Candidates]


def _columns(*columns: int) -> BaseEstimator:
    """Least squares on some columns, without a penalty: the others are noise, or left out."""
    return make_pipeline(FunctionTransformer(np.take, kw_args={"indices": columns, "axis": 1}), RidgeClassifier(1e-9))


def populations(folder: Path | None) -> dict[str, Population]:
    """Rows, labels and candidates by name."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20_000, 8))
    y = (X @ [1, 0.7, 0.4, 0, 0, 0, 0, 0] + rng.normal(size=len(X)) > 0).astype(int)
    made: dict[str, Population] = {
        "null: two alike": (X, y, {f"noise {i}": _columns(0, 1, 2, i) for i in (3, 4)}),
        "null: five alike": (X, y, {f"noise {i}": _columns(0, 1, 2, i) for i in range(3, 8)}),
        "a column less": (X, y, {"two": _columns(0, 1), "three": _columns(0, 1, 2)}),
        "two columns less": (X, y, {"one": _columns(0), "three": _columns(0, 1, 2)}),
    }
    if folder is not None:
        file, target = IN_FILES["adult"]
        table = pd.read_parquet(folder / file)
        numbers = table.drop(columns=target).select_dtypes("number").to_numpy(dtype=float)
        learners: Candidates = {
            "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
            "bayes": GaussianNB(),
            "stump": DecisionTreeClassifier(max_depth=1),
            "tree": DecisionTreeClassifier(random_state=0),
        }
        for worse in ("bayes", "stump", "tree"):
            pair = {name: learners[name] for name in ("logistic", worse)}
            made[f"adult: logistic, {worse}"] = (numbers, table[target].to_numpy(), pair)
        made["adult: all four"] = (numbers, table[target].to_numpy(), learners)
    return made


def measure(population: Population, n: int, samples: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The true errors, shape (samples, M), and whether each candidate is in the set, of the same shape."""
    X, y, candidates = population
    errors, inside = [], []
    for sample in range(samples):
        rows = np.random.default_rng([n, sample]).choice(len(y), n, replace=False)
        made = heldout.validate(
            candidates, X[rows], y[rows], estimates=["E_cv"], level=LEVEL, seed=sample, progress=False
        )
        alike = made.select().indistinguishable
        inside.append([name in alike for name in candidates])
        errors.append([np.mean([np.mean(g.predict(X) != y) for g in made.target(name, "E_cv")]) for name in candidates])
    return np.array(errors), np.array(inside)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--samples", type=int, default=200)
    given = parser.parse_args()
    print("| candidates | rows | true errors | the best is in the set | the worst is left out |\n|---|---|---|---|---|")
    for name, population in populations(given.data).items():
        for n in (100, 500):
            errors, inside = measure(population, n, given.samples)
            means = errors.mean(axis=0)
            words = ", ".join(f"{error:.3f}" for error in means)
            held, left_out = inside[:, means.argmin()].mean(), 1 - inside[:, means.argmax()].mean()
            print(f"| {name} | {n} | {words} | {held:.3f} | {left_out:.2f} |", flush=True)


if __name__ == "__main__":
    main()
