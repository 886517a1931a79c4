"""The pictures of `bound_tightness`: how much of the error each bound shows."""

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

TITLES = {"E_dis": "E_dis", "vote": "vote bound"}
MARKS = {  # marker and colour
    "tree": ("^", "#009E73"),
    "nearest neighbour": ("s", "#E69F00"),
    "logistic regression": ("o", "#0072B2"),
    "ridge": ("v", "#000000"),
    "naive Bayes": ("D", "#CC79A7"),
}


def by_set(results: pd.DataFrame) -> Figure:
    """Bound over error of each set and learner, for the most pairs."""
    last = results[results["pairs"] == results["pairs"].max()]
    figure, panels = plt.subplots(1, 2, figsize=(6.5, 4.5), sharey=True, layout="constrained")
    names = [
        f"{name.replace('_', ' ')}, {f'{classes} classes' if classes else 'numbers'}"
        for name, classes in zip(last["set"], last["classes"], strict=True)
    ]
    for panel, (bound, title) in zip(panels, TITLES.items(), strict=True):
        shares = (last[bound] / last["error"]).groupby([names, last["learner"]], sort=False).mean().unstack()
        for place, (learner, (marker, colour)) in enumerate(MARKS.items()):
            height = np.arange(len(shares)) + (place - 2) / 7  # so that no mark hides another
            panel.plot(shares[learner], height, marker, color=colour, label=learner, ms=4.5)
        panel.axvline(1, color="black", lw=1)
        panel.set(xlabel=f"{title} / true half error", xlim=(0, 1.05))
        panel.set_xticks((0, 0.25, 0.5, 0.75, 1), ("0", "1/4", "1/2", "3/4", "1"))
        panel.set_yticks(range(len(shares)), shares.index)
    panels[0].invert_yaxis()
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    return figure


def by_pairs(results: pd.DataFrame) -> Figure:
    """Bound over error by the number of pairs, the mean over the sets of classes."""
    figure, panel = plt.subplots(figsize=(6, 4), layout="constrained")
    of_classes = results[results["kind"] == "classes"]
    for learner in ("tree", "nearest neighbour", "logistic regression"):
        lines = of_classes[of_classes["learner"] == learner]
        for bound, style in (("E_dis", "-"), ("vote", "--")):
            means = (lines[bound] / lines["error"]).groupby(lines["pairs"]).mean()
            marker, colour = MARKS[learner]
            panel.plot(means, style, marker=marker, color=colour, label=f"{TITLES[bound]}, {learner}")
    pairs = sorted(set(results["pairs"]))
    panel.set_xscale("log", base=2)
    panel.set(
        xlabel="pairs of half models", ylabel="bound / true half error", ylim=(0, 1), xticks=pairs, xticklabels=pairs
    )
    panel.legend(ncols=2, loc="lower center")
    return figure
