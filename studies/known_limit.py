"""How often intervals of squared losses hold in few rows, where the losses have a limit that is stated.

    python -m studies.known_limit    # half a minute

A fixed answer of 1 to labels in [0, 10], whose losses are at most 100; `betting` is told so, the t intervals are not.
"""

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from heldout.intervals import betting, hoeffding, log_t
from heldout.losses import SQUARED
from heldout.losses.tested_losses import Tested
from heldout.selection.bound import selection_bound
from studies.intervals import student_t

LEVEL, SAMPLES, MODELS, LIMIT, ANSWER = 0.95, 1000, 8, 100.0, 1.0
Values = NDArray[np.float64]
# labels from uniform numbers: alike, skewed, and one in fifty far from the others
LABELS: Mapping[str, Callable[[Values], Values]] = {
    "uniform": lambda u: 10 * u,
    "skewed": lambda u: 10 * u**3,
    "rare large": lambda u: np.where(u < 0.02, 10.0, 2 * u),
}
METHODS = (betting.METHOD, hoeffding.METHOD, student_t.METHOD, log_t.METHOD)


def lines() -> Iterator[str]:
    """The table: the share of intervals that hold the true error, with their mean width, and that of the bound."""
    yield f"| labels | rows | error | {' | '.join(method.name for method in METHODS)} | bound of {MODELS} |"
    yield "|---|---|---|" + "---|" * (len(METHODS) + 1)
    for name, labels in LABELS.items():
        error = float(np.mean((labels((np.arange(10**6) + 0.5) / 10**6) - ANSWER) ** 2))
        for rows in (20, 60, 200):
            drawn = np.random.default_rng(rows).uniform(size=(SAMPLES, rows))
            seen = [
                Tested(losses, SQUARED.limited(LIMIT), seed)
                for seed, losses in enumerate((labels(drawn) - ANSWER) ** 2)
            ]
            cells = []
            for method in METHODS:
                found = [method.interval("E_val", one, LEVEL) for one in seen]
                held = np.mean([one.low <= error <= one.high for one in found])
                cells.append(f"{held:.3f} ({np.mean([one.high - one.low for one in found]):.1f})")
            bounds = [bound.value for one in seen if (bound := selection_bound(one, MODELS, LEVEL)) is not None]
            cells.append(f"{np.mean(np.array(bounds) >= error):.3f} ({np.mean(bounds):.1f})")
            yield f"| {name} | {rows} | {error:.2f} | {' | '.join(cells)} |"


if __name__ == "__main__":
    for line in lines():
        print(line)
