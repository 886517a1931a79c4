"""What the selected candidate errs more than the best candidate, by the rule that selected it.

Fifteen real sets, five numbers of labelled rows, drawn at random or picked by uncertainty sampling from ten random
rows. A rule sees the labelled rows, and for E_maxdt rows without labels, and takes one of eight learners. Its regret is
the true error of that learner trained on all labelled rows, less the least among the eight, over the rows of the set
outside of the pool that the labelled rows come from. The corrected winner is what the minimum or what
one-standard-error takes, by the smaller E_bbc; nested is what most inner selections of nested cross-validation take.
AIC and BIC choose the number of terms of a logistic regression, 1 to 16 principal directions.

Intervals are Student's over the means of the sets. A rule is better than the minimum of E_cv, the shipped default and
what a grid search does, by more than chance if a one-sided t test over the sets says so at .05 shared by the rules
(Bonferroni): its line then differs. Wins are samples in which it has less regret.
"""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from scipy import stats

from studies import real_sets
from studies.picked import Rows, least_sure, start
from studies.real_sets import RealSet
from studies.selection_rules import CANDIDATES, DEFAULT, among_learners, among_terms
from studies.study import LEVEL, Finding, Record, mean_interval

SEED, NEEDS_DATA = 16_04, True
SIZES, QUICK_SIZES = (30, 60, 120, 200, 320), (30,)
REPEATS, QUICK_REPEATS, QUICK_SETS = 2, 1, ("breast_cancer", "wine")
FIRST, BATCH = 10, 10  # uncertainty sampling: random rows, then rows at a time
COLOURS = ("#0072B2", "#D55E00", "#009E73")
COMPARED = {"iid": "learners, random rows", "active": "learners, picked rows", "terms": "numbers of terms, random rows"}


def units(quick: bool) -> Sequence[tuple[str, str, int, tuple[int, ...]]]:
    """A set, how its rows are labelled, the number of the repeat, and the numbers of labelled rows."""
    sets = QUICK_SETS if quick else real_sets.NAMES
    repeats, sizes = (QUICK_REPEATS, QUICK_SIZES) if quick else (REPEATS, SIZES)
    return [(name, how, repeat, sizes) for name in sets for how in ("iid", "active") for repeat in range(repeats)]


def measure(unit: tuple[str, str, int, tuple[int, ...]], data: Path | None) -> list[Record]:
    """The regret of each rule at each number of labelled rows, which a sample of more rows begins with."""
    name, how, repeat, sizes = unit
    known, rng = real_sets.read(name, data), np.random.default_rng([SEED, *map(ord, name), repeat])
    order = start(known.y, FIRST if how == "active" else sizes[0], rng)
    pool, rest = np.split(order, [max(len(order) // 2, max(sizes) + BATCH)])
    if how == "active":
        pool = _picked(known, pool, max(sizes))
    records = []
    for size in sizes:
        rows = pool[:size]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of fits that did not converge, and of rare classes
            compared = {how: among_learners(known, rows, rest, repeat)}
            if how == "iid":
                compared["terms"] = among_terms(known, rows, rest, repeat)
        for of, regrets in compared.items():
            common = {"of": of, "set": name, "repeat": repeat, "size": size}
            records += [{**common, "rule": rule, "regret": regret} for rule, regret in regrets.items()]
    return records


def _picked(known: RealSet, pool: Rows, size: int) -> Rows:
    """The pool's first rows, and then the rows that uncertainty sampling picks."""
    labelled, left = pool[:FIRST], pool[FIRST:]
    while len(labelled) < size:
        new = least_sure(CANDIDATES["ridge-30"], known.X, known.y, labelled, left, BATCH)
        labelled, left = np.concatenate([labelled, new]), np.setdiff1d(left, new)
    return labelled


def _by_rule(results: pd.DataFrame, of: str) -> pd.DataFrame:
    """The regrets, a line a sample and a column a rule; the index begins with the set."""
    some = results[results["of"] == of]
    table = some.pivot_table(index=["set", "repeat", "size"], columns="rule", values="regret", sort=False)
    return table[[DEFAULT, *table.columns.drop(DEFAULT)]]


def _of_sets(values: pd.Series) -> tuple[float, float, float]:
    """The mean, and the ends of Student's interval over the means of the sets."""
    return mean_interval(values.groupby(level="set").mean())


def _against(regrets: pd.DataFrame, rule: str) -> tuple[str, bool]:
    """How a rule compares with the minimum of E_cv, and whether it is better by more than chance."""
    less = (regrets[rule] - regrets[DEFAULT]).round(12)
    mean, low, high = _of_sets(less)
    chance = stats.ttest_1samp(less.groupby(level="set").mean(), 0, alternative="less").pvalue
    better = bool(mean < 0 and chance < (1 - LEVEL) / (regrets.shape[1] - 1))
    wins = f"{(less < 0).sum()}-{(less > 0).sum()}-{(less == 0).sum()}"
    return f"{mean:+.4f} ({low:+.4f} to {high:+.4f}) against the minimum of E_cv, wins-losses-ties {wins}", better


def _finding(name: str, regrets: pd.Series, agrees: bool, words: str) -> Finding:
    mean, low, high = _of_sets(regrets)
    return Finding(name, mean, agrees, words, low=low, high=high)


def findings(results: pd.DataFrame) -> list[Finding]:
    """The mean regret of each rule; a rule differs that is better than the shipped default by more than chance."""
    found = []
    for of in COMPARED:
        regrets = _by_rule(results, of)
        better: list[str] = []
        for rule in map(str, regrets):
            words, is_better = ("the shipped default", False) if rule == DEFAULT else _against(regrets, rule)
            found.append(_finding(f"regret-{of}-{rule}", regrets[rule], not is_better, words))
            better += [rule] * is_better
        best = str(regrets[better].mean().idxmin()) if better else DEFAULT
        words = f"better by more than chance: {', '.join(better)}" if better else "none is better by more than chance"
        found.append(Finding(f"regret-{of}-recommended", best, not better, words))
    return found


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:
    """The mean regret of each rule with its interval, for random and picked rows, and among numbers of terms."""
    figure, axes = plt.subplots(1, 3, figsize=(9.5, 3.6), constrained_layout=True)
    for axis, (of, words), colour, marker in zip(axes, COMPARED.items(), COLOURS, "osD", strict=True):
        regrets = _by_rule(results, of)
        mean, low, high = np.array([_of_sets(regrets[rule]) for rule in regrets]).T
        places = np.arange(len(mean))[::-1]
        axis.errorbar(mean, places, xerr=(mean - low, high - mean), fmt=marker, color=colour, capsize=3)
        default = axis.axvline(mean[0], color="black", linestyle=":", linewidth=1, label="the shipped default: minimum")
        axis.set(yticks=places, yticklabels=regrets.columns, xlabel="mean regret (share of rows)")
        axis.set_title(words, fontsize=9)
        axis.set_xlim(left=0)
    figure.legend(handles=[default], loc="outside lower center")
    return {"": figure}
