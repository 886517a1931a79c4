"""The alarm on columns: seldom raised without drift, on data of any kind, and it names what drifts."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from heldout.monitoring.column_alarm import ColumnAlarm

ROWS = 60


def numbers(rng, n):
    return pd.DataFrame(rng.normal(size=(n, 4)), columns=list("abcd"))


def skewed(rng, n):
    return pd.DataFrame({"a": rng.lognormal(0, 3, n), "b": np.where(rng.random(n) < 0.9, 0.0, rng.pareto(1.0, n))})


def few_distinct_rows(rng, n):
    """Copies of eight rows."""
    return pd.DataFrame(np.random.default_rng(0).integers(0, 3, size=(8, 5))).iloc[rng.integers(0, 8, n)].astype(float)


def categories_and_gaps(rng, n):
    frame = pd.DataFrame({name: rng.choice(list("uvwx"), n, p=[0.6, 0.3, 0.09, 0.01]) for name in ("a", "b")})
    frame["x"] = np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n))
    frame["true"] = rng.random(n) < 0.01
    frame["day"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 9, n), unit="D")
    frame["text"] = ["word " * of for of in rng.integers(0, 5, n)]
    return frame.astype({"a": "category", "b": "category"})


def begun(draw, rng) -> ColumnAlarm:
    return ColumnAlarm.of(draw(rng, 100), [draw(rng, 150) for _ in range(3)])


@pytest.mark.parametrize(
    "draw", [numbers, skewed, few_distinct_rows, pytest.param(categories_and_gaps, marks=pytest.mark.long)]
)
def test_without_drift_the_alarm_is_raised_at_most_as_often_as_its_level_says(draw):
    """20 streams of 12 shards, level 0.2; what one in a thousand binomial draws would exceed is too often."""
    rng, raised = np.random.default_rng(0), 0
    for _ in range(20):
        alarm, ever = begun(draw, rng), False
        for _ in range(12):
            alarm = alarm.after(draw(rng, ROWS))
            ever |= alarm.raised(0.2)
        raised += ever
    assert raised <= binom.ppf(0.999, 20, 0.2)


def above(frame):
    """As age >= 55: only rows with a high value."""
    return frame[frame["a"] > 0.8]


def together(frame):
    return frame.assign(b=frame["a"] + 0.1 * frame["b"])


def with_gaps(frame):
    return frame.assign(c=frame["c"].where(frame["c"].index % 2 == 0))


def strange(frame):
    return frame.assign(d=frame["d"].where(frame["d"].index % 4 > 0, 9.0))


@pytest.mark.parametrize(
    ("change", "named", "words"),
    [
        (above, "a", "a is above 0."),
        (together, "a with b", "both or neither of a above "),
        (with_gaps, "c", "c is missing in 0 % of the reference and in 50 % of the shard"),
        (strange, "d", "d is "),
    ],
)
def test_what_drifts_is_found_and_named(change, named, words):
    rng = np.random.default_rng(3)
    alarm = begun(numbers, rng).after(numbers(rng, 100))
    assert not alarm.raised(0.05)
    drifted = change(numbers(rng, 400))
    (subject, part, place), *_ = alarm.after(drifted).carriers()
    assert (named, True) == (subject, alarm.after(drifted).raised(0.05))
    assert part > 0.9
    reference = numbers(rng, 2000)
    (said,) = alarm.questions.words([place], reference, drifted, alarm.questions.answers(reference))
    assert said.startswith(words)


def test_another_category_and_rows_far_from_all_known_ones_are_found():
    rng = np.random.default_rng(4)
    alarm = begun(categories_and_gaps, rng)
    new = categories_and_gaps(rng, 100)
    new["a"] = new["a"].astype("str").where(new.index % 5 > 0, "never seen").astype("category")
    assert (True, "a") == (alarm.after(new).raised(0.05), alarm.after(new).carriers()[0][0])

    def ring(rng, n):  # no column and no pair changes where the ring fills
        angle = rng.uniform(0, 2 * np.pi, n)
        return pd.DataFrame({"a": np.cos(angle), "b": np.sin(angle)})

    alarm = begun(ring, rng)
    assert not alarm.after(ring(rng, 200)).raised(0.05)
    filled = alarm.after(0.8 * ring(rng, 200))
    assert filled.raised(0.05)


def test_the_order_of_the_rows_of_a_shard_and_the_seed_change_nothing():
    rng = np.random.default_rng(5)
    alarm, shard = begun(categories_and_gaps, rng), categories_and_gaps(rng, 100)
    assert alarm.after(shard).log == alarm.after(shard.sample(frac=1, random_state=0)).log
    assert alarm.after(shard).log == alarm.after(shard).log


def test_rows_in_many_small_shards_or_in_one_are_found():
    rng = np.random.default_rng(6)
    alarm = begun(numbers, rng)
    rows = above(numbers(rng, 600))[:120]
    many = alarm
    for start in range(0, 120, 10):
        many = many.after(rows[start : start + 10])
    assert alarm.after(rows).raised(0.05)
    assert many.raised(0.05)
