"""How often the alarm of `watch` is raised without drift, and how soon with it: the tables of docs/alarm.md.

A row is never disagreed on, or by a third of 30 pairs on average: the disagreement of 30 repeats where the half models
differ at some rows alone. The reference is 4 shards of 300 rows, a new shard has 100.

    python -m studies.alarm                    # 40 streams of 10,000 shards a case: ten minutes
    python -m studies.alarm --data FOLDER      # also occupancy and electricity below FOLDER
    python -m studies.alarm --quick            # few and short streams, printed and not written
"""

import argparse
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from heldout.losses import ZERO_ONE
from heldout.over_time.alarm import Alarm
from heldout.unlabelled.disagreement import disagreements
from studies.detectors import DETECTORS, LEVEL, NEVER, PAIRS, Shares, ours
from studies.made_tables import markdown, write_between

ROWS = 100  # of a new shard
REFERENCE = (4, 300)  # shards, rows
PAGE = Path("docs/alarm.md")
BEGIN, END = "<!-- made by `python -m studies.alarm` -->\n", "<!-- end -->"
MEANS = (0.02, 0.1)  # disagreement without drift
DRIFTS = ((0.05, 0.075), (0.05, 0.1), (0.05, 0.2))


def drawn(rng: np.random.Generator, mean: float, shape: tuple[int, ...]) -> Shares:
    """Rows whose mean disagreement is `mean`, at most a third."""
    shares: Shares = np.where(rng.random(shape) < 3 * mean, rng.binomial(PAIRS, 1 / 3, shape) / PAIRS, 0.0)
    return shares


