"""Whether unlabelled rows are of the population of the labelled rows, as far as ranges, gaps and answers show.

Of one population the N labelled and the n unlabelled values of a column are exchangeable. The share of the population
outside of the range of the labelled values is then Beta(2, N - 1) for a continuous column (the outer two of its N + 1
gaps), so that the number of unlabelled values there is beta-binomial; ties make it smaller. The answers of a hypothesis
that saw none of these rows are compared by the test of Kolmogorov and Smirnov. How many of the gaps of a column are
among the labelled rows is hypergeometric (Fisher's exact test, with both tails counted as twice the smaller one). Each
test has the level `DIFFER` over the number of columns (union bound).

None sees labels: a change of the labels of given features stays unseen. All need independent rows without weights.

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
        found.append((p, -outside, f"{where}{100 * outside / max(len(others), 1):.1f} % of them"))
    p, _, text = min(found, default=(1.0, 0, ""))
    if p * len(found) >= DIFFER or not found:
        return None
    return f"the unlabelled rows differ from the labelled rows: {text}, {_shown(p)}"


def chances_of_gaps(labeled: ArrayLike, size: int, unlabeled: ArrayLike, of_unlabeled: int) -> Losses:
    """The p-values of numbers of gaps among `size` labelled and `of_unlabeled` unlabelled rows, one for each column."""
    from scipy.stats import hypergeom

    gaps, others = np.asarray(labeled), np.asarray(unlabeled)
    drawn = hypergeom(size + of_unlabeled, gaps + others, size)
    chances: Losses = np.minimum(1.0, 2 * np.minimum(drawn.cdf(gaps), drawn.sf(gaps - 1)))
    return chances


def missing_differs(labeled: Mapping[str, ArrayLike], unlabeled: Mapping[str, ArrayLike]) -> str | None:
    """Why columns are of another population whose values are missing where true, shape (N,) and (n,); None if none is.

    A column that is filled in after the label is known has such gaps too.
    """
    names = [name for name in labeled if np.sum(labeled[name]) + np.sum(unlabeled[name]) > 0]
    if not names or not np.size(labeled[names[0]]) or not np.size(unlabeled[names[0]]):
        return None
    gaps, others = (np.array([np.sum(of[name]) for name in names]) for of in (labeled, unlabeled))
    size, of_others = np.size(labeled[names[0]]), np.size(unlabeled[names[0]])
    ps = chances_of_gaps(gaps, size, others, of_others)
    place = int(np.lexsort((-np.abs(gaps / size - others / of_others), ps))[0])
    if ps[place] * len(names) >= DIFFER:
        return None
    of_them, of_labeled = 100 * others[place] / of_others, 100 * gaps[place] / size
    shares = f"{of_them:.1f} % of them and in {of_labeled:.1f} % of the labelled rows"
    return (
        f"the unlabelled rows differ from the labelled rows: {names[place]} is missing in {shares}, {_shown(ps[place])}"
    )


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
