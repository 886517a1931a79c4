"""The pictures of the study digits_terms."""

import pandas as pd
from matplotlib.figure import Figure

from studies.colours import COLOURS

PUBLISHED = {6: 1.5, 20: 2.5}  # E_out in percent, by the number of terms


def curves(results: pd.DataFrame) -> Figure:
    """E_in, E_cv and E_out against the number of terms."""
    draws = results[results["kind"] == "draw"]
    figure = Figure(figsize=(6, 4))
    axes = figure.subplots()
    mean = 100 * draws.groupby("terms")[["E_in", "E_cv", "E_out"]].mean()
    for column, (colour, marker) in {"E_in": ("sky", "^"), "E_cv": ("blue", "s"), "E_out": ("red", "o")}.items():
        axes.plot(
            mean.index, mean[column], color=COLOURS[colour], marker=marker, markersize=4, label=f"{column}, linear"
        )
    most = int(mean.index.max())
    logistic = 100 * draws["logistic_E_out"][draws["terms"] == most].mean()
    axes.plot(most, logistic, "D", color=COLOURS["purple"], label="E_out, logistic")
    axes.plot(
        *zip(*PUBLISHED.items(), strict=True), "kx", markersize=8, markeredgewidth=2, label="E_out in the lecture"
    )
    highest = max(mean.loc[2:].to_numpy().max(), logistic, *PUBLISHED.values())
    lowest = min(mean.to_numpy().min(), *PUBLISHED.values())
    axes.set(xlabel="number of terms", ylabel="error in percent", ylim=(0.8 * lowest, 1.1 * highest))
    axes.set(title=f"with one term, E_out is {mean['E_out'].iloc[0]:.1f} %")
    axes.set_xticks(range(2, most + 1, 2))
    axes.legend(loc="upper center", ncols=2)
    return figure


def boundaries(results: pd.DataFrame) -> Figure:
    """The training digits of one draw, and where three hypotheses change their answer."""
    grid, points = results[results["kind"] == "grid"], results[results["kind"] == "point"]
    chosen, most = int(results["chosen"].iloc[0]), int(results["terms"].max())
    panels = {
        f"chosen: {chosen} terms": (("of_chosen", "red", "-", "linear regression"),),
        f"all {most} terms": (
            ("of_all", "red", "-", "linear regression"),
            ("of_logistic", "black", "--", "logistic regression"),
        ),
    }
    figure = Figure(figsize=(8, 4.4))
    for axes, (title, lines) in zip(figure.subplots(1, 2, sharey=True), panels.items(), strict=True):
        for is_one, colour, marker, name in ((0, "blue", "x", "other digits"), (1, "orange", "o", "digit 1")):
            some = points[points["is_one"] == is_one]
            axes.scatter(some["x1"], some["x2"], s=12, c=COLOURS[colour], marker=marker, linewidths=0.7, label=name)
        for column, colour, style, name in lines:
            table = grid.pivot_table(index="x2", columns="x1", values=column)
            axes.contour(table.columns, table.index, table, levels=[0], colors=COLOURS[colour], linestyles=style)
            axes.plot([], [], color=COLOURS[colour], linestyle=style, label=name)
        axes.set(title=title, xlabel="intensity (share of ink)")
    figure.axes[0].set_ylabel("symmetry (0: symmetric)")
    figure.legend(*axes.get_legend_handles_labels(), loc="lower center", ncols=4)
    figure.tight_layout(rect=(0, 0.07, 1, 1))
    return figure
