"""The pictures of a validation, and the tables that they are drawn from."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from heldout.more_rows import AT_2N, AT_N
from heldout.table import draw_baseline, error_label
from tasks.report.summary import SHOWN, Summary, shown_count, shown_steps
from tasks.storage import files
from tasks.storage.atomic import replacing

ESTIMATES = files.PLOTS / "estimates.png"
PROGRESSIVE = files.PLOTS / "progressive.png"
MORE_ROWS = files.PLOTS / "more_rows.png"
FAMILIES = files.PLOTS / "families.png"
_COLOURS = ("#4c6a92", "#d1495b", "#66a182", "#edae49", "#7b5ea7", "#2e4057", "#b56576", "#8d99ae")

_OF_ROWS = {
    "E_2cv": "E_2cv, half of the rows",
    "E_prog": "parts of E_prog",
    "E_cv": "E_cv",
    AT_N: "all rows (E_N)",
    AT_2N: "twice the rows (E_2N)",
}


def draw(summary: Summary) -> list[Path]:
    """Write all plots and their tables; returns their paths."""
    import matplotlib as mpl

    mpl.use("agg")
    with replacing(files.PLOTS) as folder:
        tables = {"estimates.csv": summary.estimates, "progressive.csv": _curves(summary)}
        for name, table in tables.items():
            files.write_csv(folder / name, table)
        with mpl.rc_context(
            {
                "svg.hashsalt": "heldout",
                "axes.spines.top": False,
                "axes.spines.right": False,
                "text.parse_math": False,  # a user's text between two dollars is no formula
            }
        ):
            _draw_estimates(summary, folder / ESTIMATES.name)
            _draw_progressive(summary, folder / PROGRESSIVE.name)
            if len(summary.learning_curve()):
                _draw_more_rows(summary, folder / MORE_ROWS.name)
            if len(summary.families):
                values = [*map(_number, summary.paths["value"])]
                files.write_csv(folder / "families.csv", summary.paths.assign(value=pd.Series(values, dtype=object)))
                _draw_families(summary, folder / FAMILIES.name)
    return sorted(files.PLOTS.iterdir())


def _curves(summary: Summary) -> pd.DataFrame:
    columns = ["candidate", "tested", "error"]
    tables = []
    for name, errors in summary.progressive_errors.items():
        places = shown_steps(len(errors))
        tables.append(pd.DataFrame({"candidate": name, "tested": places + 1, "error": errors[places]}))
    return pd.concat(tables, ignore_index=True)[columns]


def _draw_estimates(summary: Summary, path: Path) -> None:
    """For each candidate a point and an interval for each estimate, candidates next to each other."""
    from matplotlib.figure import Figure

    names = list(summary.fold_errors)
    table = summary.estimates
    figure = Figure(figsize=(max(7.0, 1.6 * len(names)), 4.6), layout="constrained")
    axes = figure.subplots()
    scale = 100 if summary.percent else 1
    for place, estimate in enumerate(SHOWN):
        lines = table[table["estimate"] == estimate].set_index("candidate")
        shown = [name for name in names if name in lines.index]
        if not shown:
            continue
        lines = lines.loc[shown]
        x = np.array([names.index(name) for name in shown]) + (place - (len(SHOWN) - 1) / 2) * 0.095
        value = scale * lines["value"].to_numpy()
        low = scale * lines["low"].fillna(lines["value"]).to_numpy()
        high = scale * lines["high"].fillna(lines["value"]).to_numpy()
        lengths = np.clip([value - low, high - value], 0, None)
        axes.errorbar(x, value, yerr=lengths, fmt="o", ms=4.5, lw=1.4, color=_COLOURS[place], label=estimate)
    labels = [f"{name}\n(selected)" if name == summary.selected else name for name in names]
    axes.set_xticks(range(len(names)), labels)
    _finish(axes, summary, f"each estimate with its interval at {summary.level}, if any")
    for border in range(1, len(names)):
        axes.axvline(border - 0.5, color="0.9", lw=0.8, zorder=0)
    figure.savefig(path, dpi=110, metadata={"Software": None})


def _draw_progressive(summary: Summary, path: Path) -> None:
    """The mean loss of the first t tested examples, against t."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 4.2), layout="constrained")
    axes = figure.subplots()
    scale = 100 if summary.percent else 1
    for place, (name, errors) in enumerate(summary.progressive_errors.items()):
        style = "-" if place < len(_COLOURS) else "--"
        steps = shown_steps(len(errors))
        axes.plot(steps + 1, scale * errors[steps], style, lw=1.4, color=_COLOURS[place % 8], label=_in_legend(name))
        if name == summary.selected and summary.band is not None:
            low, high = (scale * bound[steps] for bound in summary.band)
            axes.fill_between(steps + 1, low, high, color=_COLOURS[place % 8], alpha=0.15, lw=0)
    axes.set_xlabel("examples tested")
    title = "progressive error: the last value is E_prog"
    if summary.band is not None:
        title += f"; band: {summary.level} for the winner at all steps at once"
    axes.set_ylim(top=_top(summary, scale))
    _finish(axes, summary, title)
    figure.savefig(path, dpi=110, metadata={"Software": None})


