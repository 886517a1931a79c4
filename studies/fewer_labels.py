"""How fast a learner improves with its labels, by how the rows to label are picked, and what E_cv then says.

Eight real sets. From twenty random rows, rows of a pool are labelled twenty at a time up to two hundred: at random, by
uncertainty sampling (those of which the learner is least sure), or as label-next draws them: with probabilities by how
far half models disagree. The true error is the mean loss over rows outside of the pool. The area under the error curve
is its mean over the numbers of labels. E_cv is that of all labelled rows at the end, with the weights of the draws for
label-next, and its error is against the mean true error of the hypotheses of its folds. Intervals are Student's over
the means of the sets.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from studies import real_sets
from studies.labelled import Labelled
from studies.picked import start
from studies.study import Finding, Record, mean_interval

SEED, NEEDS_DATA = 16_05, True
SETS = (
    *("adult", "chess_kr_vs_kp", "electricity_elec2", "letter"),
    *("news20_baseball_hockey", "optdigits", "spambase", "wine_quality"),
)
REPEATS, QUICK_SETS, QUICK_REPEATS = 10, ("breast_cancer", "digits"), 5
FIRST, BATCH, LAST, QUICK_LAST = 20, 20, 200, 80
LEARNER = LogisticRegression(max_iter=300)
HALVINGS, FOLDS = 8, 5
WAYS = {"random": ("#000000", "o"), "uncertainty": ("#D55E00", "s"), "label-next": ("#0072B2", "D")}


def units(quick: bool) -> Sequence[tuple[str, int, int]]:
    """A set, the number of the repeat, and the last number of labels."""
    sets, repeats, last = (QUICK_SETS, QUICK_REPEATS, QUICK_LAST) if quick else (SETS, REPEATS, LAST)
    return [(name, repeat, last) for name in sets for repeat in range(repeats)]


def measure(unit: tuple[str, int, int], data: Path | None) -> list[Record]:
    """The true error at each number of labels, and at the last E_cv and its target."""
    name, repeat, last = unit
    known, seed = real_sets.read(name, data), [SEED, *map(ord, name), repeat]
    order = start(known.y, FIRST, np.random.default_rng(seed))
    first, left, rest = np.split(order, [FIRST, len(order) // 2])
    records: list[Record] = []
    for place, way in enumerate(WAYS):
        labelled, rng = Labelled(known, LEARNER, HALVINGS, first, left), np.random.default_rng([*seed, place])
        while True:
            hypothesis = clone(LEARNER).fit(known.X[labelled.rows], known.y[labelled.rows])
            of = {"set": name, "repeat": repeat, "way": way, "labels": len(labelled.rows)}
            records.append({**of, "error": known.error(hypothesis, rest)})
            if len(labelled.rows) >= last:
                break
            labelled.add(way, BATCH, rng)
        estimate, target = labelled.cross_validated(FOLDS, rest, repeat)
        records[-1] |= {"E_cv": estimate, "target": target}
    return records


def _over_repeats(values: pd.Series) -> tuple[float, float, float]:
    """The mean over the sets, and its interval over the repeats."""
    return mean_interval(values.groupby(level="repeat").mean())


def findings(results: pd.DataFrame) -> list[Finding]:
    """Areas under the error curves, the labels that are saved, and what E_cv is off by at the last number of labels."""
    errors = results.set_index(["way", "labels", "set", "repeat"])["error"]
    areas = errors.groupby(["way", "set", "repeat"]).mean()
    curves = errors.groupby(["way", "repeat", "labels"]).mean().unstack("labels")
    of_way = {way: curves[curves.index.get_level_values("way") == way].to_numpy() for way in WAYS}
    numbers, reached = np.array(curves.columns, dtype=float), of_way["random"][:, -1]
    last = results.dropna(subset="E_cv").set_index(["way", "set", "repeat"])
    off = last["E_cv"] - last["target"]
    found = []
    for way in WAYS:
        mean, low, high = _over_repeats(areas[way])
        found.append(Finding(f"labels-area-{way}", mean, True, "the mean error over the curve", low=low, high=high))
    for way, other in (("uncertainty", "random"), ("label-next", "random"), ("label-next", "uncertainty")):
        less = areas[way] - areas[other]
        mean, low, high = _over_repeats(less)
        of_sets = less.groupby(level="set").mean()
        words = f"less area in {(of_sets < 0).sum()} of {len(of_sets)} sets"
        if high >= 0:
            words += "; half of the draws of label-next are random rows, which bounds the weights of E_cv"
        found.append(Finding(f"labels-area-{way}-against-{other}", mean, high < 0, words, low=low, high=high))
    for way in ("uncertainty", "label-next"):
        falling = -np.minimum.accumulate(of_way[way], axis=1)
        needed = [np.interp(-error, curve, numbers) for error, curve in zip(reached, falling, strict=True)]
        mean, low, high = mean_interval(needed)
        words = f"labels that reach the error of {numbers[-1]:.0f} random rows"
        words += "" if high < numbers[-1] else "; not fewer by more than chance"
        found.append(Finding(f"labels-needed-{way}", mean, high < numbers[-1], words, low=low, high=high))
    for way in WAYS:
        mean, low, high = _over_repeats(off[way])
        agrees = low > 0 if way == "uncertainty" else low <= 0 <= high
        words = f"E_cv less its target; {off[way].abs().mean():.3f} away on average"
        words += "" if agrees else "; rows that train a hypothesis are no rows of its pool"
        found.append(Finding(f"labels-cv-bias-{way}", mean, agrees, words, low=low, high=high))
    return found


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:
    """The error against the number of labels, and E_cv less its target, for each way to pick."""
    figure, (curves, bias) = plt.subplots(1, 2, figsize=(8, 3.6), width_ratios=(2, 1), constrained_layout=True)
    last = results.dropna(subset="E_cv").set_index(["way", "set", "repeat"])
    for place, (way, (colour, marker)) in enumerate(WAYS.items()):
        some = results[results["way"] == way].set_index(["labels", "set", "repeat"])["error"]
        numbers = some.index.unique("labels")
        mean, low, high = np.array([_over_repeats(some[number]) for number in numbers]).T
        curves.plot(numbers, mean, color=colour, marker=marker, markersize=4, label=way)
        curves.fill_between(numbers, low, high, color=colour, alpha=0.15, linewidth=0)
        middle, *ends = _over_repeats((last["E_cv"] - last["target"])[way])
        reach = np.abs(np.array(ends) - middle)[:, None]
        bias.errorbar([place], [middle], yerr=reach, color=colour, marker=marker, capsize=4)
    curves.set(xlabel="labelled rows", ylabel="true error (share of rows wrong)")
    curves.legend(title="rows picked by")
    bias.axhline(0, color="black", linewidth=1)
    bias.set(xticks=range(len(WAYS)), ylabel="E_cv less its target, at the last number")
    bias.set_xticks(range(len(WAYS)), list(WAYS), rotation=20)
    bias.margins(x=0.2)
    return {"": figure}
