"""A test set by the content of rows is no fair draw where few distinct rows make up a table; by their numbers it is.

Each part takes a fifth of the rows, under many keys: at random; by a hash of the row with its label; by a hash of its
features; and by the row and its number among equal rows, as `split.test_fraction` does. The mean error of a tree on the
part is compared with that on random parts. The Titanic has 2201 rows of 3 columns of 2 to 4 values; two tables are
made, of 1000 rows of 4 columns of 3 values, and of 1250 rows of which half are copies; wine_quality has 6497 rows, and
phishing 1250.
"""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy import stats
from sklearn.preprocessing import OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

from heldout.rows.row_identity import Words, drawn, identities, numbers
from studies import public_sets
from studies.study import LEVEL, Finding, Record, mean_interval
from tasks.data.row_contents import contents

SEED, NEEDS_DATA = 0, True
KEYS, QUICK_KEYS, FRACTION = 100, 10, 0.2
LABEL = "label"
HOW = ("at random", "by row with label", "by features", "by row and its number")
REAL = ("wine_quality", "phishing")
Unit = tuple[str, int]  # a table, and how many keys

# The Titanic: those who died and who lived, by class, sex and age (R. J. M. Dawson, J. Stat. Educ. 3(3), 1995)
_DIED_LIVED = {
    ("1st", "male", "child"): (0, 5),
    ("2nd", "male", "child"): (0, 11),
    ("3rd", "male", "child"): (35, 13),
    ("crew", "male", "child"): (0, 0),
    ("1st", "female", "child"): (0, 1),
    ("2nd", "female", "child"): (0, 13),
    ("3rd", "female", "child"): (17, 14),
    ("crew", "female", "child"): (0, 0),
    ("1st", "male", "adult"): (118, 57),
    ("2nd", "male", "adult"): (154, 14),
    ("3rd", "male", "adult"): (387, 75),
    ("crew", "male", "adult"): (670, 192),
    ("1st", "female", "adult"): (4, 140),
    ("2nd", "female", "adult"): (13, 80),
    ("3rd", "female", "adult"): (89, 76),
    ("crew", "female", "adult"): (3, 20),
}


def titanic() -> pd.DataFrame:
    """2201 rows of three columns of few values."""
    rows = [(*cell, lived) for cell, counts in _DIED_LIVED.items() for lived in (0, 1) for _ in range(counts[lived])]
    return pd.DataFrame(rows, columns=["class", "sex", "age", LABEL])


def of_few_values(seed: int = 0) -> pd.DataFrame:
    """1000 rows of four columns of three values, whose label has noise."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (1000, 4))
    likely = 1 / (1 + np.exp(-1.3 * (X.sum(axis=1) - 4)))
    return pd.DataFrame(X, columns=list("abcd")).assign(label=(rng.random(1000) < likely).astype(int))


def half_copies(seed: int = 0) -> pd.DataFrame:
    """1250 rows of nine columns of three values, half of them equal to another, whose labels agree in .95."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (940, 9))
    X = np.concatenate([X, X[rng.integers(0, 470, 310)]])
    sure = X[:, :3].sum(axis=1) > 3
    wrong = rng.random(len(X)) < 0.05
    return pd.DataFrame(X, columns=list("abcdefghi")).assign(label=(sure ^ wrong).astype(int))


def words(table: pd.DataFrame) -> dict[str, Words]:
    """The word of each row that a hash of the test set starts from, for each of `HOW` but the first."""
    content = contents(table)
    by_number = identities(content, numbers(content))
    return dict(zip(HOW[1:], (content, contents(table.drop(columns=LABEL)), by_number), strict=True))


def errors(table: pd.DataFrame, keys: int) -> dict[str, NDArray[np.float64]]:
    """The test error of a tree under each key, shape (keys,), for each of `HOW`. Parts without a row are left out."""
    features = table.drop(columns=LABEL)
    texts = features.select_dtypes(exclude="number").columns
    X, y = features.assign(**{name: _codes(features[name]) for name in texts}).to_numpy(float), table[LABEL].to_numpy()
    found = {}
    for how, of_rows in {HOW[0]: None, **words(table)}.items():
        parts = (
            np.random.default_rng(key).random(len(y)) < FRACTION if of_rows is None else drawn(of_rows, key, FRACTION)
            for key in range(keys)
        )
        found[how] = np.array([_error(X, y, part) for part in parts if part.any()])
    return found


def _codes(values: pd.Series) -> NDArray[np.float64]:
    codes: NDArray[np.float64] = OrdinalEncoder().fit_transform(values.astype(str).to_frame()).ravel()
    return codes


def _error(X: NDArray[np.float64], y: NDArray[np.generic], part: NDArray[np.bool_]) -> float:
    tree = DecisionTreeClassifier(random_state=0).fit(X[~part], y[~part])
    return float((tree.predict(X[part]) != y[part]).mean())


MADE = {"titanic": titanic, "few_values": of_few_values, "half_copies": half_copies}


def units(quick: bool) -> Sequence[Unit]:
    """Each table."""
    return [(name, QUICK_KEYS) for name in MADE] if quick else [(name, KEYS) for name in (*MADE, *REAL)]


def measure(unit: Unit, data: Path | None) -> list[Record]:
    """The error on each part."""
    name, keys = unit
    found = errors(table(name, data), keys)
    return [{"table": name, "how": how, "error": float(one)} for how, of in found.items() for one in of]


def table(name: str, data: Path | None) -> pd.DataFrame:
    """The table of that name, with its column `LABEL`."""
    if name in MADE:
        return MADE[name]()
    with tempfile.TemporaryDirectory() as scratch:
        found = public_sets.find(name, data or Path(), Path(scratch))
        return pd.read_csv(found.path).rename(columns={found.target: LABEL})


def findings(results: pd.DataFrame) -> list[Finding]:
    """The mean error on random parts, and how far that on the others is from it."""
    found = []
    for name, own in results.groupby("table", sort=False):
        by_how = {how: own["error"][own["how"] == how].to_numpy() for how in HOW}
        finding, (random, low, high) = f"test-sets-{str(name).replace('_', '-')}", mean_interval(by_how[HOW[0]])
        found.append(Finding(f"{finding}-at-random", random, True, "the mean error of a tree", "", low, high))
        for how in HOW[1:]:
            apart = float(by_how[how].mean()) - random
            low, high = stats.ttest_ind(by_how[how], by_how[HOW[0]], equal_var=False).confidence_interval(LEVEL)
            fair = low <= 0 <= high
            why = "the mean error on the part less that on random parts"
            if how == HOW[-1]:
                found.append(Finding(f"{finding}-by-number", apart, fair, why, 0, low, high))
            else:
                found.append(Finding(f"{finding}-{how.replace(' ', '-')}", apart, True, why, "", low, high))
    return found


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:  # noqa: ARG001
    """None: the numbers are few."""
    return {}
