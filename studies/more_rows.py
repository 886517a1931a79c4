"""How often the intervals of `heldout.diagnosis.more_rows` hold: for the gain, for the error of g, and for twice as
many rows.

    python -m studies.more_rows            # the table of docs/method.md, in half an hour
    python -m studies.more_rows --quick    # fewer samples of the small tables, in two minutes

Samples of N rows are drawn from the simulated populations of the coverage study, which give each true error as a mean
over all their rows. The true error at 2N is the mean over `DRAWS` hypotheses, each trained on the sample and N further
rows. E_cv and E_2cv are shown for comparison: how often their intervals hold the error of g.
"""

import argparse
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

import heldout
from heldout.errors import PartsWarning
from heldout.losses import Loss
from studies.coverage import cells
from studies.coverage_samples import FOLDS
from studies.judgements import LEVEL, Cell
from studies.learners import learner_of
from studies.populations import SIMULATED, Population, population

REPEATS, DRAWS = 30, 5  # halvings, as in params.yaml; retrainings on 2N rows
SIZES, SAMPLES = (100, 300), 200
QUICK_SIZES, QUICK_SAMPLES = (100,), 30
LEAST = 3  # rows of a class: samples with fewer are drawn again, since validate refuses a class that no part can share
COLUMNS = ["gain", "E_N", "E_2N", "E_cv", "E_2cv"]


def judge(cell: Cell, sample: int) -> Iterator[dict[str, Any]]:
    """A line for each interval of one sample: bounds, value, and the true error that it is compared with."""
    whole = population(cell.population, None)
    rng = np.random.default_rng([cell.n, sample, *map(ord, cell.population + cell.learner)])
    rows = rng.integers(0, len(whole.y), cell.n)
    while whole.loss.of_classes and np.unique(whole.y[rows], return_counts=True)[1].min() < LEAST:
        rows = rng.integers(0, len(whole.y), cell.n)
    learner = learner_of(cell.learner, whole.loss)
    made = heldout.validate(
        {cell.learner: learner},
        whole.X[rows],
        whole.y[rows],
        estimates=["E_cv", "E_2cv"],
        repeats=REPEATS,
        folds=FOLDS,
        level=LEVEL,
        seed=sample,
        progress=False,
    )
    of_halves, of_folds = (
        np.mean([_error(hypothesis, whole) for hypothesis in made.target(cell.learner, estimate)])
        for estimate in ("E_2cv", "E_cv")
    )
    final = _error(_fitted(learner, whole, rows, sample), whole)
    further = [np.concatenate([rows, rng.integers(0, len(whole.y), cell.n)]) for _ in range(DRAWS)]
    twice = np.mean([_error(_fitted(learner, whole, more, sample), whole) for more in further])
    truth = {"gain": of_halves - of_folds, "E_N": final, "E_2N": twice, "E_cv": final, "E_2cv": final}
    for line in made.more_rows():
        yield {
            "population": cell.population,
            "learner": cell.learner,
            "n": cell.n,
            "estimate": line.estimate,
            "value": line.value,
            "width": np.subtract(line.high, line.low),  # type: ignore[arg-type]  # rows are independent
            "truth": truth[line.estimate],
            "held": line.low <= truth[line.estimate] <= line.high,  # type: ignore[operator]
        }


def _fitted(learner: Any, whole: Population, rows: Any, seed: int) -> Any:
    from sklearn.base import clone

    made = clone(learner)
    if "random_state" in made.get_params():
        made.set_params(random_state=seed)
    return made.fit(whole.X[rows], whole.y[rows])


def _error(hypothesis: Any, whole: Population) -> float:
    loss: Loss = whole.loss
    return float(loss.pointwise(whole.y, hypothesis.predict(whole.X)).mean())


def table(wanted: Sequence[Cell], samples: int) -> pd.DataFrame:
    """A line for each interval of each sample."""
    return pd.DataFrame([line for cell in wanted for sample in range(samples) for line in judge(cell, sample)])


def text(lines: pd.DataFrame) -> str:
    """How often each interval holds, and the mean and the spread of the errors of the values, by cell."""
    cell = ["n", "population", "learner"]
    by_cell = lines.pivot_table(index=cell, columns="estimate", values="held", aggfunc="mean")[COLUMNS]
    widths = lines.groupby("estimate")["width"].mean()
    means = pd.DataFrame({"held": by_cell.mean(), "least": by_cell.min(), "width": widths})
    errors = lines.assign(error=lines["value"] - lines["truth"])
    spread = errors.pivot_table(index=cell, columns="estimate", values="error", aggfunc=["mean", "std"])
    return "\n\n".join(made.round(4).to_string() for made in (by_cell, means, spread))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few samples of small tables")
    chosen = parser.parse_args(arguments)
    sizes, samples = (QUICK_SIZES, QUICK_SAMPLES) if chosen.quick else (SIZES, SAMPLES)
    warnings.simplefilter("ignore", PartsWarning)  # of the rare class
    print(text(table(list(cells(list(SIMULATED), sizes)), samples)))


if __name__ == "__main__":
    main()
