"""A verdict on a batch of new labelled rows, before anything is trained on it: are its rows like those before?

Null hypothesis: the rows of the batch and those before it are exchangeable: which of them came last is a draw. Kind:
exact in finite samples, given all rows, whatever their distribution is; two-sided.
Source: R. A. Fisher, The Design of Experiments (1935), section 21, for the test; P. Good, Permutation, Parametric and
Bootstrap Tests of Hypotheses (2005), section 3, for functions of all rows.

1. Every check asks questions of rows, each of which has the answer yes or no: does the champion err here, has the row
   this label, is this column empty, has it this value, does its label contradict those of equal rows? A number becomes
   questions by thresholds, quantiles of all rows that have one: no tail is too heavy. The question may look at all
   rows, as long as it does not look at which of them are new.
2. Of N rows n are new, and K say yes. If the rows are exchangeable, the new rows are a draw of n from the N without
   replacement, and the number of new rows that say yes is hypergeometric. p is twice the smaller tail.
3. The p of a check is the least of its questions, times their number; that of the batch the least of its checks, times
   their number (Bonferroni): questions may depend on each other in any way.
4. The k-th batch is held back at p <= delta / (k (k + 1)). These limits add up to delta: if each batch is exchangeable
   with the rows before it, the probability that any is ever held back is delta at most.
5. A batch may be compared with several sets of rows before, and is held back where it is unlike each of them: the
   largest p counts, which is larger than that of the set with which it is exchangeable.

A batch that is not held back may still be worth a word: `worth_a_word` has the answers of one whose p is below delta.
Of batches that are like those before this is a share of delta at most. Errors that are spread over many batches are
seen where the last 2, 4, 8, … count as one (`windows`). A window that ends at the k-th batch is asked about if its
length divides k, so that no two of the same length share a batch; the m-th of all windows has the limit
delta / (m (m + 1)).

Rows of a group, or copies that are kept together, are one observation: one row of each, drawn by its identity, so that
the size of a group says nothing.

What it cannot see: a batch whose rows are wrong in the way in which those before are. Batches that differ from one
another by more than chance, as weekdays may, are held back more often than promised, rightly by the null hypothesis.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from heldout.losses import Losses

Check = Literal["error", "labels", "copies", "missing", "columns"]
CHECKS: tuple[Check, ...] = get_args(Check)
QUANTILES = (0.1, 0.5, 0.9)  # at which numbers are asked
_MOST_CLASSES = 50  # that have a question of their own, the most frequent; the others share one
_MOST_VALUES = 20  # of a column, the same
_FEWEST_COUNTED = 10  # rows by whose order a column is a running number
_FEWEST_COUNTS, _TIMES = 5, 3  # batches before, and the factor, by which a number of rows is unusual


@dataclass(frozen=True, eq=False)
class Asked:
    """A question to rows: `values`, shape (N,), are numbers, or NaN where a row is not asked.

    `about` says what a large value is, as in `the label 'yes'`.
    """

    check: Check
    about: str
    values: Losses


@dataclass(frozen=True)
class Answer:
    """The share of yes in the batch and before it, of so many rows that were asked, and its p before any correction."""

    about: str
    share: float
    before: float
    asked: int
    asked_before: int
    p: float


@dataclass(frozen=True)
class Verdict:
    """What the checks say of a batch: the p of each check that could be made, and the strongest answer of each.

    `p` is that of the whole batch. A check without a row on one of the two sides is not among them.
    """

    p: float = 1.0
    checks: Mapping[Check, float] = field(default_factory=dict)
    strongest: Mapping[Check, Answer] = field(default_factory=dict)

    def held(self, limit: float) -> bool:
        """Whether the batch is held back."""
        return self.p <= limit

    def reasons(self, limit: float) -> list[Answer]:
        """The strongest answers of the checks that hold the batch back, the least p first."""
        found = [check for check, p in self.checks.items() if len(CHECKS) * p <= limit]
        return [self.strongest[check] for check in sorted(found, key=lambda check: self.checks[check])]

    def worth_a_word(self, delta: float) -> list[Answer]:
        """The same answers of a batch that is none the less used: those that its p of at most `delta` rests on."""
        return self.reasons(delta)


def windows(batch: int) -> list[int]:
    """The numbers of batches, the one of this number among them, that are looked at together: 2, 4, 8, …"""
    lengths = (2**power for power in range(1, batch.bit_length()))
    return [length for length in lengths if batch % length == 0]


def windows_before(batch: int) -> int:
    """How many windows were looked at before the batch of this number 1, 2, …"""
    return sum(len(windows(earlier)) for earlier in range(1, batch))


def limit(delta: float, batch: int) -> float:
    """The p at which the batch of number 1, 2, … is held back; the sum over all is `delta`."""
    return delta / (batch * (batch + 1))


def examine(questions: Sequence[Asked], new: NDArray[np.bool_]) -> Verdict:
    """The verdict on the rows that are `new`, shape (N,), against the others.

    Examples
    --------
    >>> new = np.arange(400) >= 300
    >>> errs = np.where(new, np.arange(400) % 5 < 2, np.arange(400) % 10 == 0)
    >>> verdict = examine([Asked("error", "the champion errs", errs)], new)
    >>> verdict.held(limit(0.05, 7)), round(verdict.strongest["error"].share, 2)
    (True, 0.4)
    """
    of_check: dict[Check, list[Answer]] = {}
    for check, answer in _answers(questions, new):
        of_check.setdefault(check, []).append(answer)
    checks = {check: min(1.0, len(found) * min(one.p for one in found)) for check, found in of_check.items()}
    strongest = {check: min(found, key=lambda one: one.p) for check, found in of_check.items()}
    p = min(1.0, len(CHECKS) * min(checks.values(), default=1.0))
    return Verdict(p, checks, strongest)


def least_unlike(verdicts: Sequence[Verdict]) -> Verdict:
    """Of comparisons with several sets of rows, the one that counts: of the largest p, the first. At least one."""
    return max(verdicts, key=lambda one: one.p)


def one_of_each(unit: NDArray[Any] | None, word: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """A mask of one row of each unit, the one of the least `word`, shape (N,); all rows where there are no units."""
    if unit is None:
        return np.ones(len(word), np.bool_)
    order = np.lexsort((word, unit))
    first = np.r_[True, unit[order][1:] != unit[order][:-1]][: len(order)]
    mask = np.zeros(len(word), np.bool_)
    mask[order[first]] = True
    return mask


def of_labels(y: NDArray[Any], *, of_classes: bool) -> Iterator[Asked]:
    """Has a row this label, or a number that is large? `y` has shape (N,)."""
    if not of_classes:
        yield Asked("labels", "the target", np.asarray(y, dtype=np.float64))
        return
    classes, place, counts = np.unique(y, return_inverse=True, return_counts=True)
    frequent = np.argsort(-counts, kind="stable")[:_MOST_CLASSES]
    if len(classes) == 2:
        frequent = frequent[1:]  # the other one is its opposite
    for one in frequent:
        yield Asked("labels", f"the label {classes[one]!s}", (place == one).astype(np.float64))
    if len(classes) > _MOST_CLASSES:
        yield Asked("labels", "another label", (~np.isin(place, frequent)).astype(np.float64))


def of_copies(content: NDArray[np.uint64], y: NDArray[Any], *, of_classes: bool) -> Iterator[Asked]:
    """Has a row the features of another row, and do the labels of such rows contradict it?

    `content` is equal where features are, `y` are the labels, both of shape (N,). A class is contradicted if fewer than
    half of the other rows have it; of numbers the distance from their mean is asked.
    """
    _, place, counts = np.unique(content, return_inverse=True, return_counts=True)
    others = counts[place] - 1
    yield Asked("copies", "a copy of another row", (others > 0).astype(np.float64))
    some = others > 0
    if of_classes:
        labels, label = np.unique(y, return_inverse=True)
        _, pair, of_pair = np.unique(place * len(labels) + label, return_inverse=True, return_counts=True)
        same = of_pair[pair] - 1
        unlike = (2 * same < others).astype(np.float64)
        about = "a label that copies of the row contradict"
    else:
        numbers = np.asarray(y, dtype=np.float64)
        sums = np.bincount(place, numbers)[place] - numbers
        unlike = np.abs(numbers - np.divide(sums, others, out=np.zeros_like(numbers), where=some))
        about = "the distance from the target of the row's copies"
    yield Asked("copies", about, np.where(some, unlike, np.nan))


def of_missing(missing: Mapping[str, NDArray[np.bool_]]) -> Iterator[Asked]:
    """Is this column empty? By the name of each column, shape (N,); columns without a gap are left out."""
    for name, empty in missing.items():
        if empty.any():
            yield Asked("missing", f"no value of {name}", empty.astype(np.float64))


def of_columns(columns: Mapping[str, NDArray[Any]], arrival: NDArray[np.int64]) -> Iterator[Asked]:
    """Is this column large, or has it this value? By the name of each column, shape (N,), numbers or objects.

    A gap is NaN or None, and is not asked. The rows are in the order of their table, and `arrival` is with which batch
    each came, the newest last. What grows by itself is left out: whole numbers of which each before the newest batch is
    larger, or smaller, than the one above it, as row numbers are; and a column of which every batch but the newest lay
    beyond all rows before it, as the number of a day.
    """
    for name, values in columns.items():
        if values.dtype.kind in "biuf":
            numbers = values.astype(np.float64)
            if not (_counts(numbers[arrival < arrival.max()]) or _grows(numbers, arrival)):
                known = numbers[~np.isnan(numbers)]
                two = len(np.unique(known)) <= 2
                yield Asked("columns", f"{name} is {known.max():.4g}" if two and len(known) else name, numbers)
            continue
        there = np.array([value is not None for value in values], np.bool_)
        kinds, place, counts = np.unique(values[there].astype(str), return_inverse=True, return_counts=True)
        frequent = np.argsort(-counts, kind="stable")[:_MOST_VALUES]
        for one in frequent:
            yield Asked("columns", f"{name} is {kinds[one]}", _spread(place == one, there))
        if len(kinds) > _MOST_VALUES:
            yield Asked("columns", f"{name} has another value", _spread(~np.isin(place, frequent), there))


def new_values(values: NDArray[Any], new: NDArray[np.bool_]) -> dict[str, int]:
    """The values of a column that no row before the batch has, and in how many rows, the most frequent first.

    Nothing for a column of more than `_MOST_VALUES` values before, in which further ones are no news.
    """
    there = np.array([value is not None for value in values], np.bool_)
    before = {str(value) for value in values[there & ~new]}
    if not before or len(before) > _MOST_VALUES:
        return {}
    kinds, counts = np.unique(values[there & new].astype(str), return_counts=True)
    found = {str(kind): int(count) for kind, count in zip(kinds, counts, strict=True) if str(kind) not in before}
    return dict(sorted(found.items(), key=lambda one: -one[1]))


def unusual_count(rows: int, before: Sequence[int]) -> bool:
    """Whether a batch has less than a third, or more than three times, the rows of any of at least five before it."""
    return len(before) >= _FEWEST_COUNTS and not min(before) / _TIMES <= rows <= max(before) * _TIMES


def _counts(numbers: Losses) -> bool:
    """Whether these are the whole numbers of the rows, with gaps in between, upwards or downwards."""
    if len(numbers) < _FEWEST_COUNTED or not (numbers % 1 == 0).all():
        return False
    steps = np.diff(numbers)
    return bool((steps > 0).all() or (steps < 0).all())


def _grows(numbers: Losses, arrival: NDArray[np.int64]) -> bool:
    """Whether each batch but the first and the newest is beyond all rows before it, always on the same side."""
    came = np.unique(arrival)[:-1]
    if len(came) < 2:
        return False
    low = np.array([_least(numbers[arrival == one]) for one in came])
    high = np.array([-_least(-numbers[arrival == one]) for one in came])
    up = low[1:] > np.maximum.accumulate(high)[:-1]
    down = high[1:] < np.minimum.accumulate(low)[:-1]
    return bool(up.all() or down.all())


def _least(numbers: Losses) -> float:
    known = numbers[~np.isnan(numbers)]
    return float(known.min()) if len(known) else np.nan


def _spread(yes: NDArray[np.bool_], there: NDArray[np.bool_]) -> Losses:
    answers = np.full(len(there), np.nan)
    answers[there] = yes
    return answers


def _as_yes_or_no(asked: Asked) -> Iterator[tuple[str, Losses]]:
    """Questions of the answers 1 and 0: a threshold between two values, or those at quantiles of the rows asked."""
    values = asked.values
    known = values[~np.isnan(values)]
    distinct = np.unique(known)
    if len(distinct) <= 2:
        large = distinct[-1] if len(distinct) else 1.0
        yes = np.where(np.isnan(values), np.nan, values == large)
        yield asked.about, yes
        return
    for threshold in np.unique(np.quantile(known, QUANTILES, method="lower")):
        if threshold < distinct[-1]:
            yield f"{asked.about} above {threshold:.4g}", np.where(np.isnan(values), np.nan, values > threshold)


def _answers(questions: Sequence[Asked], new: NDArray[np.bool_]) -> Iterator[tuple[Check, Answer]]:
    """An answer to each question that rows of both sides are asked."""
    counts, of = [], []
    for one in questions:
        for about, yes in _as_yes_or_no(one):
            asked = ~np.isnan(yes)
            n, before = int((asked & new).sum()), int((asked & ~new).sum())
            if n and before:
                of.append((one.check, about))
                counts.append((int(yes[asked & new].sum()), int(yes[asked & ~new].sum()), n, before))
    if not counts:
        return
    from scipy.stats import hypergeom  # takes half a second, and no other answer needs it

    k, k_before, n_new, n_before = np.array(counts).T
    law = (n_new + n_before, k + k_before, n_new)
    p = np.minimum(1.0, 2 * np.minimum(hypergeom.cdf(k, *law), hypergeom.sf(k - 1, *law)))
    for (check, about), (yes_new, yes_before, n, before), value in zip(of, counts, p, strict=True):
        yield check, Answer(about, yes_new / n, yes_before / before, n, before, float(value))
