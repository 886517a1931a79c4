"""A target asks about the loss where one value rules it, where classes may be numbers, and where a class is rare."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes, load_digits, load_iris, load_wine

from heldout.checks import target_remarks
from tasks.init import start
from tasks.params import load
from tasks.storage import findings

few = settings(max_examples=25, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def of_numbers(values):
    return target_remarks.look(pd.Series(values, name="salary", dtype="float64"), classes=False)


def of_classes(values):
    return target_remarks.look(pd.Series(values, name="grade"), classes=True)


def salaries(rng, rows=500):
    return np.round(70_000 * np.exp(0.5 * rng.normal(size=rows)))


def test_a_value_that_rules_the_squared_error_asks_for_care():
    remark = of_numbers([*np.linspace(40_000, 100_000, 401), 99_999_999_999])
    assert remark.finding.text == (
        "salary: one value, 99999999999, is 1.43 million times the median, 70075; it carries 100 % of the squared "
        "deviations from the mean"
    )
    assert "care" == remark.finding.severity
    assert "loss: absolute" in remark.finding.decide
    assert remark.proposed.startswith("proposed: absolute")


@few
@given(seeds, st.integers(1, 3), st.sampled_from([1e9, -1e9, 1e300]))
def test_up_to_three_such_values_are_found_whatever_the_order_of_the_rows(seed, count, value):
    rng = np.random.default_rng(seed)
    values = np.concatenate([salaries(rng), value * np.arange(1, count + 1)])
    remark = of_numbers(values)
    assert remark is not None
    assert remark.finding.evidence["share of the squared deviations"] > 0.5
    assert remark == of_numbers(rng.permutation(values))


@few
@given(seeds, st.sampled_from([30, 300, 3000]))
def test_honest_tails_of_any_size_ask_nothing(seed, rows):
    rng = np.random.default_rng(seed)
    for values in (
        np.exp(rng.normal(size=rows)),
        np.exp(12 + rng.normal(size=rows)),
        rng.standard_t(3, size=rows),
        rng.exponential(size=rows),
        np.where(rng.random(rows) < 0.9, 0, np.exp(7 + rng.normal(size=rows))),  # claims: most are 0
    ):
        assert None is of_numbers(values)


def test_ten_large_values_are_a_population_and_no_mistakes():
    values = [*salaries(np.random.default_rng(0)), *([1e9] * 10)]
    assert None is of_numbers(values)


def grades(rng, rows=400):
    drawn = np.clip(np.round(rng.normal(11, 3.5, rows)), 1, 19)
    return pd.Series([0, 20, *drawn], dtype="int64")


@few
@given(seeds)
def test_grades_that_are_taken_as_classes_ask_whether_they_are_numbers(seed):
    rng = np.random.default_rng(seed)
    values = grades(rng)
    remark = of_classes(rng.permutation(values))
    assert remark.finding.text.startswith(f"grade: whole numbers 0 to 20, taken as {values.nunique()} classes, ")
    assert remark.finding.text.endswith("the rarest has 1 row")
    assert "care" == remark.finding.severity
    assert "loss: squared" in remark.finding.decide
    assert remark.proposed.startswith("proposed: squared")


CODES = {
    "digits": load_digits().target,
    "iris": load_iris().target,
    "wine": load_wine().target,
    "truth": np.arange(100) % 2 == 0,
    "0 and 1": np.arange(100) % 2,
    "1, 2, 3": 1 + np.arange(100) % 3,
    "animals": np.repeat(np.arange(1, 8), [41, 20, 5, 13, 4, 8, 10]),  # codes, one of them rare
    "kinds of glass": np.repeat([1, 2, 3, 5, 6, 7], [70, 76, 17, 13, 9, 29]),
    "strings": [f"grade {value}" for value in grades(np.random.default_rng(0))],
}


@pytest.mark.parametrize("name", CODES)
def test_codes_of_classes_ask_nothing(name):
    assert None is of_classes(CODES[name])


def test_numbers_with_one_population_ask_nothing():
    assert None is of_numbers(load_diabetes().target)


@pytest.mark.parametrize(("rare", "asks"), [(150, True), (199, True), (200, False), (500, False)])
def test_a_rare_class_proposes_a_loss_that_shows_more(rare, asks):
    remark = of_classes(np.where(np.arange(1000) < rare, "ill", "well"))
    assert asks == (remark is not None)
    if asks:
        share = f"{rare / 10:.3g} %"
        assert remark.finding.text.startswith(f"grade: {share} are ill: by zero_one a constant answer errs {share}")
        assert "note" == remark.finding.severity
        assert {"log", "balanced"} <= {*remark.proposed.replace(",", "").split()}


def begin(target, **changes):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=len(target)), "b": rng.normal(size=len(target)), "y": target})
    frame.to_csv("t.csv", index=False)
    start.initialize("t.csv", "y", None, Path.cwd())
    return findings.read(load("params.yaml", [f"{key}={value}" for key, value in changes.items()])).findings


def test_the_proposal_stands_next_to_the_loss_which_stays_null_and_the_key_answers_it():
    [asked] = [one for one in begin(grades(np.random.default_rng(0))) if one.open]
    text = Path("params.yaml").read_text()
    assert "\nloss: null  # proposed: squared, with regressors as candidates, if y holds numbers\n" in text
    assert None is yaml.safe_load(text)["loss"]
    assert "taken as" in asked.text
    assert [] == [one for one in begin(grades(np.random.default_rng(0)), loss="squared") if one.open]
