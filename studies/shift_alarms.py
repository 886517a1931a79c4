"""Which alarm sees which shift, and how soon: covariates, labels and concepts, sudden and gradual, on four tables.

500 labelled rows train a logistic regression and ten pairs of half models; the reference has 4 shards of 300 rows, new
shards have 100. A table is a population: made rows (six normal columns, two classes), and adult, occupancy and
electricity without their order. Rows are drawn from it; after 20 quiet shards they are drawn by a column, on which the
hypothesis relies most or least, or by class, or half of the table has a third of its labels replaced. A sudden shift
has all of it at once, a gradual one more with each of 20 shards. `none` never shifts, in 50 shards.

Without labels: `half models` and `columns` are the alarms of `watch` at 5 % each, `answers` its evidence on the classes
that half models answer; ADWIN and Page-Hinkley, as river has them, see the disagreement of each row; MAPIE's jumper
martingale sees the hypothesis' largest probability, or each column by itself (a mean of martingales, made rows alone).
With all labels at once: `errors` are the bets of `watch` on the errors of the hypothesis, and ADWIN, Page-Hinkley and
MAPIE see the error, or the probability of the label. MAPIE takes a long time for a row, and has fewer streams.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from heldout.losses import ZERO_ONE
from heldout.monitoring.alarm import Alarm
from heldout.monitoring.column_alarm import ColumnAlarm
from heldout.unlabelled.answer_shares import answer_shares
from heldout.unlabelled.disagreement import disagreements
from studies.half_models import half_models
from studies.real_tables import read
from studies.study import Finding, Record, share_interval

SEED, NEEDS_DATA = 0, True
LEVEL = 0.05
LABELLED, REFERENCE, ROWS, PAIRS = 500, (4, 300), 100, 10
QUIET, SHIFTED, GRADUAL = 20, 30, 20  # shards before the shift, with it, and until a gradual one is whole
STREAMS, OF_NONE, OF_MAPIE = 6, 20, 2  # of a table and a case; without a shift; that MAPIE has
MOST = 20_000  # rows of a table
TILT = 0.5  # a standard deviation of the column counts e**TILT: of a normal column, the mean moves by that much
SHARE = 0.8  # of the rarer class, where labels shift
REPLACED = 1 / 3  # of the labels where a column is above its median
TABLES = ("made", "adult", "occupancy", "electricity_elec2")
KINDS = {
    "none": "no shift",
    "covariates": "rows by the column that counts most",
    "covariates-unused": "rows by the column that counts least",
    "labels": "rows by class",
    "concept": "the same rows, other labels",
}
WITHOUT_LABELS = ("half-models", "columns", "answers", "ADWIN", "Page-Hinkley", "MAPIE", "MAPIE-columns")
WITH_LABELS = ("errors", "ADWIN-errors", "Page-Hinkley-errors", "MAPIE-labels")
DETECTORS = (*WITHOUT_LABELS, *WITH_LABELS)
PROMISED = ("half-models", "columns", "answers", "MAPIE", "MAPIE-columns", "errors", "MAPIE-labels")  # at most LEVEL
NEVER = math.inf
Rows = NDArray[np.float64]


@dataclass(frozen=True)
class Unit:
    """A stream of a table with a shift of some kind."""

    table: str
    kind: str
    sudden: bool
    stream: int


def units(quick: bool) -> Sequence[Unit]:
    """Each case for each table; the quick form has the made rows alone, and one stream of each."""
    streams = {kind: OF_NONE if kind == "none" else STREAMS for kind in KINDS}
    return [
        Unit(table, kind, sudden, stream)
        for table in (TABLES[:1] if quick else TABLES)
        for kind in KINDS
        for sudden in ((True,) if kind == "none" or quick else (True, False))
        for stream in range(2 if quick else streams[kind])
    ]


@dataclass(frozen=True, eq=False)
class Population:
    """Rows X, shape (N, p), with mean 0 and variance 1, and their two classes y, shape (N,)."""

    X: Rows
    y: NDArray[np.int64]


@lru_cache(maxsize=1)
def population(name: str, data: Path | None) -> Population:
    """The table of that name, at most MOST rows of it."""
    rng = np.random.default_rng([SEED, *map(ord, name)])
    if name == "made":
        X = rng.normal(size=(MOST, 6))
        score = X @ np.array([2.0, 1, 1, 0.5, 0.5, 0]) + X[:, 0] * X[:, 1] + rng.logistic(size=MOST)
        return Population(X, (score > 0).astype(np.int64))
    frame, target = read(name, data)
    columns = frame.drop(columns=[column for column in frame if column == "date"]).select_dtypes("number")
    rows = rng.permutation(len(frame))[:MOST]
    y = np.unique(target.to_numpy(), return_inverse=True)[1].astype(np.int64)
    return Population(StandardScaler().fit_transform(columns.to_numpy(dtype=float)[rows]), y[rows])


def drawn(
    of: Population, kind: str, weight: float, champion: LogisticRegression, n: int, rng: np.random.Generator
) -> Population:
    """Rows of a population, of which each is of the shifted one with chance `weight`."""
    size, shifted = len(of.y), rng.random(n) < weight
    order = np.argsort(np.abs(champion.coef_[0]))
    column = of.X[:, order[0 if kind == "covariates-unused" else -1]]
    chances = np.full(size, 1 / size)
    if kind.startswith("covariates"):
        chances = np.exp(TILT * np.clip(column, -3, 3))
    elif kind == "labels":
        rarer = int(of.y.mean() < 0.5)
        counts = np.bincount(of.y, minlength=2)
        chances = np.where(of.y == rarer, SHARE / counts[rarer], (1 - SHARE) / counts[1 - rarer])
    places = np.where(shifted, rng.choice(size, n, p=chances / chances.sum()), rng.integers(size, size=n))
    y = of.y[places]
    if kind == "concept":
        other = shifted & (column[places] > np.median(column)) & (rng.random(n) < REPLACED)
        y = np.where(other, 1 - y, y)
    return Population(of.X[places], y)


def measure(unit: Unit, data: Path | None) -> list[Record]:
    """For each detector, the shard after the quiet ones at which it is raised; not above 0 for one before."""
    of, rng = population(unit.table, data), np.random.default_rng([SEED, unit.stream, *map(ord, repr(unit))])
    picked = rng.integers(len(of.y), size=LABELLED)
    champion = LogisticRegression(max_iter=300).fit(of.X[picked], of.y[picked])
    models = half_models(champion, of.X[picked], of.y[picked], ZERO_ONE, PAIRS, unit.stream)
    weights = [0.0] * QUIET + [1.0 if unit.sudden else min(1.0, (t + 1) / GRADUAL) for t in range(SHIFTED)]
    reference = [drawn(of, "none", 0, champion, REFERENCE[1], rng) for _ in range(REFERENCE[0])]
    shards = [drawn(of, unit.kind, weight, champion, ROWS, rng) for weight in weights]
    before, error = (np.mean([_errors(champion, rows).mean() for rows in some]) for some in (reference, shards[-10:]))
    streams = _streams(unit, champion, models, of.X[picked], reference, shards)
    return [
        {
            "table": unit.table,
            "kind": unit.kind,
            "sudden": unit.sudden,
            "detector": name,
            "raised": _first(raised) - QUIET,
            "before": before,
            "error": error,
        }
        for name, raised in streams
    ]


def _streams(
    unit: Unit,
    champion: LogisticRegression,
    models: list[Any],
    known: Rows,
    reference: list[Population],
    shards: list[Population],
) -> Iterator[tuple[str, Iterator[bool]]]:
    """Each detector by its name, and whether it is raised at each shard."""

    def of_each(values: Callable[[Population], Rows]) -> tuple[list[Rows], list[Rows]]:
        return [values(rows) for rows in reference], [values(rows) for rows in shards]

    apart = of_each(lambda rows: disagreements(models, rows.X, ZERO_ONE)[1] / PAIRS)
    wrong = of_each(lambda rows: _errors(champion, rows))
    yield "half-models", _bets(*apart)
    yield "columns", _columns(known, reference, shards)
    yield "answers", _bets(*of_each(lambda rows: answer_shares(models, rows.X, ZERO_ONE, [1])[:, 0]))
    yield "errors", _bets(*wrong)
    for suffix, values in (("", apart), ("-errors", wrong)):
        yield f"ADWIN{suffix}", _of_river("ADWIN", *values)
        yield f"Page-Hinkley{suffix}", _of_river("PageHinkley", *values)
    if unit.stream < OF_MAPIE:
        yield "MAPIE", _martingales(*of_each(lambda rows: champion.predict_proba(rows.X).max(axis=1)[:, None]))
        yield "MAPIE-labels", _martingales(*of_each(lambda rows: _of_label(champion, rows)[:, None]))
        if unit.table == "made":
            yield "MAPIE-columns", _martingales(*of_each(lambda rows: rows.X))


def _errors(champion: LogisticRegression, rows: Population) -> Rows:
    return np.asarray(champion.predict(rows.X) != rows.y, dtype=np.float64)


def _of_label(champion: LogisticRegression, rows: Population) -> Rows:
    """The probability of each row's label."""
    return np.asarray(champion.predict_proba(rows.X)[np.arange(len(rows.y)), rows.y])


