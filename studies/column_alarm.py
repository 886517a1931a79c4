"""How often is the alarm of `watch` on columns raised without drift, and after how many shards with drift?

100 labelled rows, a reference of four shards of 300 rows, new shards of 100 rows, level 5 %. Without drift: independent
rows, numbers, skewed numbers, copies of 12 rows, categories with gaps; and rows that are not independent, for which
nothing is promised: every row twice, and shards with a mean of their own. With drift from the first shard, or after 20
quiet ones: a column of six moves, only its highest fifth comes, a tenth of it is missing, or two columns become one.
`KS` is what is often done instead: the test of Kolmogorov and Smirnov for each column and shard at 5 % over the number
of columns. `MAPIE` is its online test of exchangeability, the jumper martingale of conformal p-values of each row, one
for each column, and their mean; it has fewer streams, as it looks at each row.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy.stats import ks_2samp

from heldout.monitoring.column_alarm import ColumnAlarm
from studies.study import Finding, Record, share_interval

SEED, NEEDS_DATA = 0, False
LEVEL = 0.05
LABELLED, REFERENCE, ROWS = 100, (4, 300), 100
STREAMS, OF_KS, SHARDS = 60, 20, 30  # without drift
DRIFTED, MOST, QUIET = 15, 20, (0, 20)  # streams with drift, shards of it, and quiet shards before
OF_MAPIE, MOST_OF_MAPIE = 5, 5  # streams, and shards of drift
NEVER = math.inf

Draw = Callable[[np.random.Generator, int], pd.DataFrame]


def _numbers(rng: np.random.Generator, n: int) -> pd.DataFrame:
    return pd.DataFrame(rng.normal(size=(n, 6)), columns=list("abcdef"))


def _skewed(rng: np.random.Generator, n: int) -> pd.DataFrame:
    zeros = np.where(rng.random((n, 3)) < 0.9, 0.0, rng.pareto(1.0, (n, 3)))
    return pd.DataFrame(np.column_stack([rng.lognormal(0, 3, (n, 3)), zeros]), columns=list("abcdef"))


def _copies(rng: np.random.Generator, n: int) -> pd.DataFrame:
    rows = np.random.default_rng(SEED).integers(0, 3, size=(12, 6)).astype(float)
    return pd.DataFrame(rows[rng.integers(0, 12, n)], columns=list("abcdef"))


def _categories(rng: np.random.Generator, n: int) -> pd.DataFrame:
    chances = [0.5, 0.3, 0.15, 0.04, 0.01]
    texts = {name: pd.Categorical(rng.choice(list("uvwxy"), n, p=chances)) for name in "abc"}
    gaps = {name: np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n)) for name in "de"}
    return pd.DataFrame({**texts, **gaps})


def _twice(rng: np.random.Generator, n: int) -> pd.DataFrame:
    return pd.concat([_numbers(rng, n // 2)] * 2, ignore_index=True)


def _own_mean(rng: np.random.Generator, n: int) -> pd.DataFrame:
    return _numbers(rng, n) + 0.3 * rng.normal(size=6)


NULLS: Mapping[str, Draw] = {
    "numbers": _numbers,
    "skewed numbers": _skewed,
    "copies of 12 rows": _copies,
    "categories with gaps": _categories,
}
DEPENDENT: Mapping[str, Draw] = {"every row twice": _twice, "shards with a mean of their own": _own_mean}
DRIFTS: Mapping[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "a moves by 0.25 sd": lambda X: X.assign(a=X["a"] + 0.25),
    "a moves by 0.5 sd": lambda X: X.assign(a=X["a"] + 0.5),
    "a moves by 1 sd": lambda X: X.assign(a=X["a"] + 1),
    "the highest fifth of a": lambda X: X.assign(a=0.84 + X["a"].abs()),
    "a tenth of a missing": lambda X: X.assign(a=X["a"].where(X.index % 10 > 0)),
    "b becomes a": lambda X: X.assign(b=X["a"]),
}


@dataclass(frozen=True)
class Unit:
    """All streams of a case, by one detector, with so many quiet shards before the drift."""

    case: str
    detector: str
    quiet: int
    streams: int


def units(quick: bool) -> Sequence[Unit]:
    """Each case for each detector."""
    share = 10 if quick else 1
    nulls = [Unit(case, "watch", SHARDS, STREAMS // share) for case in {**NULLS, **DEPENDENT}]
    nulls += [Unit(case, "KS", SHARDS, OF_KS // share) for case in ("numbers", "skewed numbers")]
    drifts = [
        Unit(case, name, quiet, max(1, streams // share))
        for case in DRIFTS
        for quiet in QUIET
        for name, streams in (("watch", DRIFTED), ("MAPIE", OF_MAPIE))
        if not (name == "MAPIE" and (quiet or "missing" in case))  # it has no gaps
    ]
    return [*nulls, *drifts]


def measure(unit: Unit, data: Path | None) -> list[Record]:  # noqa: ARG001
    """For each stream, the shard after the quiet ones at which the alarm is raised; not above 0 for one before."""
    records = []
    for stream in range(unit.streams):
        rng = np.random.default_rng([SEED, stream, *map(ord, unit.case)])
        draw = {**NULLS, **DEPENDENT}.get(unit.case, _numbers)
        known, reference = draw(rng, LABELLED), [draw(rng, REFERENCE[1]) for _ in range(REFERENCE[0])]
        drift = DRIFTS.get(unit.case)
        most = MOST_OF_MAPIE if unit.detector == "MAPIE" else MOST
        shards = (draw(rng, ROWS) for _ in range(unit.quiet + (most if drift else 0)))
        after = (X if drift is None or place < unit.quiet else drift(X) for place, X in enumerate(shards))
        detector = {"watch": _watch, "KS": _ks, "MAPIE": _mapie}[unit.detector]
        raised = next((place for place, hit in enumerate(detector(known, reference, after), start=1) if hit), NEVER)
        records.append(
            {
                "case": unit.case,
                "detector": unit.detector,
                "quiet": unit.quiet,
                "raised": raised - (unit.quiet if drift else 0),
            }
        )
    return records


def _watch(known: pd.DataFrame, reference: list[pd.DataFrame], shards: Any) -> Any:
    alarm = ColumnAlarm.of(known, reference)
    for X in shards:
        alarm = alarm.after(X)
        yield alarm.raised(LEVEL)


def _ks(known: pd.DataFrame, reference: list[pd.DataFrame], shards: Any) -> Any:  # noqa: ARG001
    whole = pd.concat(reference)
    for X in shards:
        yield min(ks_2samp(X[name], whole[name], method="asymp").pvalue for name in X) < LEVEL / X.shape[1]


def _mapie(known: pd.DataFrame, reference: list[pd.DataFrame], shards: Any) -> Any:  # noqa: ARG001
    from mapie.exchangeability_testing import OnlineMartingaleTest

    whole = pd.concat(reference)
    names = [*whole]
    tests = [OnlineMartingaleTest(task="regression", test_level=LEVEL, warn=False, random_state=0) for _ in names]
    seen = [whole[name].to_numpy() for name in names]
    for X in shards:
        for place, name in enumerate(names):
            for value in X[name].to_numpy():
                tests[place].update_simple_jumper_martingale(tests[place].compute_p_value(value, seen[place]))
                seen[place] = np.append(seen[place], value)
        yield np.mean([test.current_martingale_value for test in tests]) >= 1 / LEVEL


def findings(results: pd.DataFrame) -> list[Finding]:
    """The share of streams without drift with an alarm, at most the level; and the median shard of drift."""
    found = []
    for case in {**NULLS, **DEPENDENT}:
        for detector in ("watch", "KS"):
            own = results[(results["case"] == case) & (results["detector"] == detector)]
            if own.empty:
                continue
            raised, low, high = share_interval(int(np.isfinite(own["raised"]).sum()), len(own))
            promised = detector == "watch" and case in NULLS
            why = f"of {len(own)} streams of {SHARDS} shards without drift, {case}"
            why += "" if promised else "; nothing is promised"
            holds = low <= LEVEL or not promised
            level = LEVEL if promised else ""
            found.append(Finding(f"column-alarm-null-{detector}-{_short(case)}", raised, holds, why, level, low, high))
    for case in DRIFTS:
        for quiet in QUIET:
            for detector in ("watch", "MAPIE"):
                own = results[
                    (results["case"] == case) & (results["detector"] == detector) & (results["quiet"] == quiet)
                ]
                if own.empty:
                    continue
                most = MOST if detector == "watch" else MOST_OF_MAPIE
                later = own["raised"][own["raised"] > 0]
                median = float(np.median(later)) if len(later) else NEVER
                missed = int(np.isinf(own["raised"]).sum())
                why = f"median shard of drift, {case}, after {quiet} quiet shards; "
                why += f"{missed} of {len(own)} not within {most}"
                shown = f"> {most}" if math.isinf(median) else median
                found.append(Finding(f"column-alarm-delay-{detector}-{quiet}-{_short(case)}", shown, True, why))
    return found


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:  # noqa: ARG001
    """None: the numbers are few."""
    return {}


def _short(case: str) -> str:
    return case.replace(".", "").replace(" ", "-")
