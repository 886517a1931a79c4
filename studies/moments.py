"""k-fold cross-validation errs no more than a hold-out of N/k rows, by every absolute moment.

Blum, Kalai, Langford, COLT 1999, theorems 1 and 2: for every p >= 1 the mean of |estimate - true error|^p, for the
k-fold hypothesis, is at most that of a single hold-out of N/k rows, and less than it for 2 < k < N and p >= 2. Here are
the ratios of the two moments for five learners and every k that divides N. Both sides see the same samples; the
hold-out is the first fold. True errors are counted over a population with finitely many rows.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from heldout.schemes import cross_validation, holdout
from studies.order_free import LEARNERS, LOOKS, draw_plain_folds, estimate_and_truth, noisy_line, ratio_interval
from studies.study import Finding, Record, at_most

SEED, NEEDS_DATA = 0, False
N, FOLDS, MOMENTS = 20, (2, 4, 5, 10, 20), (1, 2, 3, 4)
REPEATS, QUICK_REPEATS = 2_000, 100
IN_A_UNIT, IN_A_QUICK_UNIT = 100, 50
DRAWN, WORTH = (1, 2), 10  # the moments in the picture; the k whose worth in rows is a finding


def units(quick: bool) -> Sequence[range]:
    """The numbers of the samples of each batch."""
    repeats, size = (QUICK_REPEATS, IN_A_QUICK_UNIT) if quick else (REPEATS, IN_A_UNIT)
    return [range(first, first + size) for first in range(0, repeats, size)]


def measure(unit: range, data: Path | None) -> list[Record]:  # noqa: ARG001
    """How far both estimates are from the true errors of their hypotheses, in each sample."""
    population, found = noisy_line(), []
    for number in unit:
        rng = np.random.default_rng([SEED, number])
        sample = population.draw(N, rng)
        for k in FOLDS:
            fold = draw_plain_folds(N, k, rng)
            schemes = {"k_fold": cross_validation.splits(fold), "holdout": [holdout.split(fold == 0)]}
            for name, learner in LEARNERS.items():
                record: Record = {"learner": name, "k": k}
                for scheme, splits in schemes.items():
                    estimate, truth = estimate_and_truth(learner, population, sample, splits, state=number)
                    record[scheme] = abs(estimate - truth)
                found.append(record)
    return found


def _ratios(results: pd.DataFrame) -> pd.DataFrame:
    """A line for each learner, k and p: the ratio of the moments, and the ends of its interval."""
    lines = []
    for (learner, k), group in results.groupby(["learner", "k"], sort=False):
        for p in MOMENTS:
            lines.append((learner, k, p, *ratio_interval(group["k_fold"] ** p, group["holdout"] ** p)))
    return pd.DataFrame(lines, columns=["learner", "k", "p", "ratio", "low", "high"])


def findings(results: pd.DataFrame) -> list[Finding]:
    """The largest ratio, the largest where the theorem is strict, and what ten folds are worth."""
    ratios = _ratios(results)
    strict = ratios[(ratios["p"] >= 2) & (ratios["k"] > 2) & (ratios["k"] < N)]
    largest, largest_strict = (lines.nlargest(1, "ratio").iloc[0] for lines in (ratios, strict))
    worth = ratios[(ratios["p"] == 2) & (ratios["k"] == WORTH)].sort_values("ratio")
    best, worst = (N / WORTH / worth.iloc[place][["ratio", "low", "high"]] for place in (0, -1))
    return [
        Finding(
            "moments-kfold-to-holdout",
            largest["ratio"],
            largest["low"] <= 1,
            f"the largest of {len(ratios)} ratios is that of {_place(largest)}",
            at_most(1),
            largest["low"],
            largest["high"],
        ),
        Finding(
            "moments-strict-inequality",
            largest_strict["ratio"],
            largest_strict["high"] < 1,
            f"claimed for 2 < k < N and p >= 2; the largest is that of {_place(largest_strict)}",
            "less than 1",
            largest_strict["low"],
            largest_strict["high"],
        ),
        *(
            Finding(
                f"moments-ten-fold-worth-rows-{name}",
                rows["ratio"],
                rows["high"] >= N / WORTH,
                f"{worth.iloc[place]['learner']} with k = {WORTH} and N = {N} has the mean squared discrepancy of a "
                f"hold-out of so many rows; theorem 1 promises {N // WORTH}",
                low=rows["high"],
                high=rows["low"],
            )
            for name, rows, place in (("best", best, 0), ("worst", worst, -1))
        ),
    ]


def _place(line: "pd.Series[float]") -> str:
    return f"{line['learner']}, k = {line['k']}, p = {line['p']}"


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:
    """The ratio against k, a panel for each moment."""
    ratios = _ratios(results)
    figure = Figure(figsize=(7, 4), layout="constrained")
    panels = figure.subplots(1, len(DRAWN), sharey=True)
    for axes, p in zip(panels, DRAWN, strict=True):
        axes.axhline(1, color="black", lw=1.5, label="published: at most 1")
        axes.plot(FOLDS, np.array(FOLDS) ** (-p / 2), ":", color="0.4", label="folds without correlation")
        for learner in LEARNERS:
            line = ratios[(ratios["learner"] == learner) & (ratios["p"] == p)]
            axes.errorbar(
                line["k"],
                line["ratio"],
                (line["ratio"] - line["low"], line["high"] - line["ratio"]),
                **LOOKS[learner],
                label=learner,
            )
        axes.set(xscale="log", yscale="log", xlabel=f"number of folds k, of N = {N} rows")
        axes.set_xticks(FOLDS, [str(k) for k in FOLDS])
        axes.set_title(f"p = {p}")
        axes.minorticks_off()
    panels[0].set_ylabel("moment of k-fold / of a hold-out of N/k rows")
    panels[0].set_yticks([0.05, 0.1, 0.2, 0.5, 1], ["0.05", "0.1", "0.2", "0.5", "1"])
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return {"": figure}
