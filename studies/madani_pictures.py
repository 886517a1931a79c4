"""Pictures of Madani, Pennock and Flake (2004), with our numbers: of errors against sizes, and of degrees."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

STYLES: list[dict[str, Any]] = [  # of lines, one for each task: colours of Okabe and Ito
    {"color": color, "marker": marker, "markersize": 5, "linewidth": 1.3}
    for color, marker in zip(
        ("#000000", "#E69F00", "#56B4E9", "#009E73", "#D55E00", "#0072B2", "#CC79A7", "#999999"),
        "osD^vXP*",
        strict=True,
    )
]
CURVES = {  # names of the paper
    "true error": "trueE",
    "half error": "half trueE",
    "E_2cv": "2cvE",
    "E_loo": "looE",
    "E_dis": "disE",
    "E_train": "trainE",
    "E_maxdt": "maxDtE",
}


def errors(means: pd.DataFrame) -> Figure:
    """The estimates and the true errors of the first task against the size."""
    task = means.index.get_level_values("task")[0]
    of_task = means.xs(task, level="task")
    figure = Figure(figsize=(8, 4), layout="constrained")
    both = figure.subplots(1, 2, sharey=True)
    for axes, way, title in zip(both, ("random", "active"), ("random rows", "picked rows"), strict=True):
        for (name, label), style in zip(CURVES.items(), STYLES, strict=False):
            around = {"markersize": 10, "markerfacecolor": "none"} if name == "E_maxdt" else {}
            axes.plot(of_task.loc[way][name], label=label, **{**style, **around})
        axes.set(title=f"{task}: {title}", xlabel="size of the training set, in rows", ylim=(-0.01, 0.56))
    both[0].set_ylabel("mean over trials, 0/1 error")
    figure.legend(*both[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def ratios(active: pd.DataFrame) -> Figure:
    """Three ratios against the size, a curve for each task; picked rows."""
    true, half = active["true error"], active["half error"]
    of = {
        "(a)  |2cvE - trueE| / |disE - trueE|": (active["E_2cv"] - true).abs() / (active["E_dis"] - true).abs(),
        "(b)  disE / trueE": active["E_dis"] / true.where(true > 0),
        "(c)  disE / half trueE": active["E_dis"] / half.where(half > 0),
    }
    figure = Figure(figsize=(10, 4), layout="constrained")
    all_axes = figure.subplots(1, len(of))
    for axes, (title, shown) in zip(all_axes, of.items(), strict=True):
        for (task, some), style in zip(shown.groupby("task", sort=False), STYLES, strict=False):
            axes.plot(some.droplevel("task"), label=task, **style)
        axes.axhline(1, color="0.4", linestyle="--")
        axes.set(title=title, xlabel="size of the training set, in rows")
    all_axes[0].set(ylabel="ratio of means over trials", yscale="log")
    figure.legend(*all_axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=8)
    return figure


def curve(means: pd.DataFrame, title: str) -> Figure:
    """The criteria and the true error of an experiment against the degree."""
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for (name, label), style in zip(CURVES.items(), STYLES, strict=False):
        if name in ("true error", "E_2cv", "E_loo", "E_maxdt"):
            axes.plot(means[name], label=label, **style)
    axes.set(title=title, xlabel="degree of the polynomial kernel", ylabel="mean over trials, 0/1 error")
    axes.legend()
    return figure


def against(errors: pd.DataFrame) -> Figure:
    """The true error of the degree that maxDtE selected against that of looE and 2cvE; a point for each experiment."""
    figure = Figure(figsize=(6, 5), layout="constrained")
    axes = figure.subplots()
    least = errors[errors > 0].min().min() / 1.5
    for name, style in (("E_loo", STYLES[1]), ("E_2cv", STYLES[5])):
        axes.plot(
            errors["E_maxdt"].clip(least), errors[name].clip(least), **{**style, "linestyle": ""}, label=CURVES[name]
        )
    axes.axline((least, least), (1, 1), color="0.4", linestyle="--", label="equal")
    axes.set(xscale="log", yscale="log", xlabel="true error of the degree that maxDtE selects, 0/1 error")
    axes.set_ylabel("true error of the degree that the other selects, 0/1 error")
    axes.set_title("above the line maxDtE selects better")
    axes.legend()
    return figure