def _bets(reference: list[Rows], shards: list[Rows]) -> Iterator[bool]:
    alarm = Alarm.of(reference)
    for rows in shards:
        alarm = alarm.after(rows)
        yield alarm.raised(LEVEL)


def _columns(known: Rows, reference: list[Population], shards: list[Population]) -> Iterator[bool]:
    def frame(X: Rows) -> pd.DataFrame:
        return pd.DataFrame(X, columns=[f"column {place}" for place in range(X.shape[1])])

    alarm = ColumnAlarm.of(frame(known), [frame(rows.X) for rows in reference])
    for rows in shards:
        alarm = alarm.after(frame(rows.X))
        yield alarm.raised(LEVEL)


def _of_river(name: str, reference: list[Rows], shards: list[Rows]) -> Iterator[bool]:
    """river's detector with its defaults, row by row."""
    from river import drift

    detector = getattr(drift, name)()
    for value in np.concatenate(reference).tolist():
        detector.update(value)
    for rows in shards:
        raised = False
        for value in rows.tolist():
            detector.update(value)
            raised = raised or detector.drift_detected
        yield raised


def _martingales(reference: list[Rows], shards: list[Rows]) -> Iterator[bool]:
    """The mean of MAPIE's jumper martingales of each column, of shape (n, q), after each shard; the rows join in."""
    from mapie.exchangeability_testing import OnlineMartingaleTest

    seen = np.concatenate(reference)
    tests = [OnlineMartingaleTest(task="regression", warn=False, random_state=0) for _ in range(seen.shape[1])]
    history = np.concatenate([seen, *shards])
    end = len(seen)
    for rows in shards:
        raised = False
        for row in rows:
            for place, test in enumerate(tests):
                test.update_simple_jumper_martingale(test.compute_p_value(row[place], history[:end, place]))
            end += 1
            raised = raised or np.mean([test.current_martingale_value for test in tests]) >= 1 / LEVEL
        yield raised