def streams(count: int, quiet: int, mean: float, drifted: float, after: int) -> Iterator[tuple[Shares, Shares, Shares]]:
    """For each stream the reference, its shards without drift, and those with drift."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        yield (
            drawn(rng, mean, REFERENCE),
            drawn(rng, mean, (quiet, ROWS)),
            drawn(rng, drifted, (after, ROWS)),
        )


def false_alarms(count: int, shards: int, others: int) -> str:
    """The share of streams without drift in which each detector ever reports one; `others` have fewer streams."""
    lines = [["disagreement", "streams", *DETECTORS]]
    for mean in MEANS:
        found: dict[str, list[float]] = {name: [] for name in DETECTORS}
        for number, (reference, quiet, _) in enumerate(streams(count, shards, mean, mean, 0)):
            for name, detector in DETECTORS.items():
                if number < (count if name in ("watch", "threshold") else others):
                    found[name].append(detector(reference, quiet))
        rates = [f"{100 * np.mean(np.isfinite(found[name])):.1f} %" for name in DETECTORS]
        lines.append([f"{mean:g}", f"{count}, {others}", *rates])
    return markdown(lines)


def uneven(count: int, shards: int) -> str:
    """False alarms where each shard has its own mean: gamma, its standard deviation given as a share of the mean."""
    lines = [["spread of the shards' means", *(f"reference of {size} shards" for size in (4, 20, 100))]]
    for spread in (0.25, 0.5, 1.0):
        rates = []
        for size in (4, 20, 100):
            raised = []
            for seed in range(count):
                rng = np.random.default_rng(seed)
                means = np.minimum(rng.gamma(spread**-2, 0.05 * spread**2, size + shards), 1 / 3)[:, None]
                drawn_so = np.where(rng.random((size + shards, ROWS)) < 3 * means, 1, 0)
                rows = drawn_so * rng.binomial(PAIRS, 1 / 3, drawn_so.shape) / PAIRS
                raised.append(ours(rows[:size], rows[size:]) < NEVER)
            rates.append(f"{100 * np.mean(raised):.0f} %")
        lines.append([f"{spread:g} of the mean", *rates])
    return markdown(lines)


def delays(count: int) -> str:
    """The median shard of drift at which each detector reports it, and the share of streams that it stopped before."""
    lines = [["disagreement", "quiet shards before", *DETECTORS]]
    for mean, drifted in DRIFTS:
        for quiet in (0, 100, 1000):
            found: dict[str, list[float]] = {name: [] for name in DETECTORS}
            for reference, before, after in streams(count, quiet, mean, drifted, 100):
                for name, detector in DETECTORS.items():
                    found[name].append(detector(reference, np.concatenate([before, after])) - quiet)
            cells = []
            for name in DETECTORS:
                too_early = np.mean(np.array(found[name]) <= 0)
                later = [delay for delay in found[name] if delay > 0]
                median = float(np.median(later)) if later else math.nan
                shown = "–" if math.isnan(median) else "> 100" if math.isinf(median) else f"{median:g}"
                cells.append(f"{shown}{f' ({100 * too_early:.0f} % before)' if too_early else ''}")
            lines.append([f"{mean:g} to {drifted:g}", str(quiet), *cells])
    return markdown(lines)


def half_models(learner: Any, X: Any, y: Any, repeats: int = 30) -> list[Any]:
    """The pairs of co-validation."""
    from sklearn.base import clone

    rng, models = np.random.default_rng(0), []
    for _ in range(repeats):
        order = rng.permutation(len(y))
        for rows in np.array_split(order, 2):
            models.append(clone(learner).fit(X[rows], y[rows]))
    return models


def found_in(name: str, models: list[Any], shown: list[tuple[str, Any, Any]], reference: Any) -> list[list[str]]:
    """A line for each stream of rows: disagreement, error of the half models, and the shard of the alarm."""

    def by_row(X: Any) -> Shares:
        return disagreements(models, X, ZERO_ONE)[1] / (len(models) // 2)

    known = Alarm.of([by_row(X) for X in np.array_split(reference, 4)])
    lines = []
    for what, X, y in shown:
        alarm, first = known, NEVER
        apart = by_row(X)
        for number, rows in enumerate(np.split(apart, np.arange(ROWS, len(apart), ROWS)), start=1):
            alarm = alarm.after(rows)
            first = min(first, number) if alarm.raised(LEVEL) else first
        error = np.mean([np.mean(model.predict(X) != y) for model in models])
        raised = f"shard {first:g} of {number}" if math.isfinite(first) else f"none in {number} shards"
        lines.append([name, what, f"{100 * apart.mean():.1f} %", f"{100 * error:.1f} %", raised])
    return lines


def blind() -> list[list[str]]:
    """A line in the plane, and what becomes of it: the half models see rows, and never what is right."""
    rng = np.random.default_rng(0)

    def rows(count: int, centre: float = 0.0) -> tuple[Any, Any]:
        X = rng.normal(size=(count, 2)) + np.array([centre, 0.0])
        return X, (X[:, 0] + 0.5 * rng.normal(size=count) > 0).astype(int)

    X, y = rows(200)
    models = half_models(LogisticRegression(), X, y)
    (quiet, right), (far, of_far) = rows(5000), rows(5000, 3.0)
    shown = [
        ("as before", quiet, right),
        ("every label is the other one", quiet, 1 - right),
        ("all rows move to one side, whose labels are the other ones", far, 1 - of_far),
    ]
    return found_in("simulated line", models, shown, rows(1200)[0])


def real(folder: Path) -> list[list[str]]:
    """Occupancy and electricity: 300 labelled rows of the beginning, and what comes after it."""
    room = pd.read_csv(folder / "occupancy/occupancy_detection.csv")
    numbers = ["Temperature", "Humidity", "Light", "CO2", "HumidityRatio"]
    learners = {
        "tree": DecisionTreeClassifier(random_state=0),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    }
    parts = {part: (of[numbers].to_numpy(), of["Occupancy"].to_numpy()) for part, of in room.groupby("part")}
    lines = []
    for name, learner in learners.items():
        lines += _ahead(f"occupancy, {name}", learner, *parts["train"], {"door mostly open": parts["test2"]})
    prices = pd.read_parquet(folder / "electricity_elec2/elec2.parquet")
    X, y = prices.drop(columns=["class", "date"]).to_numpy(dtype=float), prices["class"].to_numpy()
    early, late = slice(0, 8000), slice(20000, None)
    for name, learner in learners.items():
        lines += _ahead(f"electricity, {name}", learner, X[early], y[early], {"a year later": (X[late], y[late])})
    return lines


def _ahead(name: str, learner: Any, X: Any, y: Any, later: dict[str, tuple[Any, Any]]) -> list[list[str]]:
    order = np.random.default_rng(1).permutation(len(y))
    labeled, reference, quiet = np.split(order, [300, 1500])
    models = half_models(learner, X[labeled], y[labeled])
    shown = [("same weeks, shuffled", X[quiet], y[quiet]), *((what, *rows) for what, rows in later.items())]
    return found_in(name, models, shown, X[reference])


def tables(quick: bool, folder: Path | None) -> str:
    """All tables in Markdown."""
    seen = [["rows", "stream", "disagreement", "error of the half models", "first alarm"], *blind()]
    seen += real(folder) if folder else []
    parts = [false_alarms(5, 200, 2) if quick else false_alarms(40, 10_000, 2)]
    parts += [uneven(5, 100) if quick else uneven(40, 300), delays(3 if quick else 20)]
    return "\n".join([*parts, markdown(seen)])


def main() -> int:
    """Write the tables into the page, or print them."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--data", type=Path)
    arguments = parser.parse_args()
    made = tables(arguments.quick, arguments.data)
    if arguments.quick:
        print(made)
        return 0
    write_between(PAGE, BEGIN, END, made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
