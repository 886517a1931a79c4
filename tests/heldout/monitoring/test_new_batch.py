"""The verdict on a batch: never held back more often than promised where rows are exchangeable, and found where not."""

import itertools
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import hypergeom

from heldout.monitoring.new_batch import (
    CHECKS,
    Asked,
    examine,
    least_unlike,
    limit,
    new_values,
    of_columns,
    of_copies,
    of_labels,
    of_missing,
    one_of_each,
    unusual_count,
    windows,
    windows_before,
)

DELTA = 0.05


@dataclass(frozen=True)
class Table:
    """Rows of a table, in the order in which they came."""

    x: np.ndarray
    y: np.ndarray
    losses: np.ndarray
    empty: np.ndarray
    of_classes: bool = True

    def verdict(self, new, unit=None):
        """The verdict on the rows that are `new`."""
        chosen = one_of_each(unit, np.random.default_rng(0).permutation(len(self.y)).astype(np.uint64))
        questions = [
            Asked("error", "an error", self.losses),
            *of_labels(self.y, of_classes=self.of_classes),
            *of_copies(self.x, self.y, of_classes=self.of_classes),
            *of_missing({"a": self.empty}),
            *of_columns({"x": self.x.astype(float), "y": self.y.astype(str).astype(object)}, new.astype(int)),
        ]
        return examine([Asked(one.check, one.about, one.values[chosen]) for one in questions], new[chosen])


def last(rows: int, n: int) -> np.ndarray:
    return np.arange(rows) >= rows - n


def few_distinct(rng, rows: int) -> Table:
    """Twelve kinds of rows, a rare class, and a champion that errs by kind."""
    x = rng.integers(0, 12, rows)
    y = np.where(rng.random(rows) < 0.02, 2, rng.random(rows) < (x + 1) / 14)
    return Table(x.astype(np.uint64), y, (rng.random(rows) < x / 30).astype(float), rng.random(rows) < 0.01)


def heavy_tailed(rng, rows: int) -> Table:
    """Numbers whose losses have no variance, and one row in five twice."""
    x = rng.integers(0, 4 * rows, rows).astype(np.uint64)
    y = rng.pareto(1.1, rows)
    return Table(x, y, y**2, np.zeros(rows, bool), of_classes=False)


def grouped(rng, rows: int) -> tuple[Table, np.ndarray]:
    """Groups of 1 to 40 rows that say nearly the same, one after the other."""
    sizes = rng.integers(1, 41, rows)
    group = np.repeat(np.arange(len(sizes)), sizes)[:rows]
    level = rng.random(rows)[group]
    y = (rng.random(rows) < np.where(level < 0.5, 0.05, 0.95)).astype(int)
    table = Table(np.arange(rows, dtype=np.uint64), y, (level < 0.3).astype(float), level > 0.9)
    return table, group


def test_the_limits_of_all_batches_add_up_to_delta():
    assert DELTA == pytest.approx(sum(limit(DELTA, k) for k in range(1, 200_001)), rel=1e-4)


def test_p_is_exact_over_all_ways_to_choose_the_new_rows():
    """No p occurs more often than it says, over all 495 batches of 4 of these 12 rows."""
    table = few_distinct(np.random.default_rng(1), 12)
    found = []
    for chosen in itertools.combinations(range(12), 4):
        found.append(table.verdict(np.isin(np.arange(12), chosen)).p)
    found = np.array(found)
    assert len(np.unique(found)) > 1
    for p in np.unique(found):
        assert np.mean(found <= p) <= p + 1e-12


@pytest.mark.parametrize("make", [few_distinct, heavy_tailed])
def test_a_batch_that_is_like_the_rows_before_is_rarely_held_back(make):
    """At p 0.2, which is larger than any limit, so that few repetitions show it: four standard errors above it."""
    rng, times = np.random.default_rng(2), 150
    held = [make(rng, 300).verdict(last(300, 80)).held(0.2) for _ in range(times)]
    assert np.mean(held) <= 0.2 + 4 * np.sqrt(0.16 / times)


def test_rows_of_a_group_are_one_observation():
    """As rows they would be held back far more often than promised."""
    rng, as_rows, as_groups = np.random.default_rng(3), [], []
    for _ in range(60):
        table, group = grouped(rng, 600)
        as_rows.append(table.verdict(last(600, 150)).held(0.2))
        as_groups.append(table.verdict(last(600, 150), group).held(0.2))
    assert np.mean(as_groups) <= 0.2 + 4 * np.sqrt(0.16 / 60)
    assert np.mean(as_rows) > 0.5


@pytest.mark.parametrize("n", [100, 300])
def test_forty_percent_of_flipped_labels_are_found_also_late(n):
    """A champion that errs on 14 % errs on 43 % of the batch; the class shares say nothing."""
    rng, found = np.random.default_rng(4), 0
    for _ in range(40):
        errs = rng.random(1000 + n) < 0.14
        errs[1000:] ^= rng.random(n) < 0.4
        y = (rng.random(1000 + n) < 0.5).astype(int)
        table = Table(np.arange(1000 + n, dtype=np.uint64), y, errs.astype(float), np.zeros(1000 + n, bool))
        verdict = table.verdict(last(1000 + n, n))
        if verdict.held(limit(DELTA, 45)):
            found += 1
            assert "an error" == verdict.reasons(limit(DELTA, 45))[0].about
    assert found >= (32 if n == 100 else 40)


def test_an_error_that_is_far_too_low_is_found_too():
    errs = np.random.default_rng(5).random(1200) < 0.25
    errs[1000:] = False
    verdict = examine([Asked("error", "an error", errs.astype(float))], last(1200, 200))
    assert verdict.held(limit(DELTA, 45))
    assert (0.0, 200) == (verdict.strongest["error"].share, verdict.strongest["error"].asked)


