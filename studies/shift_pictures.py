"""The pictures of `error_without_labels`: what is said of the error of shifted rows, and what it is."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

METHODS = {  # name, marker, colour
    "unchanged": ("error unchanged", "s", "#000000"),
    "pape": ("PAPE", "D", "#56B4E9"),
    "atc": ("ATC", "x", "#E69F00"),
    "doc": ("DoC", "+", "#CC79A7"),
    "weighting": ("importance weighting", "1", "#D55E00"),
    "edis": ("E_dis, a lower bound", "v", "#009E73"),
    "dis2": ("DIS2, an upper bound", "^", "#0072B2"),
}


def estimates(results: pd.DataFrame) -> Figure:
    """What each method says, against the true error; a mark for each shift."""
    figure, panel = plt.subplots(figsize=(6, 4.5), layout="constrained")
    panel.plot([0, 1], [0, 1], color="black", lw=1)
    for name, (label, marker, colour) in METHODS.items():
        panel.plot(results["error"], results[name], marker, color=colour, label=label, ms=6 if marker in "x+1" else 5)
    panel.set(xlabel="true error on the shifted rows", ylabel="what is said of it without labels", ylim=(-0.02, 1.02))
    figure.legend(loc="outside lower center", ncols=3)
    return figure


def intervals(results: pd.DataFrame) -> Figure:
    """From the lower to the upper bound, for each shift."""
    figure, panel = plt.subplots(figsize=(6.5, 4), layout="constrained")
    ordered, places = results.sort_values("error"), np.arange(len(results))
    panel.vlines(places, ordered["edis"], ordered["dis2-normal-limit"], color="#0072B2", lw=2.5, label="E_dis to DIS2")
    panel.plot(places, ordered["dis2"], "_", color="#0072B2", label="DIS2 alone, by Hoeffding")
    panel.plot(places, ordered["error"], "o", color="black", ms=3.5, label="true error")
    panel.plot(places, ordered["source_error"], "x", color="#D55E00", ms=4, label="error before the shift")
    panel.set(xlabel="shifts, by their true error", ylabel="error", ylim=(-0.02, 1.02), xticks=[])
    figure.legend(loc="outside lower center", ncols=4)
    return figure


def kinds(results: pd.DataFrame, names: Sequence[str]) -> Figure:
    """The mean absolute error of each estimate on found shifts, and on made ones by their kind; a panel a kind."""
    of_kinds = list(results.groupby("kind", sort=False))
    figure, panels = plt.subplots(1, len(of_kinds), figsize=(7.5, 3), layout="constrained", sharey=True)
    places = np.arange(len(names))[::-1]
    for panel, (kind, of) in zip(panels, of_kinds, strict=True):
        errors = np.array([(of[name] - of["error"]).abs().mean() for name in names])
        panel.hlines(places, 0, errors, color="#0072B2", lw=1)
        panel.plot(errors, places, "o", color="#0072B2", ms=4)
        panel.axvline(errors[list(names).index("unchanged")], color="black", lw=0.8, ls=":")
        panel.set(xlim=(0, 1.1 * errors.max()), title=f"{kind}: {len(of)}")
        panel.set_yticks(places, names)
        panel.tick_params(labelsize=7)
    figure.supxlabel("mean absolute error; dotted: error unchanged", fontsize=8)
    return figure
