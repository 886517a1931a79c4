"""The strongest columns and gaps are said of every table, with their errors; they are no alarm, and fitted once."""

import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine

from heldout.checks import leakage, leaking_gaps, strongest
from tasks.data import column_types
from tasks.init import profile

few = settings(max_examples=20, deadline=None)
seeds = st.integers(0, 2**32 - 1)
TWO_LINES = 240


def look(features, target, *, classes=True):
    typed = column_types.typed(features)[0]
    return strongest.look(typed, leaking_gaps.of_gaps(typed, target, classes=classes), target, classes=classes)


def honest(rng, rows):
    return pd.DataFrame({"a": rng.normal(size=rows), "b": rng.integers(0, 5, rows), "c": rng.choice(list("xyz"), rows)})


@pytest.mark.slow
@few
@given(seeds, st.floats(0.03, 0.3), st.sampled_from(["number", "category", "boolean"]))
def test_a_noisy_leak_leads_with_its_own_error_and_that_of_a_constant(seed, noise, kind):
    rng = np.random.default_rng(seed)
    y = rng.random(2000) < 0.45
    said = np.where(rng.random(2000) < noise, ~y, y)
    told = {"number": said + 0.3 * rng.random(2000), "category": np.where(said, "y", "n"), "boolean": said}[kind]
    found = look(honest(rng, 2000).assign(told=told), pd.Series(y))
    assert ("note", "found", "told") == (found.severity, found.topic, found.columns[0])
    error, constant = (said != y).mean(), min(y.mean(), 1 - y.mean())
    assert found.evidence["told alone"] == pytest.approx(error, abs=0.01)
    assert found.evidence["a constant"] == pytest.approx(constant)
    told, constant = (f"{100 * found.evidence[name]:.3g} %" for name in ("told alone", "a constant"))
    assert found.text.startswith(f"strongest alone, by the error out of fold: told {told}")
    assert found.text.endswith(f"; a constant {constant}")
    assert found.decide == "known before the label? If not: data.known_after"


@few
@given(seeds, st.floats(0.3, 0.9))
def test_of_numbers_a_column_need_not_rise_with_the_target(seed, left):
    rng = np.random.default_rng(seed)
    u = rng.normal(size=3000)
    y = pd.Series(np.sqrt(1 - left) * u + np.sqrt(left) * rng.normal(size=3000))
    found = look(honest(rng, 3000).assign(there_and_back=np.where(rng.random(3000) < 0.5, u, 9 - u)), y, classes=False)
    assert "there_and_back" == found.columns[0]
    assert found.evidence["there_and_back alone"] == pytest.approx(left, abs=0.12)
    assert 1 == found.evidence["a constant"]


def test_the_strongest_gaps_are_said_where_they_are_no_finding_of_their_own():
    rng = np.random.default_rng(0)
    y = pd.Series(np.where(rng.random(2000) < 0.42, "yes", "no"), name="churn")
    features = honest(rng, 2000)
    features["bill"] = np.where((y == "yes") & (rng.random(2000) < 0.5), rng.normal(size=2000), np.nan)
    features["fee"] = np.where(features["bill"].notna(), 1.5 * features["a"], np.nan)
    features["lost"] = np.where(rng.random(2000) < 0.3, np.nan, features["a"])
    found = look(features, y)
    error = ((features["bill"].notna()) != (y == "yes")).mean()
    assert found.evidence["gaps of bill"] == pytest.approx(error)
    assert f"gaps of bill (and 1 more) {100 * error:.3g} %" in found.text
    assert "lost" not in found.text
    features["reason"] = np.where((y == "yes") & (rng.random(2000) < 0.95), "price", None)
    findings = profile.look(features.assign(churn=y), "churn").findings
    [stop] = [one for one in findings if one.severity == "stop"]
    [note] = [one for one in findings if one.text.startswith("strongest alone")]
    assert ("reason",) == stop.columns
    assert "is it known before the label? If not: data.known_after: [reason]" == stop.decide
    assert "reason" not in note.columns
    assert "bill" in note.columns


