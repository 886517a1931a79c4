"""A column that is filled for labelled rows alone stops; gaps by chance, and new rows like the old ones, do not."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.checks import unlabeled_gaps
from tasks.init import profile, start
from tasks.params import load
from tasks.storage import findings

few = settings(max_examples=25, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def rows_of(rng, count, filled):
    """Rows of three features: of `fee` that share is filled, of `part` half, of `x` all."""
    return pd.DataFrame(
        {
            "fee": np.where(rng.random(count) < filled, rng.normal(size=count).round(2), np.nan),
            "part": np.where(rng.random(count) < 0.5, rng.choice(["a", "b"], count), None),
            "x": rng.normal(size=count).round(2),
        }
    )


@few
@given(seeds, st.floats(0.2, 1.0), st.floats(0.0, 0.05), st.sampled_from([150, 1000]))
def test_a_column_that_is_hardly_filled_without_a_label_stops_with_both_shares(seed, filled, left, count):
    rng = np.random.default_rng(seed)
    labeled, others = rows_of(rng, 500, filled), rows_of(rng, count, filled * left)
    [found] = unlabeled_gaps.look(labeled, others, ())
    assert ("leak", "stop", ("fee",)) == (found.topic, found.severity, found.columns)
    p, q = labeled["fee"].notna().mean(), others["fee"].notna().mean()
    assert {"fee, share filled with a label": p, "fee, share filled without": q} == pytest.approx(found.evidence)
    assert found.text.startswith(
        f"filled in the labelled rows and hardly in {count} without a label: fee {100 * p:.3g} %"
    )
    assert found.text.endswith(f" against {100 * q:.3g} %")
    assert "is it known before the label? If not: data.known_after: [fee]" == found.decide


@few
@given(seeds, st.floats(0.0, 1.0), st.integers(1, 1000))
def test_rows_like_the_labelled_ones_have_no_finding(seed, filled, count):
    rng = np.random.default_rng(seed)
    assert [] == unlabeled_gaps.look(rows_of(rng, 500, filled), rows_of(rng, count, filled), ())


def test_a_clearly_other_share_asks_for_care_and_a_slightly_other_one_is_quiet():
    rng = np.random.default_rng(0)
    labeled = rows_of(rng, 500, 0.9)
    assert [] == unlabeled_gaps.look(rows_of(rng, 500, 0.99), rows_of(rng, 1, 0), ())
    [found] = unlabeled_gaps.look(labeled, rows_of(rng, 500, 0.4), ())
    assert ("found", "care", ("fee",)) == (found.topic, found.severity, found.columns)
    assert "another population" in found.decide
    assert [] == unlabeled_gaps.look(labeled, rows_of(rng, 500, 0.8), ())
    assert [] == unlabeled_gaps.look(labeled, rows_of(rng, 10, 0.7), ())


def test_strings_that_mean_a_gap_count_as_gaps_in_the_files_too():
    rng = np.random.default_rng(0)
    others = rows_of(rng, 300, 1).assign(fee="?")
    assert [] == unlabeled_gaps.look(rows_of(rng, 300, 1), others, ())
    [found] = unlabeled_gaps.look(rows_of(rng, 300, 1), others, ("?",))
    assert ("fee",) == found.columns


def test_many_columns_are_one_line_and_no_rows_none():
    rng = np.random.default_rng(0)
    wide = pd.DataFrame(rng.normal(size=(300, 40))).add_prefix("column_")
    [found] = unlabeled_gaps.look(wide, wide * np.nan, ())
    assert 40 == len(found.columns)
    assert "and 37 more" in found.text
    assert len(found.text) + len(found.decide) < 290
    [lacking] = unlabeled_gaps.look(wide, pd.DataFrame({"z": [1]}), ())
    assert "no unlabelled row has the columns column_0, column_1, column_2 and 37 more" == lacking.text
    assert [] == unlabeled_gaps.look(wide, wide[:0], ())
    assert [] == unlabeled_gaps.look(wide[:0], wide, ())


def churn(rng, count=900):
    """Rows of which a third has no label yet: the reason is written down when somebody leaves."""
    left = rng.random(count) < 0.4
    frame = rows_of(rng, count, 0.7).assign(churn=np.where(left, "yes", "no"))
    frame["reason"] = np.where(
        rng.random(count) < np.where(left, 0.6, 0.1), rng.choice(["price", "moved"], count), None
    )
    frame.loc[600:, ["churn", "reason"]] = None
    return frame


def test_rows_of_the_table_without_a_label_are_compared():
    [stop] = [one for one in profile.look(churn(np.random.default_rng(0)), "churn").findings if one.severity == "stop"]
    assert ("reason",) == stop.columns
    assert "hardly in 300 without a label: reason " in stop.text


@pytest.mark.parametrize("lacks", [True, False])
def test_what_init_finds_in_the_files_is_answered_by_the_key(lacks):
    frame = churn(np.random.default_rng(0))
    frame[:600].to_csv("churn.csv", index=False)
    Path("new").mkdir()
    new = frame[600:].drop(columns=["churn", "reason"] if lacks else ["churn"])
    new[:100].to_csv("new/a.csv", index=False)
    new[100:].to_csv("new/b.csv", index=False)
    Path("new/c.csv").touch()  # `prepare` says that it cannot be read
    said = start.initialize("churn.csv", "churn", "new", Path.cwd())
    begins = "no unlabelled row has the column reason" if lacks else "filled in the labelled rows and hardly in 300 "
    assert 1 == sum(line.startswith(f"leak      {begins}") for line in said)
    [stop] = [one for one in findings.read(load("params.yaml")).findings if one.severity == "stop"]
    assert stop.open
    [answered] = [
        one
        for one in findings.read(load("params.yaml", ["data.known_after=[reason]"])).findings
        if one.severity == "stop"
    ]
    assert "data.known_after in params.yaml answers it" == answered.decided


@pytest.mark.parametrize("seed", range(3))
def test_the_columns_that_differ_most_come_first_and_are_those_that_are_shown(seed):
    rng = np.random.default_rng(seed)
    left = rng.permutation(np.linspace(0.2, 0.7, 6))  # of each column in the unlabelled rows
    labeled = pd.DataFrame(np.ones((1000, 6)), columns=list("abcdef"))
    others = labeled.where(np.arange(1000)[:, None] < 1000 * left)
    [found] = unlabeled_gaps.look(labeled, others, ())
    in_order = tuple("abcdef"[place] for place in np.argsort(left))
    assert in_order == found.columns
    assert all(f"{name} 100 % against" in found.text for name in in_order[:3])
    assert {f"{name}, share filled without" for name in in_order[:3]} <= {*found.evidence}
