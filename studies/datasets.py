"""Is what the pipeline says of twenty-five public data sets true, and is its winner any good?

Each set goes from its file to the decision in a fresh clone of the last commit: `python -m flows init FILE --target
COLUMN`, then `dvc repro`, with nothing edited but `selection.open_test`, since nothing follows. The winner's error on
the test set is set against its estimates, against the constant baseline, and against gradient boosting with its
defaults, trained on every row outside the test set. The sets run one at a time, since their seconds count. The quick
form takes three small sets through `heldout.validate`. [datasets.md](datasets.md) has each set: `python -m
studies.datasets_page`.
"""

import fcntl
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from studies import run_set, validate_set
from studies.colours import COLOURS
from studies.outcome import JUDGES, Outcome, mean_to_peer
from studies.public_sets import NAMES
from studies.study import Finding, Record, mean_interval, share_interval

SEED, NEEDS_DATA = 0, True  # the seed that `init` writes
QUICK_SETS = ("breast_cancer", "digits", "diabetes")
TO_BOOSTING = 1.02  # the largest mean multiple of boosting's error that the winner should have
BEATEN = 0.9  # the least share of sets with something to learn from their features
LOCK = Path(".cache/studies/datasets.lock")


@dataclass(frozen=True)
class Set:
    """A data set; `code` has the hashes of what its commands depend on, and is empty for `heldout.validate`."""

    name: str
    code: str = ""


def units(quick: bool) -> Sequence[Set]:
    """Each set alone."""
    return [Set(name) for name in QUICK_SETS] if quick else [Set(name, run_set.code()) for name in NAMES]


def measure(unit: Set, data: Path | None) -> list[Record]:
    """The outcome of a set."""
    if data is None or not unit.code:
        return [asdict(validate_set.run(unit.name, SEED))]
    LOCK.parent.mkdir(parents=True, exist_ok=True)
    with LOCK.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # until the file is closed
        return [asdict(run_set.run(unit.name, data))]


def findings(results: pd.DataFrame) -> list[Finding]:
    """How often the test error is inside of the estimates' intervals, and the winner next to its peers."""
    found = outcomes(results)
    inside = [_inside(found, judge) for judge in JUDGES]
    logs = np.log([outcome.to_peer for outcome in found])
    low, high = (float(np.exp(end)) for end in mean_interval(logs)[1:])
    ratio, words = mean_to_peer(found), "geometric mean over sets of its test error to that of boosting"
    to_peer = Finding("datasets-error-to-boosting", ratio, low <= TO_BOOSTING, words, "", low, high)
    beaten = sum(outcome.beats_baseline is True for outcome in found)
    share, low, high = share_interval(beaten, len(found))
    others = ", ".join(outcome.name for outcome in found if not outcome.beats_baseline) or "none"
    better = Finding(
        "datasets-baseline-beaten", share, high >= BEATEN, f"shown for {beaten} sets; not for: {others}", "", low, high
    )
    return [*inside, to_peer, better]


def _inside(found: Sequence[Outcome], judge: str) -> Finding:
    inside = sum(judge in outcome.inside for outcome in found)
    expected = sum(outcome.chance(judge) for outcome in found)
    share, low, high = share_interval(inside, len(found))
    words = f"{inside} of {len(found)} sets; right intervals would give {expected:.1f}, as the test set has noise"
    name = f"datasets-test-error-inside-{judge.lower().replace('_', '-')}"
    return Finding(name, share, high >= expected / len(found), words, "", low, high)


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:
    """Both estimates with their intervals, and the test error, as shares of the baseline's error."""
    found = sorted(outcomes(results), key=lambda outcome: outcome.test_error / outcome.baseline)
    places = np.arange(len(found))
    figure = Figure(figsize=(7, 1.2 + 0.22 * len(found)), layout="constrained")
    axes = figure.subplots()
    for shift, judge, colour, mark in ((0.15, "E_cv", "blue", "o"), (-0.15, "E_val", "red", "s")):
        value, low, high = (
            np.array([outcome.estimates[judge][place] / outcome.baseline for outcome in found]) for place in range(3)
        )
        look: dict[str, Any] = {"fmt": mark, "ms": 3.5, "color": COLOURS[colour], "label": judge}
        axes.errorbar(value, places + shift, xerr=[value - low, high - value], **look)
    tested = [outcome.test_error / outcome.baseline for outcome in found]
    peers = [outcome.peer_error / outcome.baseline for outcome in found]
    axes.plot(tested, places, "*", color="black", mfc="white", ms=8, ls="", label="error on the test set")
    axes.plot(peers, places, "x", color="black", ms=5, ls="", label="boosting's error on it")
    axes.axvline(1, color="black", lw=0.8, ls=":")
    axes.set_yticks(places, [outcome.name for outcome in found])
    axes.set_xlabel("error / error of the best constant answer (dotted: as bad as it)")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return {"": figure}


def outcomes(results: pd.DataFrame) -> list[Any]:
    """The records as outcomes; those of the whole form have how the run went too."""
    kind = run_set.Run if "seconds" in results else Outcome
    return [kind(**{str(name): value for name, value in record.items()}) for record in results.to_dict("records")]
