"""Customers that repeat are groups without being asked, by any kind of name; towns, colours and counts are not."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from heldout.checks import identifier_like
from tasks.data import prepare_tables
from tasks.init import profile, start
from tasks.params import load
from tasks.storage import findings


def customers(rng, count=500, *, alike=True):
    """One to three months of each customer in any order, whose state is a coin toss: nothing to learn of others."""
    number = np.repeat(np.arange(count), rng.integers(1, 4, count))
    number = rng.permutation(number)
    rows = len(number)
    size = rng.normal(size=(count, 5))[number] if alike else rng.normal(size=(rows, 5))
    frame = pd.DataFrame(size + 0.1 * rng.normal(size=(rows, 5)), columns=[f"f{place}" for place in range(5)])
    frame["town"] = rng.choice([f"town {letter}" for letter in "abcdefghijklmnopqrstuvwxyz"], rows)
    left = rng.random(count)[number] < 0.42 if alike else rng.random(rows) < 0.42
    return frame, number, pd.Series(np.where(left, "yes", "no"))


DIGITS17 = np.random.default_rng(7).integers(10**16, 10**17, 500)
SIX = np.random.default_rng(8).choice(900_000, 500, replace=False) + 100_000
NAMES = {
    "CustomerID": lambda number: number + 1,
    "kunde": lambda number: SIX[number],  # any name: numbers far apart
    "ref": lambda number: DIGITS17[number],
    "konto": lambda number: [f"{SIX[one] // 100}-{'QXZ'[one % 3]}{SIX[one] % 100:02d}" for one in number],
}


@pytest.mark.parametrize("name", NAMES)
def test_customers_who_repeat_are_groups_by_any_name(name):
    frame, number, left = customers(np.random.default_rng(1))
    found = profile.look(frame.assign(**{name: NAMES[name](number), "churn": left}), "churn")
    assert name == found.groups
    assert name not in found.kinds
    assert name not in [one.column for one in found.dropped]
    [line] = [one for one in found.findings if one.topic == "groups"]
    assert line.text.startswith(f"{name}: {len(np.unique(number))} values in {len(number)} rows; a quick forest errs ")
    assert line.evidence["error along it"] > line.evidence["error under random cuts"]
    assert line.decide.endswith("set it to null")
    assert [] == [one for one in found.findings if one.topic == "leak"]


@pytest.mark.parametrize("name", ["CustomerID", "kunde", "konto"])  # by its name, as numbers, as codes
def test_customers_who_share_nothing_are_no_groups(name):
    frame, number, left = customers(np.random.default_rng(2), alike=False)
    found = profile.look(frame.assign(**{name: NAMES[name](number), "churn": left}), "churn")
    assert None is found.groups
    assert [] == [one for one in found.findings if one.topic == "groups"]


def lasting(rng, name_of, *, classes, noise=0.0):
    """Ten rows of each of 150 machines, whose state lasts; what is measured says nothing of it, the name says it."""
    number = rng.permutation(np.repeat(np.arange(150), 10))
    state = rng.normal(size=150)[number] + noise * rng.normal(size=1500)
    frame = pd.DataFrame(rng.normal(size=(1500, 4)), columns=list("abcd"))
    return frame.assign(**name_of(number), y=np.where(state > 1, "fails", "runs") if classes else state)


@pytest.mark.parametrize("classes", [True, False])
@pytest.mark.parametrize(
    "name_of", [lambda one: [f"M-{x:03d}" for x in one], lambda one: one + 1], ids=["code", "number"]
)
def test_a_name_that_alone_tells_a_lasting_state_is_no_feature_but_the_groups(classes, name_of):
    table = lasting(np.random.default_rng(6), lambda number: {"machine": name_of(number)}, classes=classes)
    found = profile.look(table, "y")
    assert ("machine", False) == (found.groups, "machine" in found.kinds)
    [line] = [one for one in found.findings if one.topic == "groups"]
    assert "a quick forest that has seen other rows of the value errs" in line.text
    assert line.evidence["error under random cuts"] < 0.01 < 0.1 < line.evidence["error along it"]


def test_a_code_that_alone_tells_a_lasting_state_is_asked_about():
    table = lasting(np.random.default_rng(6), lambda number: {"ref": SIX[number]}, classes=True)
    found = profile.look(table, "y")
    assert None is found.groups
    [line] = [one for one in found.findings if one.topic == "groups"]
    assert ("care", ("ref",)) == (line.severity, line.columns)
    assert line.decide.startswith("to predict rows of new values, set data.groups: ref")


@pytest.mark.parametrize("name", ["machine", "plz"])
def test_a_name_that_says_a_part_is_asked_about_where_its_rows_err_together_and_not_written(name):
    table = lasting(np.random.default_rng(6), lambda number: {name: SIX[number]}, classes=False, noise=1.5)
    found = profile.look(table, "y")
    assert None is found.groups
    [line] = [one for one in found.findings if one.topic == "groups"]
    assert ("care", (name,)) == (line.severity, line.columns)


def test_a_leak_that_stays_does_not_hide_who_repeats():
    frame, number, left = customers(np.random.default_rng(3))
    told = np.where((left == "yes") & (np.random.default_rng(4).random(len(left)) < 0.95), "price", None)
    found = profile.look(frame.assign(reason=told, customer_id=number, churn=left), "churn")
    assert "customer_id" == found.groups
    assert ["leak"] == [one.topic for one in found.findings if one.severity == "stop"]


def test_towns_that_differ_are_proposed_and_not_written():
    rng = np.random.default_rng(5)
    town = rng.integers(0, 60, 900)
    place, price = rng.normal(size=(60, 4)), rng.normal(size=60)
    frame = pd.DataFrame(place[town] + 0.05 * rng.normal(size=(900, 4)), columns=list("abcd"))
    letters = [f"{first}{second}ton" for first in "ABCDEFGH" for second in "aeiouylr"]
    frame = frame.assign(town=[letters[one] for one in town], y=price[town] + 0.1 * rng.normal(size=900))
    found = profile.look(frame, "y")
    assert None is found.groups
    assert "town" in found.kinds
    assert found.proposed["groups"].startswith("proposed: town")


@pytest.mark.parametrize("loaded", [load_iris, load_wine, load_breast_cancer])
def test_measurements_are_no_groups(loaded):
    found = profile.look(loaded(as_frame=True).frame, "target")
    assert None is found.groups
    assert [] == [one for one in found.findings if one.topic in ("groups", "leak")]


def test_what_is_a_name_by_its_column_or_its_values():
    rng = np.random.default_rng(0)
    for name in ("id", "customer_id", "CustomerID", "patientNo", "user", "card number", "subject2"):
        assert identifier_like.is_named(name)
    for name in ("paid", "grid", "customer_age", "town", "colour", "user_rating", "humid"):
        assert not identifier_like.is_named(name)
    assert identifier_like.is_code(pd.Series(rng.choice(SIX, 2000)))
    assert identifier_like.is_code(pd.Series(rng.choice(DIGITS17, 2000)))
    assert identifier_like.is_code(pd.Series(["A1", "B22"]))
    assert not identifier_like.is_code(pd.Series(10 * rng.choice(SIX // 10, 2000)))  # rounded: prices
    assert not identifier_like.is_code(pd.Series(rng.integers(18, 90, 2000)))
    assert not identifier_like.is_code(pd.Series(["town 1", "red"]))


@pytest.mark.slow
def test_the_key_is_written_with_how_to_undo_it_and_prepare_keeps_customers_whole():
    frame, number, left = customers(np.random.default_rng(1))
    frame.assign(customer_id=1000 + number, churn=left).to_csv("t.csv", index=False)
    said = start.initialize("t.csv", "churn", None, Path.cwd())
    assert 1 == sum(line.startswith("groups    customer_id: ") for line in said)
    text = Path("params.yaml").read_text()
    assert re.search(r"^  groups: customer_id  # null, if you predict further rows", text, re.MULTILINE)
    assert "customer_id" not in yaml.safe_load(text)["data"]["drop"]
    settings = load("params.yaml")
    assert [] == [one for one in findings.read(settings).findings if one.open]
    prepared = prepare_tables.prepare(settings)
    assert "customer_id" not in prepared.labeled.columns
    assert not {*prepared.roles.labeled["group"]} & {*prepared.roles.test["group"]}


def test_a_name_that_some_rows_lack_is_proposed_with_what_to_fill():
    frame, number, left = customers(np.random.default_rng(1))
    guests = np.random.default_rng(6).random(len(number)) < 0.1
    named = pd.Series([f"C{one}" for one in number]).where(~guests)
    found = profile.look(frame.assign(customer_id=named, churn=left), "churn")
    assert None is found.groups
    [line] = [one for one in found.findings if one.topic == "groups"]
    assert "care" == line.severity
    assert f"fill its {guests.sum()} gaps" in line.decide
