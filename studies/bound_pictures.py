"""The picture of the study chosen_parameter."""

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.figure import Figure

from studies.colours import COLOURS
from studies.study import LEVEL

_LOOKS = (("blue", "o"), ("green", "^"), ("red", "s"))
_MARKERS = ("P", "D", "X")
_BOUNDS = {"hoeffding": ("--", "Hoeffding's bound, of a penalty"), "exact": (":", "heldout's bound, of a penalty")}


def optimism(results: pd.DataFrame, families: Mapping[str, str], penalties: Sequence[int]) -> Figure:
    """E_out - E_val of the chosen against M: the mean, and the 0.95 quantile next to what the bounds add to E_val."""
    table = results.assign(optimism=results["E_out"] - results["E_val"])
    figure = Figure(figsize=(8, 4))
    of_mean, of_quantile = figure.subplots(1, 2, sharey=True)
    for (family, label), (colour, marker) in zip(families.items(), _LOOKS, strict=True):
        by_size = table[table["family"] == family].groupby("M")["optimism"]
        mean, error, quantile = by_size.mean(), by_size.sem(), by_size.quantile(LEVEL)
        for axes, values in ((of_mean, mean), (of_quantile, quantile)):
            axes.plot(values.index, values, color=COLOURS[colour], marker=marker, markersize=5, label=label)
        of_mean.fill_between(mean.index, mean - 2 * error, mean + 2 * error, color=COLOURS[colour], alpha=0.2)
    for number, marker in zip(penalties, _MARKERS, strict=True):
        some = table[table["family"] == f"{number} penalties"]
        label = f"{number} penalt{'y' if number == 1 else 'ies'} of {some['M'].iloc[0]} values"
        of_mean.plot(some["M"].iloc[0], some["optimism"].mean(), marker, color="black", markersize=7, label=label)
    of_a_penalty = table[table["family"] == next(iter(families))]
    for bound, (dashes, label) in _BOUNDS.items():
        added = (of_a_penalty[bound] - of_a_penalty["E_val"]).groupby(of_a_penalty["M"]).mean()
        of_quantile.plot(added.index, added, color="black", linestyle=dashes, label=label)
    of_mean.set(title="mean", ylabel="E_out - E_val of the chosen (0/1 error)")
    of_quantile.set(title=f"{LEVEL:g} quantile, and the bounds")
    for axes in (of_mean, of_quantile):
        axes.set(xscale="log", xlabel="number of candidates, M", ylim=(0, 0.29))
        sizes = sorted(of_a_penalty["M"].unique())
        axes.set_xticks(sizes, [str(size) for size in sizes])
        axes.minorticks_off()
        axes.legend(loc="upper left")
    return figure
