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
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from mapie.exchangeability_testing import OnlineMartingaleTest
from numpy.typing import NDArray
from river.drift import ADWIN, PageHinkley
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from heldout.alarm import BETS, Alarm, Reference, waiting
from heldout.disagreement import disagreements
from heldout.losses import ZERO_ONE
from studies.made_tables import markdown, write_between

Shares = NDArray[np.float64]
Detector = Callable[[Shares, Shares], float]  # of the reference's rows and new shards, (T, n): at which shard, from 1
PAIRS, ROWS, LEVEL = 30, 100, 0.05
REFERENCE = (4, 300)  # shards, rows
PAGE = Path("docs/alarm.md")
BEGIN, END = "<!-- made by `python -m studies.alarm` -->\n", "<!-- end -->"
MEANS = (0.02, 0.1)  # disagreement without drift
DRIFTS = ((0.05, 0.075), (0.05, 0.1), (0.05, 0.2))
NEVER = math.inf
_AT_ONCE, _MOST = 500, 600  # shards; the logarithm of evidence


def drawn(rng: np.random.Generator, mean: float, shape: tuple[int, ...]) -> Shares:
    """Rows whose mean disagreement is `mean`, at most a third."""
    shares: Shares = np.where(rng.random(shape) < 3 * mean, rng.binomial(PAIRS, 1 / 3, shape) / PAIRS, 0.0)
    return shares


def evidence(alarm: Alarm, shards: Shares) -> Shares:
    """The evidence after each of T shards, shape (T, n), as `Alarm` has it: here many shards' gains are one product."""
    votes = np.rint(PAIRS * shards).astype(np.intp)
    return (_evidence(alarm.more.reference, votes) + _evidence(alarm.less.reference, PAIRS - votes)) / 2


def _evidence(reference: Reference, votes: NDArray[np.intp]) -> Shares:
    """That of one side, for the number of pairs that differ at each row."""
    values, shards = np.arange(PAIRS + 1) / PAIRS, len(votes)
    places = votes + (PAIRS + 1) * np.arange(shards)[:, None]
    counts = np.bincount(places.ravel(), minlength=shards * (PAIRS + 1)).reshape(shards, -1)
    lower = np.concatenate([[0.0], reference.means[:-1]])
    odds = np.divide.outer(values, reference.means) - 1, (lower - values[:, None]) / (1 - lower)
    first, second = (
        np.array([np.log1p(bet * of) for bet in BETS]).swapaxes(0, 1).reshape(len(values), -1) for of in odds
    )
    effect = reference.design_effect(votes.shape[1])
    power = min(1.0, reference.design_effect(reference.size) / effect)
    staked, found = np.full(reference.logs.shape, -np.inf), np.empty(shards)
    for t in range(shards):
        if t % _AT_ONCE == 0:
            some = counts[t : t + _AT_ONCE]
            gains, of_reference = some @ first / effect, some @ second * power
        started = reference.known + math.log((waiting(t) - waiting(t + 1)) / len(BETS))
        staked = np.logaddexp(staked, started) + gains[t % _AT_ONCE].reshape(staked.shape)
        logs = reference.logs + of_reference[t % _AT_ONCE].reshape(staked.shape)
        reference = replace(reference, logs=logs)
        capital = np.logaddexp(np.logaddexp.reduce(staked, axis=0), reference.known + math.log(waiting(t + 1)))
        found[t] = math.exp(min(capital.min(), _MOST))
    return found


def ours(reference: Shares, shards: Shares) -> float:
    """The alarm of `watch`."""
    return _first(evidence(Alarm.of([*reference]), shards) >= 1 / LEVEL)


def threshold(reference: Shares, shards: Shares) -> float:
    """A shard whose mean is three standard errors above that of the reference."""
    return _first(shards.mean(axis=1) > reference.mean() + 3 * reference.std() / math.sqrt(shards.shape[1]))


def page_hinkley(reference: Shares, shards: Shares) -> float:
    """river's, row by row, with its defaults."""
    return _by_row(PageHinkley(mode="up"), reference, shards)


def adwin(reference: Shares, shards: Shares) -> float:
    """river's, row by row, with its defaults."""
    return _by_row(ADWIN(), reference, shards)


def mapie(reference: Shares, shards: Shares) -> float:
    """MAPIE's online test of exchangeability by a jumper martingale, here of shards by their means."""
    test = OnlineMartingaleTest(task="regression", test_level=LEVEL, warn=False, random_state=0)
    seen: list[float] = []
    cut = reference.reshape(-1, shards.shape[1]).mean(axis=1)
    for number, mean in enumerate([*cut, *shards.mean(axis=1)]):
        test.update_simple_jumper_martingale(test.compute_p_value(mean, np.array(seen)))
        seen.append(float(mean))
        if test.current_martingale_value >= 1 / LEVEL:
            return max(number + 1 - len(cut), 1.0)
    return NEVER


DETECTORS: dict[str, Detector] = {
    "watch": ours,
    "threshold": threshold,
    "Page-Hinkley": page_hinkley,
    "ADWIN": adwin,
    "MAPIE": mapie,
}


def _by_row(detector: Any, reference: Shares, shards: Shares) -> float:
    for value in reference.ravel().tolist():
        detector.update(value)
    for number, rows in enumerate(shards.tolist(), start=1):
        for value in rows:
            detector.update(value)
            if detector.drift_detected:
                return float(number)
    return NEVER


def _first(hit: NDArray[np.bool_]) -> float:
    return float(hit.argmax() + 1) if hit.any() else NEVER


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