@pytest.mark.parametrize("classes", [True, False])
def test_columns_that_say_nothing_are_said_to_say_nothing(classes):
    rng = np.random.default_rng(1)
    y = pd.Series(rng.random(3000) < 0.05 if classes else rng.normal(size=3000))
    found = look(honest(rng, 3000), y, classes=classes)
    constant = f"{100 * (y.mean() if classes else 1):.3g} %"
    assert found.text.startswith("no column of numbers or categories alone is better than a constant (")
    assert f": {constant})" in found.text
    assert ((), "") == (found.columns, found.decide)


def test_of_few_rows_and_of_texts_alone_nothing_is_said():
    rng = np.random.default_rng(0)
    assert look(honest(rng, 99), pd.Series(rng.random(99) < 0.5)) is None
    texts = pd.DataFrame({"text": [" ".join(rng.choice(list("abcdefgh"), 9)) for _ in range(200)]})
    found = profile.look(texts.assign(y=rng.choice(["a", "b"], 200)), "y").findings
    assert not [one for one in found if "alone" in one.text]


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_diabetes, load_digits])
def test_the_sets_of_scikit_learn_have_the_note_and_no_alarm(load):
    loaded = load(as_frame=True)
    y = loaded.target.astype(float) if load is load_diabetes else loaded.target.map("class {}".format)
    found = profile.look(loaded.data.assign(target=y), "target").findings
    [note] = [one for one in found if one.text.startswith("strongest alone")]
    assert {"note"} == {one.severity for one in found}
    assert 3 == len(note.columns)
    assert len(note.text) < TWO_LINES


def test_long_names_and_the_order_of_the_columns_change_neither_the_length_nor_the_numbers():
    rng = np.random.default_rng(0)
    y = pd.Series(rng.random(1000) < 0.4)
    gaps = rng.random((2, 1000)) < np.where(y, 0.3, 0.9)
    columns = {f"column {place} {'of a long name ' * 9}": y + 2 * rng.random(1000) for place in range(3)}
    for place, gap in enumerate(gaps):
        for name in "pqr":
            columns[f"{place} {name} {'with a long name ' * 9}"] = np.where(gap, np.nan, rng.normal(size=1000))
    features = pd.DataFrame(columns)
    found = look(features, y)
    assert "(and 2 more)" in found.text
    assert len(found.text) < TWO_LINES
    turned = look(features[features.columns[::-1]], y)
    assert sorted(found.evidence.values()) == sorted(turned.evidence.values())


def test_trees_are_fitted_to_the_leading_columns_alone(monkeypatch):
    rng = np.random.default_rng(0)
    y = pd.Series(rng.random(1000) < 0.4)
    features = pd.DataFrame(rng.normal(size=(1000, 300))).add_prefix("x").assign(noisy=y + 1.3 * rng.random(1000))
    fitted: Counter[str] = Counter()
    alone = leakage.error_alone
    monkeypatch.setattr(
        leakage, "error_alone", lambda column, codes: fitted.update([column.name]) or alone(column, codes)
    )
    assert "noisy" == look(features, y).columns[0]
    assert (6, 1) == (len(fitted), fitted["noisy"])


@pytest.mark.parametrize("letters", [20, 27, 30, 34, 60])
def test_names_are_cut_only_where_the_text_would_have_more_than_200_letters(letters):
    rng = np.random.default_rng(0)
    y = rng.normal(size=300)
    columns = {f"{place} {'x' * (letters - 2)}": y + rng.normal(size=300) for place in range(3)}
    text = look(pd.DataFrame(columns), pd.Series(y), classes=False).text
    (shown,) = {len(name) for name in re.findall(r"\d x+", text)}
    assert len(text) <= 200
    assert shown == letters or (shown in (40, 25, 16) and len(text) + 3 * (letters - shown - len("…")) > 200)
