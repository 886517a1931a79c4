"""How much smaller the true error gets with progressive validation in place of a hold-out, at equal m tested rows.

Beyond Blum, Kalai, Langford, COLT 1999, who show a gain on one simulated problem: eight real sets and five learners, on
samples of n rows, half of which are tested. Gain is the true error of the hold-out's hypothesis less that of the
progressive hypothesis, whose members train on up to m - 1 rows more. It shrinks with n, is nothing for a learner that
learns nothing, and with blocks of b steps, which share a fit, most of it is left. A set is a finite population, samples
are drawn with replacement, and true errors are counted over all its rows.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from heldout.schemes import holdout, progressive
from heldout.splits.partition import draw_steps
from heldout.splits.split import Split
from studies import gain_sets
from studies.learners import TreeClassifier
from studies.order_free import LEARNERS as LEAN
from studies.order_free import LOOKS, estimate_and_truth, ratio_interval
from studies.study import Finding, Record, mean_interval, share_interval

SEED, NEEDS_DATA = 0, True
SETS, QUICK_SETS = (*gain_sets.IN_FOLDER, "digits"), gain_sets.PACKAGED
SMALL, MIDDLE, LARGE = 20, 80, 400  # labelled rows n; m = n/2
BLOCKS = {SMALL: (1,), MIDDLE: (1, 5, 20), LARGE: (20,)}
LEARNERS = {name: LEAN[name] for name in ("majority", "nearest mean", "ridge", "nearest row")} | {
    "tree": TreeClassifier(random_state=None)
}
STABLE = "majority"
REPEATS, QUICK_REPEATS, IN_A_UNIT = 50, 5, 5
TREE_LOOK = LOOKS["stump"]


def units(quick: bool) -> Sequence[tuple[str, int, int]]:
    """A set, the size of a sample, and the number of the first sample of the batch."""
    sets, repeats = (QUICK_SETS, QUICK_REPEATS) if quick else (SETS, REPEATS)
    return [(name, n, first) for name in sets for n in BLOCKS for first in range(0, repeats, IN_A_UNIT)]


def measure(unit: tuple[str, int, int], data: Path | None) -> list[Record]:
    """Estimate and true error of each learner: of the hold-out, of progressive validation, of g- with m/2 rows more."""
    name, n, first = unit
    population, m = gain_sets.read(name, data), n // 2
    found = []
    for number in range(first, first + IN_A_UNIT):
        rng = np.random.default_rng([SEED, *name.encode(), n, number])
        sample = population.draw(n, rng)
        step = draw_steps(np.zeros(n), m, stratify=False, seed=int(rng.integers(2**31)))
        schemes: dict[str, Sequence[Split]] = {
            "holdout": [holdout.split(step >= 0)],
            "more rows": progressive.splits(step, m // 2)[1:],
            **{f"block {block}": progressive.splits(step, block) for block in BLOCKS[n]},
        }
        for learner in LEARNERS:
            for scheme, splits in schemes.items():
                estimate, truth = estimate_and_truth(LEARNERS[learner], population, sample, splits, state=number)
                record = {"set": name, "n": n, "sample": number, "learner": learner, "scheme": scheme}
                found.append({**record, "truth": truth, "discrepancy": abs(estimate - truth)})
    return found


def _gains(results: pd.DataFrame, n: int) -> pd.DataFrame:
    """What each scheme gains over the hold-out, a column for each: a line for each set, learner and sample."""
    truth = results[results["n"] == n].pivot(index=["set", "learner", "sample"], columns="scheme", values="truth")
    return -truth.sub(truth["holdout"], axis=0)


def _finest(n: int) -> str:
    return f"block {BLOCKS[n][0]}"


def findings(results: pd.DataFrame) -> list[Finding]:
    """The mean gain and the share of pairs of set and learner that gain, at small and large n; then at the middle n."""
    found, means = [], {}
    for words, n in (("small", SMALL), ("large", LARGE)):
        gains = _gains(results, n)[_finest(n)]
        means[n], low, high = mean_interval(gains.groupby("sample").mean())
        because = f"n = {n}, {_finest(n)}: error of the hold-out less error of progressive validation"
        smaller = means[n] <= means[SMALL]
        found.append(Finding(f"progressive-gain-{words}-n", means[n], low > 0 and smaller, because, "", low, high))
        pairs = [mean_interval(gain) for _, gain in gains.groupby(["set", "learner"])]
        helped, hurt = sum(low > 0 for _, low, _ in pairs), sum(high < 0 for _, _, high in pairs)
        share, low, high = share_interval(helped, len(pairs))
        because = f"n = {n}: the interval of the gain is above 0 for {helped} of {len(pairs)} pairs, below 0 for {hurt}"
        found.append(Finding(f"progressive-gain-pairs-helped-{words}-n", share, hurt < helped, because, "", low, high))
    of_stable, low, high = mean_interval(_gains(results, SMALL)[_finest(SMALL)].xs(STABLE, level="learner"))
    because = f"n = {SMALL}: the gain of {STABLE}, which looks at no feature, is less than the mean gain of all"
    found.append(Finding("progressive-gain-stable-learner", of_stable, high < means[SMALL], because, "", low, high))
    middle, m = _gains(results, MIDDLE).groupby("sample").mean(), MIDDLE // 2
    for block in BLOCKS[MIDDLE][1:]:
        share, low, high = ratio_interval(middle[f"block {block}"], middle["block 1"])
        straight = (m - block) / (m - 1)
        because = (
            f"n = {MIDDLE}: share of the gain with blocks of 1; learning curves that were straight give {straight:.3f}"
        )
        found.append(
            Finding(f"progressive-gain-kept-with-blocks-of-{block}", share, 0 < share < 1, because, "", low, high)
        )
    share, low, high = ratio_interval(middle["block 1"], middle["more rows"])
    because = f"n = {MIDDLE}: gain over that of m/2 more training rows; below 1, since learning curves flatten"
    found.append(Finding("progressive-gain-to-half-m-more-rows", share, low < 1, because, "", low, high))
    off = results[results["n"] == MIDDLE].pivot_table("discrepancy", "sample", "scheme")
    ratio, low, high = ratio_interval(off["block 1"], off["holdout"])
    because = (
        f"n = {MIDDLE}: mean distance of the estimate from the true error; 1 is that of a hold-out with the same m"
    )
    return [*found, Finding("progressive-gain-discrepancy-to-holdout", ratio, low <= 1, because, "", low, high)]


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:
    """The gain against n, and against the size of blocks at the middle n: means over sets."""
    figure = Figure(figsize=(7, 3.8), layout="constrained")
    by_n, by_block = figure.subplots(1, 2, sharey=True)
    m = MIDDLE // 2
    for learner in LEARNERS:
        look = LOOKS.get(learner, TREE_LOOK)
        at = {n: _gains(results, n).xs(learner, level="learner").groupby("sample").mean() for n in BLOCKS}
        lines = (
            (by_n, {n: at[n][_finest(n)] for n in BLOCKS}),
            (by_block, {block: at[MIDDLE][f"block {block}"] for block in BLOCKS[MIDDLE]}),
        )
        for axes, gains in lines:
            ends = [mean_interval(gain) for gain in gains.values()]
            means, margins = [mean for mean, _, _ in ends], [high - mean for mean, _, high in ends]
            axes.errorbar(list(gains), means, margins, label=learner, **look)
    for axes, ticks in ((by_n, list(BLOCKS)), (by_block, [*BLOCKS[MIDDLE], m])):
        axes.set_xscale("log")
        axes.set_xticks(ticks, [str(tick) for tick in ticks])
        axes.minorticks_off()
        axes.axhline(0, color="black", lw=0.8)
    by_block.plot(m, 0, "*", color="black", ms=11, mfc="white", label="hold-out: one block", ls="", clip_on=False)
    by_n.set(xlabel=f"labelled rows n, half of them tested\n(at n = {LARGE} blocks of {BLOCKS[LARGE][0]})")
    by_n.set_ylabel("gain: less true error than the hold-out")
    by_block.set_xlabel(f"steps in a block, n = {MIDDLE}")
    figure.legend(*by_block.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return {"": figure}
