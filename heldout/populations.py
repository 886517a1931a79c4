"""Whether unlabelled rows are of the population of the labelled rows, as far as ranges and answers show.

Of one population the N labelled and the n unlabelled values of a column are exchangeable. The share of the population
outside of the range of the labelled values is then Beta(2, N - 1) for a continuous column (the outer two of its N + 1
gaps), so that the number of unlabelled values there is beta-binomial; ties make it smaller. The answers of a hypothesis
that saw none of these rows are compared by the test of Kolmogorov and Smirnov. Each test has the level `DIFFER` over
the number of columns (union bound).

Neither sees labels: a change of the labels of given features stays unseen. Both need independent rows without weights.

Source: S. S. Wilks, Determination of sample sizes for setting tolerance limits (Annals of Mathematical Statistics 12,
1941).
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from heldout.losses import Losses

DIFFER = 0.01  # the level of a test, shared among its columns


def out_of_range(labeled: Mapping[str, ArrayLike], unlabeled: Mapping[str, ArrayLike]) -> str | None:
    """Why columns of numbers, shape (N,) and (n,), are of another population; None where they may be of the same.

    Missing values count as inside.
    """
    from scipy.stats import betabinom

    found = []
    for name, column in labeled.items():
        known, others = np.asarray(column, dtype=np.float64), np.asarray(unlabeled[name], dtype=np.float64)
        known = known[np.isfinite(known)]
        if len(known) < 2:
            continue
        low, high = known.min(), known.max()
        outside = int(((others < low) | (others > high)).sum())
        p = float(betabinom.sf(outside - 1, len(others), 2, len(known) - 1))
        where = f"{name} lies outside of {low:.4g} to {high:.4g}, the range of the labelled rows, in "
        found.append((p, -outside, f"{where}{outside / max(len(others), 1):.1%} of them"))
    p, _, text = min(found, default=(1.0, 0, ""))
    if p * len(found) >= DIFFER or not found:
        return None
    return f"the unlabelled rows differ from the labelled rows: {text}, {_shown(p)}"


def differ(labeled: Losses, unlabeled: Losses, names: Sequence[str]) -> str | None:
    """Why answers, shape (N, q) and (n, q), are of another population; None where they may be of the same.

    `names` say what each column is.
    """
    from scipy.stats import ks_2samp

    pairs = list(zip(names, labeled.T, unlabeled.T, strict=False))
    for name, of_labeled, of_others in pairs:
        p = float(ks_2samp(of_labeled, of_others, method="asymp").pvalue)
        if p < DIFFER / len(pairs):
            return (
                f"the unlabelled rows differ from the labelled rows: {name} is "
                f"{of_others.mean():.3g} on average against {of_labeled.mean():.3g}, {_shown(p)}"
            )
    return None


def _shown(p: float) -> str:
    return f"p = {p:.1g}" if p > 1e-9 else "p < 1e-9"  # less is rounding
