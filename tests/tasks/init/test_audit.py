"""`heldout.audit` of a data frame and `init` of the same table in a file find the same."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import yaml

import heldout
from tasks.init import start
from tests.variants import some

ROWS = 400


def a_leak_and_noise(rng):
    left = rng.random(ROWS) < 0.4
    called = left ^ (rng.random(ROWS) < 0.1)
    table = {"called": called, "refund": np.where(left, 5.0, 0.0), "tenure": rng.integers(1, 70, ROWS)}
    return pd.DataFrame(table), pd.Series(np.where(left, "yes", "no"), name="churn")


def gaps_that_give_it_away(rng):
    left = rng.random(ROWS) < 0.4
    reason = pd.Series(rng.choice(["price", "service", "moved"], ROWS)).where(left & (rng.random(ROWS) < 0.95))
    return pd.DataFrame({"reason": reason, "x": rng.normal(size=ROWS)}), pd.Series(left.astype(int), name="left")


def columns_that_add_up(rng):
    table = pd.DataFrame({name: rng.integers(0, 500, ROWS) for name in ("casual", "registered")})
    return table.assign(wind=rng.normal(size=ROWS)), (table["casual"] + table["registered"]).rename("cnt")


def customers_that_repeat(rng):
    ids = rng.integers(10**16, 10**17, 50)
    number = rng.integers(50, size=ROWS)
    x = rng.normal(size=(50, 3))[number] + 0.05 * rng.normal(size=(ROWS, 3))
    table = pd.DataFrame(x, columns=[*"abc"]).assign(customer_id=ids[number])
    return table, pd.Series(rng.normal(size=50)[number] + 0.1 * rng.normal(size=ROWS), name="spent")


def one_value_far_away(rng):
    X = rng.normal(size=(ROWS, 3))
    y = X @ [3.0, 2.0, 1.0] + rng.normal(size=ROWS)
    y[7] = 1e7
    return pd.DataFrame(X, columns=[*"abc"]), pd.Series(y, name="price")


def grades(rng):
    y = np.clip(np.round(rng.normal(11, 2.5, ROWS)), 0, 18).astype(int)
    return pd.DataFrame({"hours": y + rng.normal(0, 3, ROWS), "age": rng.integers(15, 22, ROWS)}), pd.Series(
        y, name="G3"
    )


def a_drift_in_time(rng):
    day = pd.date_range("2024-01-01", periods=ROWS).as_unit("us")
    level = np.cumsum(rng.normal(size=ROWS))
    x = 0.3 * level + rng.normal(size=ROWS)
    return pd.DataFrame({"day": day, "x": x, "z": rng.normal(size=ROWS)}), pd.Series(level, name="load")


def rows_recorded_twice(rng):
    X = rng.normal(size=(ROWS // 2, 3))
    y = rng.random(ROWS // 2) < 1 / (1 + np.exp(-X[:, 0]))
    twice = rng.permutation(np.repeat(np.arange(ROWS // 2), 2))
    return pd.DataFrame(X[twice], columns=[*"abc"]), pd.Series(np.where(y[twice], "ill", "well"), name="state")


def columns_of_every_kind(rng):
    y = rng.choice(["a1", "b2", "c3"], ROWS, p=[0.5, 0.3, 0.2])
    words = rng.choice(["left", "right", "up", "down", "slow", "quick"], (ROWS, 12))
    table = pd.DataFrame(
        {
            "row": np.arange(ROWS),
            "always": "same",
            "town": pd.Series(rng.choice(["Ulm", "Bonn", "?"], ROWS), dtype="category"),
            "note": [" ".join(line) for line in words],
            "member": pd.Series(rng.random(ROWS) < 0.5).astype(object).where(rng.random(ROWS) < 0.9),
            "income": np.where(rng.random(ROWS) < 0.05, -999, rng.integers(20, 90, ROWS)),
            "when": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, ROWS), unit="D"),
            "count": pd.Series(rng.integers(0, 9, ROWS)).astype(float).where(rng.random(ROWS) < 0.8),
        }
    )
    return table, pd.Series(y, name="kind")


TABLES = [
    a_leak_and_noise,
    gaps_that_give_it_away,
    columns_that_add_up,
    customers_that_repeat,
    one_value_far_away,
    grades,
    a_drift_in_time,
    rows_recorded_twice,
    columns_of_every_kind,
]
EXPECTED = {  # of heldout.audit: the worst severity, and what the first finding names
    "a_leak_and_noise": ("stop", "refund"),
    "gaps_that_give_it_away": ("stop", "reason"),
    "columns_that_add_up": ("stop", "casual + registered = cnt"),
    "customers_that_repeat": ("care", "customer_id"),
    "one_value_far_away": ("care", "10000000"),
    "grades": ("care", "whole numbers"),
    "a_drift_in_time": ("care", "day"),
    "rows_recorded_twice": ("care", "repeat an earlier row"),
    "columns_of_every_kind": ("note", "-999"),
}


def of_init(X, y, unlabeled=None):
    """What `init` writes about the same table in a CSV file."""
    X.assign(**{y.name: y}).to_csv("table.csv", index=False)
    if unlabeled is not None:
        unlabeled.to_csv("unlabeled.csv", index=False)
    start.initialize("table.csv", y.name, None if unlabeled is None else "unlabeled.csv", Path.cwd())
    return yaml.safe_load(Path("table_checks.yaml").read_text(encoding="utf-8"))["findings"]


def rounded(evidence):
    return {name: float(f"{value:.4g}") for name, value in evidence.items()}


def assert_same(audit, written):
    ours = {one.text: (rounded(one.evidence), one.columns, one.severity) for one in audit}
    theirs = {one["text"]: (one.get("evidence", {}), tuple(one.get("columns", ())), one["severity"]) for one in written}
    assert len(audit) == len(written)
    assert {*theirs} == {*ours}
    assert {text: about[:2] for text, about in theirs.items()} == {text: about[:2] for text, about in ours.items()}
    for one in written:
        text, (_, _, severity) = one["text"], ours[one["text"]]
        answered = one.get("done", "").startswith("left out") or "so data." in one.get("decide", "")
        answered |= "keep the proposed" in one.get("decide", "")
        if answered:  # by init alone, in params.yaml
            assert ("note", True) == (one["severity"], severity in ("care", "stop")), text
        else:
            assert one["severity"] == severity, text


@pytest.mark.parametrize("table", some(TABLES, customers_that_repeat))
def test_a_data_frame_has_the_findings_that_init_writes_for_its_file(table):
    X, y = table(np.random.default_rng(1))
    found = heldout.audit(X, y)
    severity, named = EXPECTED[table.__name__]
    assert severity == found.findings[0].severity
    assert any(named in one.text for one in found if one.severity == severity), str(found)
    assert_same(found, of_init(X, y))


@pytest.mark.parametrize("table", some(TABLES, a_leak_and_noise))
@pytest.mark.long
def test_the_libraries_of_data_frames_have_the_same_findings(table):
    X, y = table(np.random.default_rng(2))
    found = heldout.audit(X, y)
    for other in (heldout.audit(pl.from_pandas(X), pl.Series(y.name, y.tolist())), heldout.audit(pa.table(X), y)):
        assert found.findings == other.findings
        assert dict(found.useless) == dict(other.useless)


def test_columns_that_the_rows_without_a_label_lack_stop_in_both():
    rng = np.random.default_rng(0)
    X, y = gaps_that_give_it_away(rng)
    X["fee"], X["score"] = rng.normal(size=ROWS), rng.normal(size=ROWS)
    unlabeled = pd.DataFrame({"reason": None, "x": rng.normal(size=200), "score": rng.normal(size=200)})
    unlabeled.loc[:100, "score"] = np.nan
    found = heldout.audit(X, y, unlabeled=unlabeled)
    assert any("no unlabelled row has the column fee" in one.text and one.severity == "stop" for one in found)
    assert_same(found, of_init(X, y, unlabeled))


def test_what_init_finds_in_the_text_of_a_file_is_not_in_the_list():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"price": [f"{value:.2f} EUR" for value in rng.uniform(1, 99, ROWS)], "x": rng.normal(size=ROWS)})
    y = pd.Series(rng.normal(size=ROWS), name="y")
    texts = {one.text for one in heldout.audit(X, y)}
    assert any(one["topic"] == "parsed" and one["text"] not in texts for one in of_init(X, y))


@pytest.mark.slow
def test_nothing_names_a_key_that_a_notebook_has_not():
    for table in TABLES:
        for one in heldout.audit(*table(np.random.default_rng(3))):
            assert ("", ()) == (one.done, one.keys)
            assert "data." not in one.decide
            assert "split." not in one.decide


def test_the_worst_is_first():
    X, y = gaps_that_give_it_away(np.random.default_rng(0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        severities = [one.severity for one in heldout.audit(X.assign(town=["Ulm", "Bonn"] * (ROWS // 2)), y)]
    assert sorted(severities, key=["stop", "care", "note"].index) == severities