def test_shares_of_labels_missing_values_and_numbers_are_found():
    rng, new = np.random.default_rng(6), last(700, 150)
    quiet = Asked("error", "an error", (rng.random(700) < 0.1).astype(float))
    labels = np.where(rng.random(700) < np.where(new, 0.6, 0.3), "yes", "no")
    (check,) = examine([quiet, *of_labels(labels, of_classes=True)], new).reasons(limit(DELTA, 45))
    assert check.about in ("the label yes", "the label no")
    empty = {"a": rng.random(700) < np.where(new, 0.3, 0.02), "b": rng.random(700) < 0.1}
    (check,) = examine([quiet, *of_missing(empty)], new).reasons(limit(DELTA, 45))
    assert "no value of a" == check.about
    numbers = rng.standard_cauchy(700) + np.where(new, 2, 0)
    (check,) = examine([quiet, *of_labels(numbers, of_classes=False)], new).reasons(limit(DELTA, 45))
    assert check.about.startswith("the target above")


def test_rows_that_come_again_are_found_with_other_labels_and_with_the_same():
    rng = np.random.default_rng(7)
    x = np.concatenate([np.arange(600), rng.choice(600, 150, replace=False)]).astype(np.uint64)
    y = (rng.random(750) < 0.5).astype(int)
    y[600:] = y[x[600:].astype(int)]
    new = last(750, 150)
    again = examine([*of_copies(x, y, of_classes=True)], new)
    assert again.held(limit(DELTA, 45))
    assert "a copy of another row" == again.reasons(limit(DELTA, 45))[0].about
    # a world of ten kinds of rows: all are copies, and only the labels tell
    x = rng.integers(0, 10, 750).astype(np.uint64)
    y = (x % 2).astype(int)
    y[600:] ^= rng.random(150) < 0.4
    (check,) = examine([*of_copies(x, y, of_classes=True)], new).reasons(limit(DELTA, 45))
    assert "a label that copies of the row contradict" == check.about
    numbers = x + rng.normal(size=750) + np.where(new, 5, 0)
    (check,) = examine([*of_copies(x, numbers, of_classes=False)], new).reasons(limit(DELTA, 45))
    assert check.about.startswith("the distance from the target of the row's copies above")


def test_p_is_twice_the_smaller_tail_times_questions_and_checks():
    new, yes = last(20, 5), np.zeros(20)
    yes[[0, 16, 17, 18, 19]] = 1
    of_one = 2 * hypergeom(20, 5, 5).sf(3)
    verdict = examine([Asked("labels", "first", yes), Asked("labels", "second", np.zeros(20))], new)
    assert verdict.checks["labels"] == pytest.approx(2 * of_one)
    assert verdict.p == pytest.approx(len(CHECKS) * 2 * of_one)


def test_a_column_in_another_unit_and_a_new_category_are_found_and_what_grows_by_itself_is_not_asked():
    rng, new = np.random.default_rng(8), last(740, 20)
    bill = np.where(new, 100, 1) * rng.normal(60, 18, 740)
    (check,) = examine([*of_columns({"bill": bill}, new.astype(int))], new).reasons(limit(DELTA, 45))
    assert check.about.startswith("bill above")
    plan = np.where(new & (np.arange(740) % 3 == 0), "ultra", rng.choice(["basic", "plus"], 740)).astype(object)
    (check,) = examine([*of_columns({"plan": plan}, new.astype(int))], new).reasons(limit(DELTA, 45))
    assert "plan is ultra" == check.about
    assert {"ultra": int((plan == "ultra").sum())} == new_values(plan, new)
    assert {} == new_values(np.arange(740).astype(str).astype(object), new)

    arrival = np.arange(740) // 37
    for column in (np.arange(740.0), -3.0 * np.arange(740), arrival.astype(float)):
        assert [] == [*of_columns({"number": column}, arrival)]
    assert 1 == len(
        [*of_columns({"day": arrival.astype(float)}, np.minimum(arrival, 1))]
    )  # of one batch nothing is known
    assert 1 == len([*of_columns({"sorted": np.sort(rng.normal(size=740))}, arrival % 3)])


def test_windows_of_one_length_share_no_batch_and_are_counted():
    assert [[], [2], [], [2, 4], [], [2], [], [2, 4, 8]] == [windows(batch) for batch in range(1, 9)]
    assert [0, 0, 1, 1, 3, 3, 4, 4] == [windows_before(batch) for batch in range(1, 9)]


def test_a_number_of_rows_is_unusual_below_a_third_or_above_three_times_all_before():
    before = [90, 100, 110, 95, 120]
    assert [True, False, False, True] == [unusual_count(rows, before) for rows in (29, 30, 360, 361)]
    assert not unusual_count(1, before[:4])


def test_a_question_to_one_side_alone_says_nothing():
    values = np.where(last(20, 5), 1.0, np.nan)
    assert ({}, 1.0) == (examine([Asked("error", "e", values)], last(20, 5)).checks, examine([], last(20, 5)).p)


def test_a_batch_that_is_like_one_of_several_sets_is_not_held_back():
    like, unlike = (
        examine([Asked("labels", "x", values.astype(float))], last(300, 100))
        for values in (np.arange(300) % 2, np.arange(300) >= 200)
    )
    assert unlike.held(1e-9)
    assert not least_unlike([unlike, like]).held(0.5)


def test_one_row_of_each_unit_is_the_one_of_the_least_word():
    unit, word = np.array([7, 3, 7, 3, 9]), np.array([5, 1, 2, 8, 0], np.uint64)
    assert [False, True, True, False, True] == one_of_each(unit, word).tolist()
    assert one_of_each(None, word).all()
