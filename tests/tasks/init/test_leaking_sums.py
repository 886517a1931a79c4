"""A target that is a sum or a product of columns is found with its equation; one with noise is not."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.checks.leaking_sums import of_sums
from tasks.init import profile

few = settings(max_examples=10, deadline=None)


def table(rng, rows=400):
    """Whole numbers a and b, numbers with two decimals c and d, and three columns that follow them with noise."""
    a, b = rng.poisson(30, rows), rng.poisson(150, rows)
    c, d = rng.gamma(3, 4, rows).round(2), rng.gamma(2, 9, rows).round(2)
    noisy = {f"n{place}": a + 0.5 * b + rng.normal(0, 5, rows) for place in range(3)}
    return pd.DataFrame({"a": a, "b": b, "c": c, "d": d, **noisy})


EQUATIONS = {
    "a + b": ("ab", lambda t: t["a"] + t["b"]),
    "b - a": ("ab", lambda t: t["b"] - t["a"]),
    "a + b + c + d": ("abcd", lambda t: t["a"] + t["b"] + t["c"] + t["d"]),
    "mean, rounded": ("bcd", lambda t: ((t["b"] + t["c"] + t["d"]) / 3).round(1)),
    "other units": ("cd", lambda t: 32 + 1.8 * t["c"] - 0.3 * t["d"]),
    "c × b": ("bc", lambda t: (t["c"] * t["b"]).round(2)),
    "c / d": ("cd", lambda t: t["c"] / t["d"]),
}


@few
@given(st.sampled_from(list(EQUATIONS)), st.integers(0, 2**32 - 1))
def test_the_columns_of_an_equation_are_found_and_no_others(equation, seed):
    frame = table(np.random.default_rng(seed))
    columns, make = EQUATIONS[equation]
    (found,) = of_sums(frame, make(frame).rename("y"))
    assert set(columns) == set(found.columns)
    assert "= y" in found.why


@few
@given(st.sampled_from(list(EQUATIONS)), st.integers(0, 2**32 - 1))
def test_one_percent_of_noise_is_no_equation(equation, seed):
    rng = np.random.default_rng(seed)
    frame = table(rng)
    y = EQUATIONS[equation][1](frame)
    assert [] == of_sums(frame, (y + 0.05 * y.std() * rng.normal(size=len(y))).rename("y"))


def test_the_equation_is_written_as_people_write_it():
    frame = table(np.random.default_rng(0))
    (found,) = of_sums(frame, (frame["a"] + frame["b"]).rename("cnt"))
    assert found.why.startswith("a + b = cnt in all of 400 rows")
    (found,) = of_sums(frame, (frame["b"] - 2.5 * frame["a"] + 3).rename("left"))
    assert found.why.startswith("-2.5 a + b + 3 = left in all")


def test_gaps_in_other_columns_hide_no_equation_and_a_dozen_columns_are_few():
    rng = np.random.default_rng(0)
    months = pd.DataFrame(rng.normal(60, 15, (300, 12)).round(), columns=[f"m{month}" for month in range(12)])
    (found,) = of_sums(months.assign(other=np.where(np.arange(300) % 3, 1.0, np.nan)), months.sum(axis=1).rename("y"))
    assert set(months.columns) == set(found.columns)
    gappy = months.where(rng.random(months.shape) > 0.02)
    (found,) = of_sums(gappy, months.sum(axis=1).rename("y"))
    assert set(months.columns) == set(found.columns)


@pytest.mark.parametrize("rows", [20, 39])
def test_few_rows_are_not_searched(rows):
    frame = table(np.random.default_rng(0), rows)
    assert [] == of_sums(frame, (frame["a"] + frame["b"]).rename("y"))


def taxi(rng, rows=1500):
    """Rides, whose total has all that is paid, and the tips."""
    fare = (2.5 + rng.gamma(2, 6, rows)).round(1)
    rides = pd.DataFrame({"fare": fare, "extra": rng.choice([0, 0.5, 1], rows), "miles": (fare / 3).round()})
    rides["tolls"] = np.where(rng.random(rows) < 0.06, 5.76, 0)
    tip = np.where(rng.random(rows) < 0.6, (fare * rng.choice([0.15, 0.2], rows)).round(2), 0)
    rides["total"] = (fare + rides["extra"] + rides["tolls"] + tip).round(2)
    return rides, pd.Series(tip, name="tip")


@few
@given(st.floats(0, 0.05), st.integers(0, 2**32 - 1))
def test_a_total_of_the_target_and_the_rest_is_found_although_some_bills_have_more(exceptions, seed):
    rng = np.random.default_rng(seed)
    rides, tip = taxi(rng)
    rides["total"] += np.where(rng.random(len(rides)) < exceptions, 2.75, 0)
    (found,) = of_sums(rides, tip)
    assert {"total", "fare", "extra", "tolls"} == {*found.columns}
    met = (tip + rides["fare"] + rides["extra"] + rides["tolls"] - rides["total"]).abs() < 1e-6
    assert met.all() == ("in all of" in found.why)
    if not met.all():
        assert "-1 fare - extra - tolls + total = tip in " in found.why
        assert found.evidence["share of the rows"] == pytest.approx(met.mean())
    assert [] == of_sums(rides.drop(columns="fare"), tip)


@few
@given(st.integers(0, 2**32 - 1))
def test_an_equation_of_fewer_rows_and_one_of_zeros_alone_are_none(seed):
    rng = np.random.default_rng(seed)
    rides, tip = taxi(rng)
    half = rides.assign(total=rides["total"] + np.where(rng.random(len(rides)) < 0.2, rng.gamma(2, 3, len(rides)), 0))
    assert [] == of_sums(half, tip)
    idle = rng.random(len(rides)) < 0.95
    noisy = tip + rng.normal(size=len(tip)).round(2)
    assert [] == of_sums(rides.mul(~idle, axis=0), noisy * ~idle)


def test_a_sum_of_few_kinds_is_searched_though_its_values_are_classes():
    rng = np.random.default_rng(0)
    points = pd.DataFrame(rng.integers(0, 7, (900, 3)), columns=["written", "oral", "home"])
    table = points.assign(x=rng.normal(size=900), grade=points.sum(axis=1))
    found = profile.look(table, "grade")
    assert 19 == len(found.classes)
    assert {"written", "oral", "home"} == {one.column for one in found.dropped}
    assert any("written + oral + home = grade in all of 900 rows" in one.text for one in found.findings)
