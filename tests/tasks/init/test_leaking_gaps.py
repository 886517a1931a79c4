"""A column that is filled for one class alone stops, however noisy; gaps that say a little do not."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer

from heldout.checks import leaking_gaps
from tasks.data import column_types
from tasks.init import start
from tasks.params import load
from tasks.storage import findings

few = settings(max_examples=25, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def churn(rng, rows=1000, *, filled=0.95, others=0.0):
    """The rows of an export, where the reason is filled for a share of those who left and of the others."""
    left = rng.random(rows) < 0.42
    there = rng.random(rows) < np.where(left, filled, others)
    reason = np.where(there, rng.choice(["price", "service", "moved"], rows), None)
    frame = pd.DataFrame({"cancel_reason": reason, "tenure": rng.integers(1, 70, rows), "x": rng.normal(size=rows)})
    return frame, pd.Series(np.where(left, "yes", "no"), name="churn")


def of_gaps(frame, target, *, classes=True):
    gaps = leaking_gaps.of_gaps(column_types.typed(frame)[0], target, classes=classes)
    return [one.finding for one in gaps if one.finding is not None]


def test_a_reason_that_only_those_who_left_have_stops_with_both_errors():
    frame, target = churn(np.random.default_rng(0))
    [found] = of_gaps(frame, target)
    assert ("stop", ("cancel_reason",), ("data.known_after",)) == (found.severity, found.columns, found.keys)
    shares = (frame["cancel_reason"].notna() & (target == "yes")).sum() / (target == "yes").sum()
    assert found.text.startswith(
        f"cancel_reason is filled for {100 * shares:.3g} % of the rows with churn = yes and for 0 % of the others: "
    )
    error, constant = found.evidence["error out of fold"], found.evidence["error of a constant"]
    assert error == pytest.approx((frame["cancel_reason"].isna() & (target == "yes")).mean())
    assert constant == pytest.approx((target == "yes").mean())
    assert found.text.endswith(f"that alone errs {100 * error:.3g} %, the constant {100 * constant:.3g} %")
    assert found.decide == "is it known before the label? If not: data.known_after: [cancel_reason]"


@pytest.mark.slow
@few
@given(seeds, st.floats(0.8, 1.0), st.floats(0.0, 0.03), st.sampled_from([300, 3000, 60_000]))
def test_a_noisy_gap_that_gives_the_class_away_is_found(seed, filled, others, rows):
    rng = np.random.default_rng(seed)
    frame, target = churn(rng, rows, filled=filled, others=others)
    error = (frame["cancel_reason"].notna() != (target == "yes")).mean()
    constant = (target == "yes").mean()
    if error < 0.28 * constant:
        assert [("cancel_reason",)] == [one.columns for one in of_gaps(frame, target)]
    elif error > 0.38 * constant:
        assert [] == of_gaps(frame, target)


@few
@given(seeds, st.floats(0.0, 0.65), st.sampled_from([100, 1000]))
def test_gaps_that_say_a_little_and_gaps_by_chance_are_honest(seed, filled, rows):
    rng = np.random.default_rng(seed)
    frame, target = churn(rng, rows, filled=filled, others=0.15)  # as the cabins of the Titanic
    frame["lost"] = np.where(rng.random(rows) < 0.3, np.nan, rng.normal(size=rows))
    assert [] == of_gaps(frame, target)


def test_columns_with_the_same_gaps_are_one_finding_and_few_rows_none():
    frame, target = churn(np.random.default_rng(0))
    frame["fee"] = np.where(frame["cancel_reason"].notna(), frame["x"], np.nan)
    [found] = of_gaps(frame, target)
    assert ("cancel_reason", "fee") == found.columns
    assert found.text.startswith("cancel_reason, fee are filled for ")
    assert [] == of_gaps(frame[:99], target[:99])


def test_gaps_that_leave_little_of_the_variance_stop_and_others_do_not():
    rng = np.random.default_rng(0)
    paid = rng.random(1000) < 0.3
    y = pd.Series(np.where(paid, 10.0, 1.0) + rng.normal(size=1000), name="claim")
    frame = pd.DataFrame({"settled": np.where(paid, rng.normal(size=1000), np.nan), "x": rng.normal(size=1000)})
    [found] = of_gaps(frame, y, classes=False)
    assert found.text.startswith("settled is filled for ")
    assert "of the variance" in found.text
    assert found.evidence["share of the variance that is left"] == pytest.approx(1 / (1 + 81 * 0.21), abs=0.02)
    assert [] == of_gaps(frame, y - np.where(paid, 7, 0), classes=False)


def test_a_table_without_gaps_has_none():
    cancer = load_breast_cancer(as_frame=True)
    assert [] == leaking_gaps.of_gaps(cancer.data, cancer.target, classes=True)


def test_what_init_found_stops_until_somebody_decides():
    frame, target = churn(np.random.default_rng(0))
    frame.assign(churn=target).to_csv("churn.csv", index=False)
    said = start.initialize("churn.csv", "churn", None, Path.cwd())
    assert any(line.startswith("leak      cancel_reason is filled for ") for line in said)
    [stop] = [one for one in findings.read(load("params.yaml")).findings if one.open]
    assert "stop" == stop.severity
    data = load("params.yaml").data
    assert ([], []) == (data.drop, data.known_after)
    for key in ("data.known_after", "data.drop"):
        answered = load("params.yaml", [f"{key}=[cancel_reason]"])
        assert [] == [one for one in findings.read(answered).findings if one.open]
