"""Progressive validation gives a better hypothesis, and a better estimate of its error, than a hold-out of its size.

Blum, Kalai and Langford, the table: n boolean features, of which one is the label; the learner crosses off the features
that contradict a row, and the rest vote. Progressive validation on 5 + 10 rows, the hold-out on 5 + 10, and the
hold-out on 9 + 10, whose hypothesis is about as good as the progressive hypothesis: the true error, and how far the
estimate is from it. True errors are exact, by counting the rows that a vote gets wrong, not sampled.

The text that we have of the paper is garbled: how we read n = 1000 and the table is said in `studies/blum_printed.py`.
We assume that ± is one standard deviation, so a number within two of them agrees. Ties of a vote are answered with
True; every rule that does not know the label has the same errors. The second picture shows what another n would give:
that 15 rows beat 19 is true of more than about 550 features for the error, and of 850 for the estimate.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from heldout.learners.fitting import fit_and_test
from heldout.losses import ZERO_ONE
from heldout.losses.tested_losses import Tested
from heldout.schemes import holdout, progressive
from heldout.splits.split import Split
from studies import blum_printed, surviving_features
from studies.blum_printed import FEATURES, GUESSED, PRINTED, TESTED, Printed, expected
from studies.study import Finding, Record, mean_interval
from studies.surviving_features import CrossOff, Expected, Numbers

SEED, NEEDS_DATA = 0, False
REPEATS, QUICK_REPEATS = 40_000, 1_200
IN_A_UNIT = 2_000
DEVIATIONS = 2  # that the paper's number may be off
STANDARD_ERRORS = 3.5  # that a simulation may be off; one of six is by chance once in 360 times
NEARBY = range(700, 1401, 5)  # numbers of features, among which one fits the printed true errors best
CHI_SQUARE = 3.84  # its 95 % quantile for one degree of freedom
IN_PICTURE = tuple(2**power for power in range(6, 13))  # numbers of features
QUANTITIES = {"true-error": "true error", "discrepancy": "|true error - estimate|"}
LOOKS = (("#0072B2", "o", 0.9), ("#D55E00", "s", 1.1), ("#009E73", "^", 1.0))  # the last moves the printed mark aside


def units(quick: bool) -> Sequence[tuple[int, int]]:
    """Numbers of batches, and the repeats in each."""
    repeats = QUICK_REPEATS if quick else REPEATS
    return [(unit, min(repeats, IN_A_UNIT)) for unit in range(-(-repeats // IN_A_UNIT))]


def measure(unit: tuple[int, int], data: Path | None) -> list[Record]:  # noqa: ARG001
    """The true error and the discrepancy of each procedure, in each repeat."""
    number, repeats = unit
    rng = np.random.default_rng([SEED, number])
    return [{"procedure": name, **_repeat(name, rng)} for _ in range(repeats) for name in PRINTED]


def _repeat(name: str, rng: np.random.Generator) -> Record:
    trained = PRINTED[name].trained
    X = rng.integers(0, 2, (trained + TESTED, FEATURES), dtype=np.bool_)
    y = X[:, rng.integers(FEATURES)]
    step = np.maximum(np.arange(len(y)) - trained, -1)  # rows are independent draws: their order is random
    splits: Sequence[Split] = [holdout.split(step >= 0)]
    if blum_printed.progressive(name):
        splits = progressive.splits(step, block=1)
    fits = [fit_and_test(CrossOff(), X, y, split, ZERO_ONE, state=0) for split in splits]
    estimate = Tested(np.concatenate([fit.losses for fit in fits]), ZERO_ONE).error
    # the true error of the progressive hypothesis is the mean over the hypotheses of its steps
    survivors = [fit.hypothesis.surviving_.sum() for fit in fits]
    true_error = float(surviving_features.errors(FEATURES)[survivors].mean())
    return {"true-error": true_error, "discrepancy": abs(true_error - estimate)}


def findings(results: pd.DataFrame) -> list[Finding]:
    """The table; what 15 rows gain over 19; whether both routes agree; and which n fits the printed true errors."""
    return [*_lines(results), *_gains(results), _routes(results), _features()]


def _lines(results: pd.DataFrame) -> Iterator[Finding]:
    for quantity in QUANTITIES:
        for name, printed in PRINTED.items():
            line = f"{quantity}-{name}"
            ours, low, high = mean_interval(_values(results, name, quantity))
            number, spread = _of(printed, quantity), _of(printed, f"{quantity}-spread")
            agrees = low - DEVIATIONS * spread <= number <= high + DEVIATIONS * spread
            because = f"printed with ± {spread:g}; exactly {_of(expected(name), quantity):.4f}"
            if line in GUESSED:
                because += f"; {GUESSED[line]}"
            yield Finding(f"blum-{line}", ours, agrees, because, number, low, high)


def _gains(results: pd.DataFrame) -> Iterator[Finding]:
    fewer, more = "progressive-5-10", "holdout-9-10"
    for quantity in QUANTITIES:
        ours, low, high = mean_interval(_values(results, more, quantity) - _values(results, fewer, quantity))
        exact = _of(expected(more), quantity) - _of(expected(fewer), quantity)
        printed = round(_of(PRINTED[more], quantity) - _of(PRINTED[fewer], quantity), 3)
        because = f"the hold-out of 19 rows less progressive validation of 15; exactly {exact:.4f}"
        yield Finding(f"blum-{quantity}-gain-15-against-19", ours, exact > 0, because, printed, low, high)


def _routes(results: pd.DataFrame) -> Finding:
    away = [
        abs(values.mean() - _of(expected(name), quantity)) / (values.std(ddof=1) / len(values) ** 0.5)
        for quantity in QUANTITIES
        for name in PRINTED
        for values in [_values(results, name, quantity)]
    ]
    because = "the largest of six differences between simulation and exact calculation, in standard errors"
    return Finding("blum-simulation-against-exact", max(away), max(away) < STANDARD_ERRORS, because)


def _features() -> Finding:
    """The least-squares n, and the numbers of features whose sum of squares is nearly as small."""
    misfits = np.array([blum_printed.misfit(features) for features in NEARBY])
    left = np.array(NEARBY)[misfits <= misfits.min() + CHI_SQUARE]
    ours, low, high = float(NEARBY[int(misfits.argmin())]), float(left.min()), float(left.max())
    because = "the number of features whose exact true errors are nearest to the printed ones"
    return Finding("blum-number-of-features", ours, low <= FEATURES <= high, because, FEATURES, low, high)


def _values(results: pd.DataFrame, name: str, quantity: str) -> Numbers:
    values: Numbers = results.loc[results["procedure"] == name, quantity].to_numpy()
    return values


def _of(record: Printed | Expected, quantity: str) -> float:
    return float(getattr(record, quantity.replace("-", "_")))


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:
    """The table as printed, simulated and calculated; and as calculated for other numbers of features."""
    table, by_features = Figure(figsize=(6.5, 2.6)), Figure(figsize=(6.5, 3.2))
    for figure, draw, top in ((table, _table, 0.87), (by_features, _by_features, 0.9)):
        panels = figure.subplots(1, 2, sharey=figure is table)
        for axes, quantity in zip(panels, QUANTITIES, strict=True):
            draw(axes, quantity, results)
        figure.legend(*panels[0].get_legend_handles_labels(), loc="upper center", ncols=4)
        figure.subplots_adjust(top=top, wspace=0.1 if figure is table else 0.35)
    return {"": table, "features": by_features}


def _table(axes: Axes, quantity: str, results: pd.DataFrame) -> None:
    of_printed = [_of(each, quantity) for each in PRINTED.values()]
    spreads = [_of(each, f"{quantity}-spread") for each in PRINTED.values()]
    ours = np.array([mean_interval(_values(results, name, quantity)) for name in PRINTED])
    margins, y = ours[:, 2] - ours[:, 0], np.arange(len(PRINTED))
    exact = [_of(expected(name), quantity) for name in PRINTED]
    axes.errorbar(of_printed, y - 0.15, xerr=spreads, fmt="D", color="black", mfc="white", label="printed, with its ±")
    axes.errorbar(ours[:, 0], y + 0.15, xerr=margins, fmt="o", color="#0072B2", label="ours, 95 % interval")
    axes.vlines(exact, y - 0.35, y + 0.35, color="#D55E00", label="exact")
    axes.set(xlabel=QUANTITIES[quantity], ylim=(2.5, -0.5))
    axes.set_yticks(y, [_words(name) for name in PRINTED])


def _by_features(axes: Axes, quantity: str, results: pd.DataFrame) -> None:  # noqa: ARG001
    for (name, printed), (color, marker, aside) in zip(PRINTED.items(), LOOKS, strict=True):
        exact = [_of(expected(name, features), quantity) for features in IN_PICTURE]
        axes.plot(IN_PICTURE, exact, marker=marker, ms=3, color=color, label=_words(name))
        number, spread = _of(printed, quantity), _of(printed, f"{quantity}-spread")
        axes.errorbar(FEATURES * aside, number, yerr=spread, fmt=marker, color=color, mfc="white", capsize=3, zorder=3)
    axes.plot([], [], "D", color="black", mfc="white", label="printed, with its ±")
    axes.set_xscale("log", base=2)
    axes.set(xlabel="number of features n", ylabel=QUANTITIES[quantity])


def _words(name: str) -> str:
    return name.replace("holdout", "hold-out").replace("-5", " 5").replace("-9", " 9").replace("-10", " + 10")
