"""Second or fifth order, chosen by validation: E_val of the chosen hypothesis is too low, and less so for large K.

Abu-Mostafa, lecture 13, "Selecting between 2 models": of about 30 points K are held out, polynomials of order 2 and 5
are trained on the others, and the smaller E_val chooses. As K grows from 5 to 25, E_out and E_val of the chosen rise,
since fewer points train, and draw together, since more points validate.

The lecture does not say what the points are. Assumed: 35 points, x uniform on [-1, 1], y = f(x) + normal noise with
variance 0.4, f a random sum of Legendre polynomials up to order 2 with mean square 1. Least squares; answers are cut to
[-4, 4], which hardly a y is outside of: without that the errors of order 5 have no finite variance where few points
train, and the worst of all repeats makes the mean. Other settings change one of these. E_out, noise included, is by
quadrature.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from heldout.decision.select import select
from heldout.learners.fitting import fit_and_test
from heldout.losses import SQUARED
from heldout.losses.tested_losses import Tested
from heldout.schemes import holdout
from heldout.splits.partition import cut
from studies.colours import COLOURS
from studies.noisy_polynomials import SETTINGS, Polynomial, Setting
from studies.study import Finding, Record, mean_interval

SEED, NEEDS_DATA = 0, False
ORDERS = ("2", "5")
FIRST, LAST = 5, 25  # the ends of the lecture's figure
SIZES, FEW_SIZES = (5, 10, 15, 20, 25), (FIRST, LAST)  # K, of the first setting and of the others
REPEATS, QUICK_REPEATS = 250, 150  # in a unit
UNITS, UNITS_OF_OTHERS, QUICK_UNITS = 20, 8, 10


def units(quick: bool) -> Sequence[tuple[str, int, int, tuple[int, ...]]]:
    """A setting, the number of a batch, its repeats and the sizes K."""
    first, *others = SETTINGS
    if quick:
        return [(first, batch, QUICK_REPEATS, FEW_SIZES) for batch in range(QUICK_UNITS)]
    whole = [(first, batch, REPEATS, SIZES) for batch in range(UNITS)]
    return whole + [(other, batch, REPEATS, FEW_SIZES) for other in others for batch in range(UNITS_OF_OTHERS)]


def measure(unit: tuple[str, int, int, tuple[int, ...]], data: Path | None) -> list[Record]:  # noqa: ARG001
    """E_out and E_val of the chosen hypothesis, and their difference for order 2: means over the batch, at each K."""
    name, batch, repeats, sizes = unit
    place = list(SETTINGS).index(name)
    chosen = [
        _chosen(SETTINGS[name], sizes, np.random.default_rng([SEED, place, batch, repeat])) for repeat in range(repeats)
    ]
    return [
        {"setting": name, "batch": batch, "K": K, "E_out": E_out, "E_val": E_val, "of_order_2": of_order_2}
        for K, (E_out, E_val, of_order_2) in zip(sizes, np.mean(chosen, axis=0).tolist(), strict=True)
    ]


def _chosen(setting: Setting, sizes: Sequence[int], rng: np.random.Generator) -> NDArray[np.float64]:
    """For one set of points, a line for each K: E_out and E_val of the chosen hypothesis, E_out - E_val of order 2."""
    function = setting.function(rng)
    X, y = setting.draw(function, rng)
    found = []
    for K in sizes:
        split = holdout.split(cut(y, K, stratify=False, random_state=int(rng.integers(2**31))))
        E_out, E_val = {}, {}
        for order in ORDERS:
            tested = fit_and_test(Polynomial(int(order), setting.reach), X, y, split, SQUARED, state=0)
            E_out[order] = setting.E_out(function, tested.hypothesis)
            E_val[order] = Tested(tested.losses, SQUARED).error
        chosen = select(E_val, "E_val", "minimum").selected
        found.append((E_out[chosen], E_val[chosen], E_out["2"] - E_val["2"]))
    return np.array(found)


def findings(results: pd.DataFrame) -> list[Finding]:
    """Whether both curves rise and draw together, and how far E_val is too low at both ends."""
    tables = {str(name): table for name, table in results.groupby("setting", sort=False)}
    holds = {name: _rise_and_draw_together(table) for name, table in tables.items()}
    base = tables["as assumed"]
    bias, mean = _bias(base), base.groupby("K")[["E_out", "E_val"]].mean().round(3)
    ours, low, high = mean_interval(bias[FIRST] - bias[LAST])
    said = (
        f"by so much they draw together; E_out {mean['E_out'][FIRST]} to {mean['E_out'][LAST]}, "
        f"E_val {mean['E_val'][FIRST]} to {mean['E_val'][LAST]}"
    )
    where = ", ".join(name for name in holds if holds[name])
    not_in = f"; not: {', '.join(name for name in holds if not holds[name])}" if not all(holds.values()) else ""
    ends = ((K, *mean_interval(bias[K])) for K in (FIRST, LAST))
    too_low = "E_out less E_val of the chosen hypothesis"
    return [
        Finding("polynomials-second-against-fifth", ours, holds["as assumed"], said, "", low, high),
        *(Finding(f"polynomials-bias-{K}", value, low > 0, too_low, "", low, high) for K, value, low, high in ends),
        Finding("polynomials-settings", f"{sum(holds.values())}/{len(holds)}", True, f"{where}{not_in}"),
    ]


def _bias(table: pd.DataFrame) -> pd.DataFrame:
    """E_out - E_val of the chosen hypothesis, a line for each batch and a column for each K.

    That of order 2 is subtracted, which was not chosen and has the mean 0: less noise.
    """
    less = table.assign(bias=table["E_out"] - table["E_val"] - table["of_order_2"])
    return less.pivot_table(index="batch", columns="K", values="bias")


def _rise_and_draw_together(table: pd.DataFrame) -> bool:
    """Between the ends of the figure; the last more surely than by chance."""
    mean, bias = table.groupby("K")[["E_out", "E_val"]].mean(), _bias(table)
    rise = bool((mean.loc[LAST] > mean.loc[FIRST]).all())
    return rise and all(mean_interval(of)[1] > 0 for of in (bias[FIRST], bias[LAST], bias[FIRST] - bias[LAST]))


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:
    """Both curves against K, with bands of two standard errors; the bias in all settings."""
    table = results[results["setting"] == "as assumed"]
    figure = Figure(figsize=(6, 4))
    axes = figure.subplots()
    lines = (("E_out", "E_out of the chosen hypothesis", "red", "o"), ("E_val", "its E_val", "blue", "s"))
    for column, name, colour, marker in lines:
        by_size = table.groupby("K")[column]
        mean, error = by_size.mean(), by_size.sem()
        axes.plot(mean.index, mean, color=COLOURS[colour], marker=marker, label=name)
        axes.fill_between(
            mean.index, mean - 2 * error, mean + 2 * error, color=COLOURS[colour], alpha=0.25, linewidth=0
        )
    axes.set(xlabel="size of the validation set, K of 35 points", ylabel="expected squared error")
    axes.set_xticks(table["K"].unique())
    axes.legend(title="bands: two standard errors")
    return {"": figure}
