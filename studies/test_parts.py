"""The test error of a tree where few distinct rows make up a table, by how the test part is drawn: for method.md.

Each part takes a fifth of the rows, under many keys. At random; by a hash of the row with its label, as earlier
versions did; by a hash of its features; and by the row and its number among equal rows, as now.

    python -m studies.test_parts --data FOLDER    # two minutes; without a folder, without the real sets
    python -m studies.test_parts --quick          # 20 keys, printed and not written
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.preprocessing import OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

from heldout.rows.row_identity import Words, drawn, identities, numbers
from studies import public_sets
from studies.made_tables import markdown, write_between
from tasks.data.row_contents import contents

KEYS, QUICK_KEYS, FRACTION = 100, 20, 0.2
LABEL = "label"
PAGE = Path("docs/method.md")
BEGIN, END = "<!-- made by `python -m studies.test_parts` -->\n", "<!-- end of test_parts -->"
HOW = ("at random", "by row with label", "by features", "by row and its number")
REAL = ("wine_quality", "phishing")

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
    """The word of each row that a hash of the test part starts from, for each of `HOW` but the first."""
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


def tables(data: Path | None) -> Iterator[tuple[str, pd.DataFrame]]:
    """The name of each table, and the table with its column `LABEL`."""
    yield "Titanic, 2201 rows, 3 columns of 2 to 4 values", titanic()
    yield "made, 1000 rows, 4 columns of 3 values", of_few_values()
    yield "made, 1250 rows, half of them copies", half_copies()
    if data is None:
        return
    with tempfile.TemporaryDirectory() as scratch:
        for name in REAL:
            found = public_sets.find(name, data, Path(scratch))
            table = pd.read_csv(found.path).rename(columns={found.target: LABEL})
            yield f"{name}, {len(table)} rows", table


def page(data: Path | None, keys: int) -> str:
    """The table in Markdown: means over the keys, and their standard error."""
    lines = [["mean test error of a tree", *HOW]]
    for name, table in tables(data):
        found = errors(table, keys)
        cells = (f"{of.mean():.3f} ± {of.std(ddof=1) / len(of) ** 0.5:.3f}" for of in found.values())
        lines.append([name, *cells])
    return markdown(lines)


def main() -> int:
    """Write the table into the page, or print it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    if asked.quick:
        print(page(asked.data, QUICK_KEYS))
        return 0
    write_between(PAGE, BEGIN, END, page(asked.data, KEYS))
    return 0


if __name__ == "__main__":
    sys.exit(main())
