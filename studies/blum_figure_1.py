"""Progressive validation trains on rows that the hold-out only tests, so its hypothesis passes the threshold earlier.

Blum, Kalai and Langford, figure 1: of n boolean features one is the label; the learner crosses off the features that
contradict a row, and the rest vote. With each row about half of the wrong features go, so the error stays near 1/2
until few are left, near log2 n rows, and then falls. The true error of the hold-out's hypothesis, and of the
progressive hypothesis after as many rows and ten tested ones, over 1 to 20 rows; bands of one standard deviation.

We read n = 1000 in the garbled text, and take ten times the paper's 1000 repeats; the lines are exact. The figure
prints no numbers. The second picture shows other n, and ties of a vote that all are right or all are wrong;
every rule for ties that does not know the label lies in the middle.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from heldout.learners.fitting import fit_and_test
from heldout.losses import ZERO_ONE
from heldout.schemes import progressive
from studies import surviving_features
from studies.blum_printed import FEATURES, TESTED
from studies.study import Finding, Record, mean_interval
from studies.surviving_features import BLIND, CrossOff, Numbers

SEED, NEEDS_DATA = 0, False
SIZES = np.arange(1, 21)  # rows trained on, at first
REPEATS, QUICK_REPEATS = 10_000, 300
IN_A_UNIT = 500
HALFWAY = 1 / 4  # between the error of a coin and 0
NEAR = 2  # rows from log2 n to the size where the error is halfway
LOOKS = {"hold-out": ("#D55E00", "s"), "progressive validation": ("#0072B2", "o")}
OTHER_FEATURES = (64, FEATURES, 16_000)
TIES = {"ties wrong": 1.0, "blind to the label": BLIND, "ties right": 0.0}


def units(quick: bool) -> Sequence[tuple[int, int]]:
    """Numbers of batches, and the repeats in each."""
    repeats = QUICK_REPEATS if quick else REPEATS
    return [(unit, min(repeats, IN_A_UNIT)) for unit in range(-(-repeats // IN_A_UNIT))]


def measure(unit: tuple[int, int], data: Path | None) -> list[Record]:  # noqa: ARG001
    """The true error of the hypotheses trained on 1 … 29 rows, in each repeat."""
    number, repeats = unit
    rng = np.random.default_rng([SEED, number])
    return [_repeat(rng) for _ in range(repeats)]


def _repeat(rng: np.random.Generator) -> Record:
    """Progressive validation after one row has the hypotheses of all sizes, the hold-out's too."""
    X = rng.integers(0, 2, (SIZES[-1] + TESTED, FEATURES), dtype=np.bool_)
    y = X[:, rng.integers(FEATURES)]
    splits = progressive.splits(np.arange(len(y)) - SIZES[0], block=1)
    hypotheses = [fit_and_test(CrossOff(), X, y, split, ZERO_ONE, state=0).hypothesis for split in splits]
    true_errors = surviving_features.errors(FEATURES)[[each.surviving_.sum() for each in hypotheses]]
    return {str(split.n_train): error for split, error in zip(splits, true_errors, strict=True)}


def _curves(by_rows: Numbers) -> dict[str, Numbers]:
    """The true error at each size, shape (…, 20), of errors after 1 … 29 rows, shape (…, 29)."""
    members = np.lib.stride_tricks.sliding_window_view(by_rows, TESTED, axis=-1)
    return {"hold-out": by_rows[..., : len(SIZES)], "progressive validation": members.mean(axis=-1)}


def _exact(features: int, tie: float = BLIND) -> dict[str, Numbers]:
    rows = range(SIZES[0], SIZES[-1] + TESTED)
    return _curves(np.array([surviving_features.true_error(features, n, tie) for n in rows]))


def findings(results: pd.DataFrame) -> list[Finding]:
    """The largest gap between the curves, and where the hold-out's error is halfway."""
    curves, exact = _curves(results.to_numpy()), _exact(FEATURES)
    gaps = curves["hold-out"] - curves["progressive validation"]
    widest = int(np.argmax(exact["hold-out"] - exact["progressive validation"]))
    gap, low, high = mean_interval(gaps[:, widest])
    because = f"the largest gap, after {SIZES[widest]} rows; no progressive hypothesis is worse than the hold-out's"
    agrees = bool((gaps >= 0).all()) and low > 0
    if not agrees:
        because = "a progressive hypothesis is worse than the hold-out's"
    return [Finding("blum-figure-1", gap, agrees, because, low=low, high=high), _threshold(curves["hold-out"])]


def _threshold(errors: Numbers) -> Finding:
    """Where the mean error passes halfway, on a straight line between sizes."""
    mean = errors.mean(axis=0)
    after = int(np.argmax(mean < HALFWAY))
    slope = mean[after] - mean[after - 1]
    size, low, high = (SIZES[after] + (HALFWAY - e) / slope for e in mean_interval(errors[:, after]))
    published = float(np.log2(FEATURES))
    because = "rows after which the error of the hold-out is 1/4; published: near log2 n"
    low, high = min(low, high), max(low, high)
    return Finding(
        "blum-threshold", float(size), abs(size - published) < NEAR, because, published, float(low), float(high)
    )


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:
    """The figure; and the exact curves for other numbers of features and other ties."""
    return {"": _figure(_curves(results.to_numpy())), "assumptions": _assumptions()}


def _figure(curves: Mapping[str, Numbers]) -> Figure:
    figure = Figure(figsize=(6, 4))
    axes = figure.subplots()
    exact = _exact(FEATURES)
    for name, (color, marker) in LOOKS.items():
        mean, spread = curves[name].mean(axis=0), curves[name].std(axis=0, ddof=1)
        axes.fill_between(SIZES, mean - spread, mean + spread, color=color, alpha=0.2, lw=0)
        axes.plot(SIZES, mean, marker, ms=4, color=color, label=name)
        axes.plot(SIZES, exact[name], color=color, lw=1)
    axes.axvline(np.log2(FEATURES), color="black", ls=":", lw=1, label="log2 n")
    axes.plot([], [], color="black", lw=1, label="exact")
    axes.set(
        xlabel="training set size", ylabel="true error, ± one standard deviation", xlim=(0, 20.5), ylim=(-0.05, 0.6)
    )
    axes.set_xticks(range(0, 21, 2))
    axes.legend(loc="upper right", frameon=True, framealpha=1, edgecolor="none")
    return figure


def _assumptions() -> Figure:
    figure = Figure(figsize=(6.5, 3.2))
    panels = figure.subplots(1, 2, sharey=True)
    by_features = {f"n = {features}": _exact(features) for features in OTHER_FEATURES}
    by_ties = {label: _exact(FEATURES, tie) for label, tie in TIES.items()}
    for axes, curves in zip(panels, (by_features, by_ties), strict=True):
        for (label, of_label), style in zip(curves.items(), ("--", "-", ":"), strict=True):
            axes.plot([], [], style, color="black", label=label)
            for name, curve in of_label.items():
                axes.plot(SIZES, curve, style, color=LOOKS[name][0])
        axes.set(xlabel="training set size", xlim=(0, 20.5), ylim=(-0.02, 0.56))
        axes.legend(loc="upper right", fontsize=8, frameon=True, framealpha=1, edgecolor="none")
    panels[0].set_ylabel("true error")
    colors = [Line2D([], [], color=color, label=name) for name, (color, _) in LOOKS.items()]
    figure.legend(handles=colors, loc="upper center", ncols=2)
    figure.subplots_adjust(top=0.9, wspace=0.1)
    return figure
