"""docs/datasets.md, from the stored runs of the study `datasets`, all of them made by the code of the last commit.

python -m studies.datasets_page    # after python -m studies datasets --data FOLDER
"""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from studies import datasets
from studies.made_tables import markdown
from studies.outcome import JUDGES, mean_to_peer
from studies.run_set import Run
from studies.run_studies import unit_key
from studies.study import mean_interval
from tasks.runtime import environment
from tasks.storage import files, fit_cache

PAGE, AUTOML = Path("docs/datasets.md"), Path("docs/studies/automl.csv")  # the second by studies.peer_automl
MANY, MORE = 1000, 1.05  # rows, and times the error of boosting


def main() -> None:
    """Write the page. Raises UserError for a set that was not run."""
    environment.enter()
    files.write_text(PAGE, page(stored()))


def stored() -> list[Run]:
    """The runs by the code of the last commit. Raises UserError for a set that was not run."""
    keys = [unit_key("datasets", unit) for unit in datasets.units(quick=False)]
    return datasets.outcomes(pd.DataFrame([record for key in keys for record in fit_cache.store.load(key)]))


def page(runs: Sequence[Run]) -> str:
    """docs/datasets.md."""
    head = _HEAD.format(
        counts=markdown(_counts(runs)),
        sets=len(runs),
        better=sum(run.beats_baseline is True for run in runs),
        ratio=mean_to_peer(runs),
        above=_above(runs),
    )
    peers = pd.read_csv(AUTOML) if AUTOML.exists() else pd.DataFrame({"set": []})
    return "\n".join([head, markdown([_COLUMNS, *map(_line, runs)]), *_next_to_automl(runs, peers)])


_HEAD = """\
# Public data sets

`python -m flows init FILE --target COLUMN`, then `dvc repro`, with nothing edited but `selection.open_test`. `make
datasets DATA=FOLDER` makes this page from the study [datasets](studies/datasets.md). Errors of classes are in percent,
errors of numbers in squared units of the target; seconds are those of both commands together, on two cores.

In how many runs the winner's error on the test set, opened once at the end, lies inside an estimate's 95 % interval:

{counts}
*Expected* is the number if the interval were right for the tested model; it is below 95 % of the runs, since the test
set has noise too. What differs: the estimates are about models with fewer training rows; the winner's `E_cv` is too
small, because it was the least; in two sets in time (electricity_elec2, occupancy) the test set has the latest rows.
With many copies of rows, as in wine_quality and phishing, all errors are also about rows that equal a training row
(`split.duplicates: keep_together` is for that).

The winner is shown to beat the constant `baseline` on {better} of {sets} sets. `peer` is the test error of gradient
boosting with its defaults, trained on every row outside the test set: the delivered winner's test error is
{ratio:.3f} times it (geometric mean, half a wrong row added to both).
{above}
"""
_COLUMNS = [
    *("set", "rows", "task", "columns left out", "baseline", "selected", "E_cv", "E_val", "E_test", "inside", "peer"),
    "seconds",
]
_AUTOML = """\
## Next to FLAML

[FLAML](https://github.com/microsoft/FLAML) searches for the best model and gives no interval. On {sets} of these sets
it got the same rows, the same columns, two threads and as many seconds (`python -m studies.peer_automl`). The winner's
error on the test set is {ratio:.3f} times FLAML's (geometric mean, half a wrong row added to both); with the noise of
the test sets, {low:.3f} to {high:.3f} at 95 % over sets.

"""


def _above(runs: Sequence[Run]) -> str:
    """The sets of many rows where the winner errs more than boosting, and whether that is shown."""
    above = [_more(run) for run in runs if run.rows >= MANY and run.to_peer > MORE]
    if not above:
        return f"In no set of {MANY} rows or more it is above {MORE}."
    return f"Of the sets of {MANY} rows or more it is above {MORE} in {', '.join(above)}."


def _more(run: Run) -> str:
    """How far the winner is above boosting; of classes with the least p of a sign test of that."""
    if not run.of_classes:
        return f"{run.name} ({run.to_peer:.2f})"
    wrong = [round(error * run.test_rows) for error in (run.test_error, run.peer_error)]
    pairs = [[one - both for one in wrong] for both in range(min(wrong) + 1)]
    p = min(stats.binomtest(one, one + other).pvalue for one, other in pairs)
    counts = f"{wrong[0]} wrong rows against {wrong[1]} of {run.test_rows}"
    return f"{run.name} ({run.to_peer:.2f}: {counts}, p of a sign test at least {p:.2f} however many rows are in both)"


def _counts(runs: Sequence[Run]) -> list[list[str]]:
    """In how many runs the test error is inside of each estimate's interval, and in how many it should be."""
    heads = ["runs", *(head for judge in JUDGES for head in (f"inside `{judge}`", "expected"))]
    return [heads, [f"{len(runs)}", *(cell for judge in JUDGES for cell in _count(runs, judge))]]


def _count(runs: Sequence[Run], judge: str) -> tuple[str, str]:
    return f"{sum(judge in run.inside for run in runs)}", f"{sum(run.chance(judge) for run in runs):.1f}"


def _line(run: Run) -> list[str]:
    beats = {True: "", False: " (not beaten)", None: " (perhaps not beaten)"}[run.beats_baseline]
    return [
        run.name,
        f"{run.rows}",
        _task(run),
        _left_out(run),
        _number(run, run.baseline) + beats,
        run.selected,
        _cell(run, "E_cv"),
        _cell(run, "E_val"),
        _number(run, run.test_error),
        " and ".join(run.inside) or "no",
        _number(run, run.peer_error),
        f"{run.seconds:.0f}",
    ]


def _next_to_automl(runs: Sequence[Run], peers: pd.DataFrame) -> list[str]:
    """The section about the sets on which an AutoML library ran."""
    found = {str(name): (float(error), str(best)) for name, error, best in peers.itertuples(index=False)}
    compared = [run for run in runs if run.name in found]
    if not compared:
        return []
    lines = [["set", "seconds", "selected", "E_test", "FLAML's learner", "its error", "peer"]]
    for run in compared:
        error, best = found[run.name]
        own, of_peers = _number(run, run.test_error), [_number(run, one) for one in (error, run.peer_error)]
        lines.append([run.name, f"{run.seconds:.0f}", run.selected, own, best, *of_peers])
    logs = [math.log(replace(run, peer_error=found[run.name][0]).to_peer) for run in compared]
    ratio, low, high = (math.exp(one) for one in mean_interval(np.array(logs)))
    return [_AUTOML.format(sets=len(compared), ratio=ratio, low=low, high=high) + markdown(lines)]


def _task(run: Run) -> str:
    match = re.search(r"target .*?: (\d+ classes|numbers)", "\n".join(run.messages))
    return match[1] if match else ""


def _left_out(run: Run) -> str:
    """The columns that `init` left out, by the first word of its lines."""
    counts = {word: sum(line.startswith(word) for line in run.messages) for word in ("leak", "dropped")}
    return ", ".join(f"{count} {word}" for word, count in counts.items() if count) or "none"


def _cell(run: Run, estimate: str) -> str:
    value, low, high = (_number(run, number) for number in run.estimates[estimate][:3])
    return f"{value} [{low}–{high}]"


def _number(run: Run, number: float) -> str:
    return f"{100 * number:.1f}" if run.of_classes else f"{number:.3g}"


if __name__ == "__main__":
    main()
