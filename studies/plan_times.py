"""The forecast of `python -m flows plan` against the seconds of the run, on some shapes of table.

Each table is made from a seed, and run in a fresh clone of the last commit: `init`, `prepare`, `plan`, then `dvc repro`
without a stored fit. Run it on an idle machine.

    python -m studies.plan_times               # all shapes, about ten minutes
    python -m studies.plan_times --only wide   # one shape
"""

import argparse
import re
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from studies.run_set import call

FACTOR = 1.5  # by which a forecast may be wrong
_WORDS = np.array([f"{first}{second}" for first in "bdfgklmnprstvz" for second in ("ala", "emo", "iru", "ono", "uti")])


def _numbers(rows: int, columns: int, classes: int, seed: int = 0) -> pd.DataFrame:
    """Normal features; the label is the class of the highest of some noisy sums, or for one class a noisy sum."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    sums = X @ rng.normal(size=(columns, classes)) / columns**0.5 + 0.5 * rng.normal(size=(rows, classes))
    label = sums[:, 0] if classes == 1 else np.array([f"c{number}" for number in range(classes)])[sums.argmax(axis=1)]
    return pd.DataFrame(X.round(4), columns=[f"x{place}" for place in range(columns)]).assign(label=label)


def _texts(rows: int, seed: int = 0) -> pd.DataFrame:
    """Texts of sixty words; each class prefers other words."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 2, rows)
    shares = rng.dirichlet(np.ones(len(_WORDS)), 2)
    texts = [" ".join(rng.choice(_WORDS, 60, p=shares[one] / 2 + shares.mean(axis=0) / 2)) for one in kind]
    return pd.DataFrame({"text": texts, "label": np.where(kind == 1, "one", "other")})


def _names(rows: int, seed: int = 0) -> pd.DataFrame:
    """A table as of flights: numbers, categories, and a name that stands in many rows and says something."""
    rng = np.random.default_rng(seed)
    X = _numbers(rows, 16, 1, seed).drop(columns="label")
    for name, count in (("carrier", 16), ("origin", 300), ("destination", 300), ("tail", 4000)):
        effect, which = rng.normal(size=count), rng.integers(0, count, rows)
        X[name] = np.array([f"{name[0]}{place:05d}" for place in range(count)])[which]
        X["x0"] += effect[which].round(4) * (name == "tail")
    late = X["x0"] + X["x1"] * X["x2"] + rng.normal(size=rows) > 1
    return X.assign(label=np.where(late, "late", "in time"))


SHAPES: dict[str, Callable[[], pd.DataFrame]] = {
    "few rows": lambda: _numbers(400, 8, 2),
    "many rows": lambda: _numbers(200_000, 12, 2),
    "wide": lambda: _numbers(3000, 600, 2),
    "text": lambda: _texts(4000),
    "many classes": lambda: _numbers(15_000, 16, 20),
    "names": lambda: _names(330_000),
    "numbers": lambda: _numbers(20_000, 10, 1),
}


@dataclass(frozen=True)
class Outcome:
    """One shape: the seconds that `init` and `plan` forecast, None where `init` did not measure, and of the run."""

    name: str
    rows: int
    columns: int
    of_init: int | None
    of_plan: int
    real: float

    @property
    def ratio(self) -> float:
        """The seconds of the run by those of `plan`."""
        return self.real / self.of_plan


def run(name: str, table: pd.DataFrame) -> Outcome:
    """Take one table from its file to the decision, in a clone below a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="heldout-") as folder:
        clone, file = Path(folder) / "checkout", Path(folder) / "table.parquet"
        table.to_parquet(file)
        call(["git", "clone", "--quiet", str(Path.cwd()), str(clone)], Path(folder))
        flows = [sys.executable, "-m", "flows"]
        said = call([*flows, "init", str(file), "--target", "label"], clone)
        call([*flows, "prepare"], clone)
        plan = call([*flows, "plan"], clone)
        started = time.monotonic()
        call([sys.executable, "-m", "dvc", "repro"], clone)
        real = time.monotonic() - started
    expected = re.search(r"^plan +(\d+) s expected", said, re.MULTILINE)
    of_plan = re.search(r"^expected +(\d+) s", plan, re.MULTILINE)
    assert of_plan is not None, plan  # noqa: S101
    rows, columns = table.shape
    return Outcome(name, rows, columns - 1, None if expected is None else int(expected[1]), int(of_plan[1]), real)


def line(outcome: Outcome) -> str:
    """A line of the table."""
    of_init = "–" if outcome.of_init is None else str(outcome.of_init)
    within = "yes" if 1 / FACTOR <= outcome.ratio <= FACTOR else "no"
    cells = (outcome.name, str(outcome.rows), str(outcome.columns), of_init, str(outcome.of_plan))
    return f"| {' | '.join(cells)} | {outcome.real:.0f} | {outcome.ratio:.2f} | {within} |"


def main() -> None:
    """Run the wanted shapes, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=SHAPES, help="run this shape alone")
    arguments = parser.parse_args()
    print("| shape | rows | columns | init, s | plan, s | run, s | run / plan | within 1.5 |")
    print("|---|---|---|---|---|---|---|---|")
    for name in [arguments.only] if arguments.only else SHAPES:
        print(line(run(name, SHAPES[name]())), flush=True)


if __name__ == "__main__":
    main()
