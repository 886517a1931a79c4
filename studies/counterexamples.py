"""Two learners for which cross-validation is no better than a single hold-out.

Blum, Kalai, Langford, COLT 1999, section 3, on why theorem 2 leaves out k = N and k = 2. Parity: of labels that are
heads or tails, predict 1 if the number of ones seen is even; then leave-one-out errs in every row or in none, as a
hold-out of a single row does. Even share: numbers drawn uniformly, whose label is always 0; predict the share of even
numbers seen at even numbers, and 1 less this share at odd numbers; then both of two folds have the same error. The
true error is 1/2 in both cases. So the ratio of moments is 1 there, and less for 2 < k < N.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from heldout.schemes import cross_validation, holdout
from studies.order_free import EvenShare, Parity, coin, draw_plain_folds, estimate_and_truth, integers, ratio_interval
from studies.study import Finding, Record

SEED, NEEDS_DATA = 0, False
N, FOLDS, MOMENTS = 20, (2, 4, 5, 10, 20), (1, 2, 3, 4)
NUMBERS = 10  # 0 … 9
REPEATS, QUICK_REPEATS, IN_A_UNIT = 1_500, 300, 150
LEARNERS = {"parity": (Parity(), coin()), "even share": (EvenShare(), integers(NUMBERS))}
EQUAL_AT = {"parity": ("counterexample-parity-leave-one-out", N), "even share": ("counterexample-share-two-fold", 2)}
ROUNDING = 1e-9
LOOKS = {1: (0, "o", "-"), 2: (5, "s", "--"), 4: (6, "^", ":")}  # of the moments in the picture


def units(quick: bool) -> Sequence[range]:
    """The numbers of the samples of each batch."""
    return [range(first, first + IN_A_UNIT) for first in range(0, QUICK_REPEATS if quick else REPEATS, IN_A_UNIT)]


def measure(unit: range, data: Path | None) -> list[Record]:  # noqa: ARG001
    """How far both estimates are from the true errors of their hypotheses, in each sample."""
    found = []
    for number in unit:
        rng = np.random.default_rng([SEED, number])
        for name, (learner, population) in LEARNERS.items():
            sample = population.draw(N, rng)
            for k in FOLDS:
                fold = draw_plain_folds(N, k, rng)
                record: Record = {"learner": name, "k": k}
                schemes = {"k_fold": cross_validation.splits(fold), "holdout": [holdout.split(fold == 0)]}
                for scheme, splits in schemes.items():
                    estimate, truth = estimate_and_truth(learner, population, sample, splits, state=0)
                    record[scheme] = abs(estimate - truth)
                found.append(record)
    return found


def _ratios(results: pd.DataFrame, learner: str) -> pd.DataFrame:
    lines = []
    for k, group in results[results["learner"] == learner].groupby("k"):
        for p in MOMENTS:
            lines.append((k, p, *ratio_interval(group["k_fold"] ** p, group["holdout"] ** p)))
    return pd.DataFrame(lines, columns=["k", "p", "ratio", "low", "high"])


def findings(results: pd.DataFrame) -> list[Finding]:
    """The ratio where it is 1, farthest from 1 of all moments; and the largest ratio where theorem 2 holds."""
    found = []
    for learner, (finding, k) in EQUAL_AT.items():
        ratios = _ratios(results, learner)
        there = ratios[ratios["k"] == k]
        equal = there.iloc[int((there["ratio"] - 1).abs().argmax())]
        at_k = results[(results["learner"] == learner) & (results["k"] == k)]
        same = int(np.isclose(at_k["k_fold"], at_k["holdout"], rtol=0, atol=ROUNDING).sum())
        because = f"equal in {same} of {len(at_k)} samples, and so for p = 1, 2, 3 and 4"
        found.append(
            Finding(finding, equal["ratio"], same == len(at_k), because, 1, equal["low"], equal["high"]),
        )
        between = ratios[(ratios["k"] > 2) & (ratios["k"] < N) & (ratios["p"] >= 2)]
        largest = between.nlargest(1, "ratio").iloc[0]
        found.append(
            Finding(
                f"counterexample-{learner.split()[-1]}-other-folds",
                largest["ratio"],
                largest["high"] < 1,
                f"claimed for 2 < k < N; the largest is that of k = {largest['k']:.0f}, p = {largest['p']:.0f}",
                "less than 1",
                largest["low"],
                largest["high"],
            )
        )
    return found


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:
    """The ratio against k, a panel for each learner."""
    figure = Figure(figsize=(7, 3.6), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    for axes, (learner, (_, equal_at)) in zip(panels, EQUAL_AT.items(), strict=True):
        ratios = _ratios(results, learner)
        axes.axhline(1, color="0.4", lw=0.8)
        axes.plot(equal_at, 1, "*", color="black", ms=15, mfc="white", label="published: equal to a hold-out", ls="")
        for p, (color, marker, line) in LOOKS.items():
            of_p = ratios[ratios["p"] == p]
            style = {"color": mpl.color_sequences["okabe_ito"][color], "marker": marker, "ls": line, "ms": 4}
            axes.errorbar(of_p["k"], of_p["ratio"], of_p["high"] - of_p["ratio"], label=f"p = {p}", **style)
        axes.set(xscale="log", ylim=(0, 1.1), xlabel=f"number of folds k, of N = {N} rows", title=learner)
        axes.set_xticks(FOLDS, [str(k) for k in FOLDS])
        axes.minorticks_off()
    panels[0].set_ylabel("moment of k-fold / of a hold-out of N/k rows")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return {"": figure}
