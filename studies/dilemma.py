"""The dilemma about K: a small validation set says little, a large one says it about another hypothesis.

Abu-Mostafa, lecture 13, and Gruber: E_val(g-) stands for E_out(g), the error after retraining on all N rows. It misses
E_out(g-) by less as K grows, and E_out(g-) is farther from E_out(g). The rule of thumb is K = N/5.

Both misses are measured, in the mean of their absolute values, and the K where their sum is least. Least squares on 10
normal features with noise of variance 1, for N = 50, 100 and 200; the linear discriminant of two normal classes on 10
features; a decision tree on 8 boolean features, the class being the majority of 5 of them, and wrong in one row of ten.
E_out is exact in each: by formula, or by counting.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from heldout.learners.fitting import fit_and_test
from heldout.losses.tested_losses import Tested
from heldout.schemes import holdout
from heldout.splits.partition import cut
from studies.colours import COLOURS
from studies.exact_problems import PROBLEMS, Problem
from studies.study import Finding, Record

SEED, NEEDS_DATA = 0, False
SHARES, QUICK_SHARES = (0.02, 0.06, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8), (0.02, 0.2, 0.4, 0.6, 0.8)  # K / N
RULE, HALF = 0.2, 0.5
UNITS, QUICK_UNITS, REPEATS, QUICK_REPEATS = 10, 3, 60, 25  # units of each problem, repeats in a unit
RESAMPLED = 1_000


def units(quick: bool) -> Sequence[tuple[str, int, int, tuple[float, ...]]]:
    """A problem, the number of a batch, its repeats and the shares K / N."""
    count, repeats, shares = (QUICK_UNITS, QUICK_REPEATS, QUICK_SHARES) if quick else (UNITS, REPEATS, SHARES)
    return [(name, batch, repeats, shares) for name in PROBLEMS for batch in range(count)]


def measure(unit: tuple[str, int, int, tuple[float, ...]], data: Path | None) -> list[Record]:  # noqa: ARG001
    """At each K, the means over the batch: E_out of g and of g-, and both misses."""
    name, batch, repeats, shares = unit
    place = list(PROBLEMS).index(name)
    found = [_repeat(PROBLEMS[name], shares, np.random.default_rng([SEED, place, batch, i])) for i in range(repeats)]
    columns = ("E_out_g", "E_out_g_minus", "miss_of_E_val", "miss_of_g_minus")
    return [
        {"problem": name, "batch": batch, "share": share, **dict(zip(columns, line, strict=True))}
        for share, line in zip(shares, np.mean(found, axis=0).tolist(), strict=True)
    ]


def _repeat(problem: Problem, shares: Sequence[float], rng: np.random.Generator) -> list[tuple[float, ...]]:
    X, y = problem.draw(rng, problem.rows)
    state = int(rng.integers(2**31))
    g = fit_and_test(problem.learner, X, y, holdout.final_split(problem.rows), problem.loss, state)
    of_g = problem.E_out(g.hypothesis)
    lines: list[tuple[float, ...]] = []
    for share in shares:
        held_out = cut(y, round(share * problem.rows), stratify=False, random_state=int(rng.integers(2**31)))
        g_minus = fit_and_test(problem.learner, X, y, holdout.split(held_out), problem.loss, state)
        E_val, E_out = Tested(g_minus.losses, problem.loss).error, problem.E_out(g_minus.hypothesis)
        lines.append((of_g, E_out, abs(E_val - E_out), abs(E_out - of_g)))
    return lines


def findings(results: pd.DataFrame) -> list[Finding]:
    """Whether one miss falls and the other rises; the share K / N with the least sum of both, next to the rule's."""
    tables = {str(name): table for name, table in results.groupby("problem", sort=False)}
    shown = sum(_opposed(table) for table in tables.values())
    said = "problems in which, up to K = N/2, E_val misses E_out(g-) by less, and E_out(g-) misses E_out(g) by more"
    both = Finding("dilemma-opposed-misses", f"{shown}/{len(tables)}", shown == len(tables), said)
    return [both, *(_best(name, table) for name, table in tables.items())]


def _opposed(table: pd.DataFrame) -> bool:
    mean = table[table["share"] <= HALF].groupby("share")[["miss_of_E_val", "miss_of_g_minus"]].mean()
    return bool(mean["miss_of_E_val"].is_monotonic_decreasing and mean["miss_of_g_minus"].is_monotonic_increasing)


def _best(name: str, table: pd.DataFrame) -> Finding:
    """The interval is of the batches, drawn again with replacement."""
    summed = table.assign(both=table["miss_of_E_val"] + table["miss_of_g_minus"])
    both = summed.pivot_table(index="batch", columns="share", values="both")
    batches, shares = both.to_numpy(), both.columns.to_numpy(np.float64)
    ours = float(shares[batches.mean(axis=0).argmin()])
    drawn = np.random.default_rng(SEED).integers(len(batches), size=(RESAMPLED, len(batches)))
    best = shares[batches[drawn].mean(axis=1).argmin(axis=1)]
    low, high = np.quantile(best, (0.025, 0.975))
    more = both.mean()[RULE] / both.mean().min() - 1
    agrees = bool(low <= RULE <= high)
    because = "" if agrees else "g- becomes worse slowly, so that more rows to validate pay; "
    because += f"the sum of both misses is {more:.0%} larger with N/5 than with the best K"
    return Finding(f"dilemma-best-share-{name}", ours, agrees, because, RULE, min(low, ours), max(high, ours))


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:
    """The errors of g and g- against K, the reach of E_val, and both misses; of a stable and an unstable learner."""
    figure = Figure(figsize=(8, 6))
    shown = {"least-squares-100": "least squares, N = 100", "tree-100": "decision tree, N = 100"}
    for column, (name, title) in enumerate(shown.items()):
        table = results[results["problem"] == name]
        mean = table.groupby("share").mean(numeric_only=True)
        K = 100 * mean.index.to_numpy()
        above, below = figure.add_subplot(2, 2, 1 + column), figure.add_subplot(2, 2, 3 + column)
        g_minus, spread = mean["E_out_g_minus"], mean["miss_of_E_val"]
        above.plot(K, mean["E_out_g"], color=COLOURS["black"], linestyle="--", label="E_out(g)")
        above.plot(K, g_minus, color=COLOURS["red"], marker="o", markersize=4, label="E_out(g-)")
        above.fill_between(
            K,
            g_minus - spread,
            g_minus + spread,
            color=COLOURS["blue"],
            alpha=0.2,
            linewidth=0,
            label="mean reach of E_val(g-)",
        )
        above.set(title=title)
        looks = (
            ("miss_of_E_val", "blue", "s", "E_val(g-) from E_out(g-)"),
            ("miss_of_g_minus", "red", "o", "E_out(g-) from E_out(g)"),
        )
        for which, colour, marker, label in looks:
            below.plot(K, mean[which], color=COLOURS[colour], marker=marker, markersize=4, label=label)
        both = mean["miss_of_E_val"] + mean["miss_of_g_minus"]
        below.plot(K, both, color=COLOURS["green"], marker="^", markersize=4, label="both")
        below.axvline(100 * RULE, color=COLOURS["black"], linestyle=":", label="rule: K = N/5")
        below.set(xlabel="size of the validation set, K of 100 rows")
        if column == 0:
            above.set_ylabel("expected error")
            below.set_ylabel("mean absolute miss")
            above.legend()
        else:
            below.legend(loc="upper right")
    figure.tight_layout()
    return {"": figure}
