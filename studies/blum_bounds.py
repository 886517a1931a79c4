"""How often k-fold and progressive validation are off by more than epsilon, next to the bounds that are proved.

Blum, Kalai, Langford, COLT 1999. Theorem 3: the k-fold estimate is too low by more than epsilon with probability at
most exp(-2 epsilon^2 N/k), and too high with at most the same. Theorem 4: so is the progressive estimate, with m steps
for N/k. Theorem 5: the variance of the progressive estimate about the true error e of the progressive hypothesis is at
most that of a test of this hypothesis on m new rows, e (1 - e) / m. Five learners, and the parity learner, for which
leave-one-out is at its worst. True errors are counted over finite populations.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from heldout.schemes import cross_validation, progressive
from heldout.splits.partition import draw_steps
from heldout.splits.split import Split
from studies.order_free import (
    LEARNERS,
    LOOKS,
    Parity,
    coin,
    draw_plain_folds,
    estimate_and_truth,
    noisy_line,
    ratio_interval,
)
from studies.study import Finding, Record, at_most, share_interval

SEED, NEEDS_DATA = 0, False
N, FOLDS = 20, {"5-fold": 5, "leave-one-out": 20}
TRAINED, M = 5, 10  # rows that train before the first step, and steps
TESTED = {"5-fold": 4, "leave-one-out": 1, "progressive": M}  # N/k or m: the rows of the bound
EPSILONS = {"5-fold": (0.1, 0.2, 0.3), "leave-one-out": (0.4,), "progressive": (0.1, 0.2, 0.3)}
REPEATS = {"5-fold": 2_000, "leave-one-out": 1_500, "progressive": 6_000}
QUICK_REPEATS = {"5-fold": 200, "leave-one-out": 100, "progressive": 200}
IN_A_UNIT = 100
ROUNDING = 1e-9  # of a difference that is epsilon itself
ALL = {name: (learner, noisy_line) for name, learner in LEARNERS.items()} | {"parity": (Parity(), coin)}
ALL_LOOKS = {name: {**look, "ms": 3} for name, look in LOOKS.items()}
ALL_LOOKS["parity"] = {"color": "0.5", "marker": "P", "ms": 4, "lw": 1}
CURVE = np.linspace(0.05, 0.49, 12)


def units(quick: bool) -> Sequence[tuple[str, int]]:
    """The scheme of a batch of samples, and the number of the first of them."""
    repeats = QUICK_REPEATS if quick else REPEATS
    return [(scheme, first) for scheme in TESTED for first in range(0, repeats[scheme], IN_A_UNIT)]


def measure(unit: tuple[str, int], data: Path | None) -> list[Record]:  # noqa: ARG001
    """The estimate and the true error of its hypothesis, in each sample."""
    scheme, first = unit
    n = N if scheme in FOLDS else TRAINED + M
    found = []
    for number in range(first, first + IN_A_UNIT):
        rng = np.random.default_rng([SEED, list(TESTED).index(scheme), number])
        if scheme in FOLDS:
            splits: Sequence[Split] = cross_validation.splits(draw_plain_folds(n, FOLDS[scheme], rng))
        else:
            step = draw_steps(np.zeros(n), M, stratify=False, seed=int(rng.integers(2**31)))
            splits = progressive.splits(step, block=1)
        for name, (learner, population) in ALL.items():
            sample = population().draw(n, rng)
            estimate, truth = estimate_and_truth(learner, population(), sample, splits, state=number)
            found.append({"scheme": scheme, "learner": name, "estimate": estimate, "truth": truth})
    return found


def findings(results: pd.DataFrame) -> list[Finding]:
    """The largest share of samples beyond each epsilon, next to its bound; and the ratio of the variances."""
    found = []
    for scheme, epsilons in EPSILONS.items():
        theorem = f"theorem-{4 if scheme == 'progressive' else 3}-{scheme}"
        for epsilon in epsilons:
            exceeded = _exceeded(results[results["scheme"] == scheme], epsilon)
            worst = exceeded.nlargest(1, "share").iloc[0]
            bound = float(np.exp(-2 * epsilon**2 * TESTED[scheme]))
            because = f"the largest is {worst['learner']}'s, {worst['side']}"
            ours, low, high = worst["share"], worst["low"], worst["high"]
            found.append(
                Finding(f"{theorem}-exceeds-{epsilon}", ours, low <= bound, because, at_most(bound), low, high)
            )
    ratio, low, high = _variance_ratio(results)
    each = {name: _variance_ratio(results[results["learner"] == name])[0] for name in ALL}
    because = f"of all learners, between {min(each.values()):.3f} and {max(each.values()):.3f}"
    return [*found, Finding("theorem-5-variance-ratio", ratio, low <= 1, because, at_most(1), low, high)]


def _exceeded(results: pd.DataFrame, epsilon: float) -> pd.DataFrame:
    """The share of samples in which an estimate is farther than epsilon from the truth, by learner and side."""
    found = []
    for learner, group in results.groupby("learner", sort=False):
        too_low = group["truth"] - group["estimate"]
        for side, difference in (("too low", too_low), ("too high", -too_low)):
            found.append((learner, side, *share_interval(int((difference > epsilon + ROUNDING).sum()), len(group))))
    return pd.DataFrame(found, columns=["learner", "side", "share", "low", "high"])


def _variance_ratio(results: pd.DataFrame) -> tuple[float, float, float]:
    """The variance about the truth over that of a test on m new rows, and the ends of its interval."""
    steps = results[results["scheme"] == "progressive"]
    truth = steps["truth"]
    return ratio_interval((steps["estimate"] - truth) ** 2, truth * (1 - truth) / M)


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:
    """The share beyond epsilon, the larger of both sides, and the bound; a panel for each scheme."""
    figure = Figure(figsize=(8, 3.8), layout="constrained")
    panels = figure.subplots(1, len(TESTED), sharey=True)
    for axes, (scheme, rows) in zip(panels, TESTED.items(), strict=True):
        axes.plot(CURVE, np.exp(-2 * CURVE**2 * rows), color="black", lw=1.8, label="published: at most")
        of_scheme = results[results["scheme"] == scheme]
        shares = pd.DataFrame(
            {epsilon: _exceeded(of_scheme, epsilon).groupby("learner")["share"].max() for epsilon in CURVE}
        )
        for learner, look in ALL_LOOKS.items():
            axes.plot(CURVE, shares.loc[learner], label=learner, **look)
        axes.set(
            title=f"{scheme}: bound of {rows} row{'s' if rows > 1 else ''}", xlabel="epsilon (difference of errors)"
        )
    panels[0].set(ylabel="share of samples beyond epsilon, worse side", ylim=(0, 1))
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return {"": figure}