def _first(raised: Iterator[bool]) -> float:
    """The number of the first shard with an alarm; those after it are not looked at."""
    return next((number for number, one in enumerate(raised, start=1) if one), NEVER)


def findings(results: pd.DataFrame) -> list[Finding]:
    """The share of streams without a shift with an alarm; of those with one, how many are found, and how soon."""
    found = []
    for name in DETECTORS:
        own = results[(results["kind"] == "none") & (results["detector"] == name)]
        share, low, high = share_interval(int(np.isfinite(own["raised"]).sum()), len(own))
        says, promised = f"of {len(own)} streams of {QUIET + SHIFTED} shards without a shift", name in PROMISED
        says += "" if promised else "; nothing is promised"
        level = LEVEL if promised else ""
        found.append(Finding(f"alarm-none-{name}", share, low <= LEVEL or not promised, says, level, low, high))
    for (kind, sudden), of in results[results["kind"] != "none"].groupby(["kind", "sudden"], sort=False):
        form = "sudden" if sudden else "gradual"
        found.append(_change(f"{kind}-{form}", of.drop_duplicates(["table", "before", "error"])))
        for name in DETECTORS:
            own = of[of["detector"] == name]
            if len(own):
                found.append(_delay(f"alarm-{kind}-{form}-{name}", own["raised"]))
    return found


def _change(case: str, of: pd.DataFrame) -> Finding:
    more = float((of["error"] - of["before"]).mean())
    return Finding(f"alarm-{case}-error", more, True, f"the error becomes larger by, on average over {len(of)} streams")


def _delay(name: str, raised: "pd.Series[float]") -> Finding:
    """The share of the streams that were not stopped before the shift in which it is found, and the median shard."""
    early, later = int((raised <= 0).sum()), raised[raised > 0]
    if later.empty:
        return Finding(name, "–", True, f"all {early} streams were stopped before the shift")
    share, low, high = share_interval(int(np.isfinite(later).sum()), len(later))
    median = float(np.median(later))
    says = f"found in {SHIFTED} shards; median shard {f'{median:g}' if np.isfinite(median) else f'> {SHIFTED}'}"
    says += f", {early} of {len(raised)} stopped before" if early else ""
    return Finding(name, share, True, says, low=low, high=high)


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:
    """The share of streams in which each detector has found each kind of shift, by the shard."""
    shown = {
        "half-models": "#009E73",
        "columns": "#0072B2",
        "ADWIN": "#E69F00",
        "MAPIE": "#CC79A7",
        "errors": "#000000",
    }
    cases = [(kind, sudden) for kind in KINDS for sudden in (True, False) if kind != "none"]
    figure = Figure(figsize=(8, 4), layout="constrained")
    panels = figure.subplots(2, 4, sharex=True, sharey=True).T.ravel()
    shards = np.arange(SHIFTED + 1)
    for panel, (kind, sudden) in zip(panels, cases, strict=True):
        of = results[(results["kind"] == kind) & (results["sudden"] == sudden)]
        for name, colour in shown.items():
            raised = of.loc[of["detector"] == name, "raised"].to_numpy()
            raised = raised[raised > 0]
            if len(raised):
                label = f"{name} (labels)" if name in WITH_LABELS else name
                shares = (raised[:, None] <= shards).mean(axis=0)
                panel.step(shards, shares, where="post", color=colour, label=label, lw=1.3)
        panel.set_title(f"{kind}, {'sudden' if sudden else 'gradual'}", fontsize=8)
    figure.supxlabel("shards since the shift began", fontsize=8)
    figure.supylabel("share of streams in which it is found", fontsize=8)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(shown), fontsize=7)
    return {"": figure}
