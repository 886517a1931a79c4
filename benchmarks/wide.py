"""A table of more columns than rows: `init` and `validate` as commands, next to a plain script with the same fits.

The script reads the file, makes the fits in as many processes, and asks each hypothesis for its answers. It has no
check of the table, no interval, no record, no server and no report; and it makes every fit, also where `validate` has
a shortcut. Both ways are whole processes, from their start to their end.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd

from benchmarks.checkout import checkout, flow, script, without_outputs
from benchmarks.measured import PEER, Row, against
from tasks.params import Settings, load
from tasks.plans.fit_plans import every_scheme, scheme
from tasks.plans.read_design import read_design

_ROWS, _COLUMNS = 200, 10_000
_BAR = 3.0
_TIMES = 3
_FITS_OF_INIT = 2  # of each candidate, by which it knows how long a run takes


def rows(scale: int) -> Iterator[Row]:
    """A row for each command; the columns are divided by `scale`, and measured once if it is above 1."""
    times, columns = (_TIMES if scale == 1 else 1), _COLUMNS // scale
    with checkout() as here:
        source = here.parent / "wide.csv"
        write_table(source, columns)
        flow("init", str(source), "--target", "kind")  # the candidates that it proposes are those of both ways
        flow("prepare")
        settings = load("params.yaml", [])
        learners = {one.name: _plain(one.learner()) for one in settings.candidates}
        fits = _fits(settings)
        n = max(int(train.max()) for _, train, _ in fits) + 1
        every = np.arange(n)
        for work, of_script in {
            "init": [(name, every, every) for name in learners for _ in range(_FITS_OF_INIT)],
            "validate": fits,
        }.items():
            joblib.dump((str(source), n, learners, of_script), "fits.joblib")

            def ours(command: str = work) -> None:
                without_outputs(here)
                flow(*((command, str(source), "--target", "kind") if command == "init" else (command,)))

            peer = f"a script of the same {len(of_script)} fits, joblib {joblib.__version__} and {PEER}"
            name = f"python -m flows {work} on {columns} columns, {len(learners)} candidates, median of {times}"
            yield against(name, _ROWS, peer, ours, lambda: script(_SCRIPT), _BAR, times)


def write_table(path: Path, columns: int, rows: int = _ROWS) -> None:
    """Normal columns, each fiftieth of them moved by the class, and two classes of the same size in random order."""
    rng = np.random.default_rng(0)
    kind, X = rng.permutation(np.arange(rows) % 2), rng.normal(size=(rows, columns))
    X[:, ::50] += rng.normal(size=(2, len(range(0, columns, 50))))[kind]
    table = pd.DataFrame(X.round(5), columns=[f"x{place}" for place in range(columns)])
    table.assign(kind=np.where(kind, "b", "a")).to_csv(path, index=False)


def _plain(learner: Any) -> Any:
    """The learner behind the scaler that a script would take."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), learner.steps[-1][1])


def _fits(settings: Settings) -> list[tuple[str, Any, Any]]:
    """The candidate, the training rows and the tested rows of each fit of a run."""
    design = read_design(settings)
    names = every_scheme(design)
    return [
        (one.name, split.train, split.validation)
        for name in names
        for one in settings.candidates
        for split in scheme(design, name, settings.deliver).splits
    ]


_SCRIPT = """
import joblib, pandas as pd
from sklearn.base import clone

def fit(learner, X, y, train, tested):
    hypothesis = clone(learner).fit(X[train], y[train])
    return (hypothesis.predict(X[tested]) != y[tested]).mean() if len(tested) else None

source, n, learners, fits = joblib.load("fits.joblib")
table = pd.read_csv(source)
X, y = table.drop(columns="kind").to_numpy()[:n], table["kind"].to_numpy()[:n]
errors = joblib.Parallel(n_jobs=2)(joblib.delayed(fit)(learners[name], X, y, *split) for name, *split in fits)
print(len(errors))
"""