def _number(text: str) -> float | str:
    """The number that a text is, or the text itself."""
    for kind in (int, float):
        with suppress(ValueError):
            if str(kind(text)) == text:
                return kind(text)
    return text


def _in_legend(name: str) -> str:
    """The name of a curve; matplotlib would leave out one that begins with an underscore."""
    return f" {name}" if name.startswith("_") else name


def _draw_more_rows(summary: Summary, path: Path) -> None:
    """The winner's error against the number of training rows, and a band up to twice the rows."""
    from matplotlib.figure import Figure

    curve = summary.learning_curve()
    figure = Figure(figsize=(7.5, 4.2), layout="constrained")
    axes = figure.subplots()
    scale = 100 if summary.percent else 1
    ahead = curve[curve["estimate"].isin(["E_cv", AT_N, AT_2N])]
    axes.fill_between(ahead["rows"], scale * ahead["low"], scale * ahead["high"], color=_COLOURS[0], alpha=0.15, lw=0)
    axes.plot(ahead["rows"], scale * ahead["value"], "--", lw=1.2, color=_COLOURS[0])
    for place, (name, label) in enumerate(_OF_ROWS.items()):
        lines = curve[curve["estimate"] == name]
        value = scale * lines["value"]
        low, high = (scale * lines[end].fillna(lines["value"]) for end in ("low", "high"))
        lengths = np.clip([value - low, high - value], 0, None)
        axes.errorbar(lines["rows"], value, yerr=lengths, fmt="o", ms=4.5, lw=1.4, color=_COLOURS[place], label=label)
    axes.set_xscale("log", base=2)
    axes.minorticks_off()
    ticks = curve["rows"][curve["estimate"].isin(["E_2cv", "E_cv", AT_2N])]
    axes.set_xticks(ticks, [shown_count(rows) for rows in ticks])
    axes.set_xlabel("training rows")
    _finish(axes, summary, f"error of {summary.selected}; band: {summary.level}, if doublings gain less and less")
    figure.savefig(path, dpi=110, metadata={"Software": None})


def _top(summary: Summary, scale: float) -> float:
    """Room for every curve after its first steps, where the curves and the band vary most."""
    settled = [errors[min(len(errors) - 1, 10) :] for errors in summary.progressive_errors.values()]
    top = 1.6 * max(float(errors.max()) for errors in settled)
    return scale * min(max(top, 0.05), 1.05) if summary.percent else min(top, 1.05 * summary.loss.limit) or 1.0


def _draw_families(summary: Summary, path: Path) -> None:
    """For each family the errors on the training rows and on the validation rows, along its values."""
    from matplotlib.figure import Figure

    names = list(summary.families["candidate"])
    figure = Figure(figsize=(7.5, 3.4 * len(names)), layout="constrained")
    scale = 100 if summary.percent else 1
    for axes, (place, name) in zip(np.ravel(figure.subplots(len(names), 1)), enumerate(names), strict=True):
        curve = summary.paths[summary.paths["candidate"] == name]
        choice, values = summary.families.iloc[place], list(curve["value"])
        x = np.arange(len(curve))
        axes.plot(x, scale * curve["E_in"], "o--", ms=3, lw=1.2, color=_COLOURS[0], label="E_in")
        axes.plot(x, scale * curve["E_val"], "o-", ms=3, lw=1.4, color=_COLOURS[1], label="E_val")
        axes.axvline(values.index(choice["chosen"]), color="0.7", lw=0.8)
        ticks = x[:: max(1, len(x) // 12)]
        axes.set_xticks(ticks, [values[tick] for tick in ticks])
        axes.set_xlabel(choice["parameter"])
        _finish(
            axes, summary, f"{name}: {choice['parameter']} = {choice['chosen']} was chosen; E_val there is optimistic"
        )
    figure.savefig(path, dpi=110, metadata={"Software": None})


def _finish(axes: Any, summary: Summary, title: str) -> None:
    axes.set_ylim(bottom=-0.015 * axes.get_ylim()[1])  # a point at 0 is not cut
    E_cv = summary.selection["baseline"]
    draw_baseline(axes, 100 * E_cv if summary.percent else E_cv, f"baseline, E_cv {summary.number(E_cv)}")
    axes.set_ylabel(error_label(summary.loss))
    axes.set_title(title, fontsize=10, loc="left")
    axes.legend(fontsize=8, frameon=False, ncols=2)
