"""The error of the champion on rows that are new to it: which rows, as which mean, with which interval."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier

from heldout.intervals import confidence_sequence
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.outcome.champion_error import champion_error
from tasks.outcome.new_rows import KnownRows
from tasks.plans.all_labeled import read_all_labeled
from tasks.storage import files
from tasks.storage.row_ids import read_row_ids

NOBODY = KnownRows(np.empty(0, np.uint64))
RNG = np.random.default_rng(0)
TABLE = pd.DataFrame({"x": RNG.normal(size=240), "visit": RNG.integers(0, 40, 240)})
TABLE["kind"] = np.where(TABLE["x"] + RNG.normal(size=240) > 0, "won", "lost")
TABLE["amount"] = TABLE["x"] + RNG.normal(size=240)
TABLE["heavy"] = np.linspace(4, 0.1, 240)


@pytest.fixture
def night(checkout, settings_of_rows):
    """A function that prepares the first rows of the table, half of them tested, and returns the settings."""

    def make(rows: int, target: str, *changes: str):
        other = {"kind": "amount", "amount": "kind"}[target]
        drop = [other] if "data.groups=visit" in changes else [other, "visit"]
        drop = drop if "data.weight=heavy" in changes else [*drop, "heavy"]
        TABLE[:rows].drop(columns=drop).to_csv("rows.csv", index=False)
        settings = settings_of_rows(f"data.target={target}", "split.test_fraction=0.5", *changes)
        write_prepared(prepare(settings))
        return settings

    return make


def of(settings, hypothesis, seen=NOBODY):
    return champion_error(settings, "7", hypothesis, seen, read_all_labeled(settings))


def test_rows_that_it_knows_do_not_count_and_the_interval_is_that_of_the_sequence(night):
    settings = night(120, "kind")
    tree = DecisionTreeClassifier(max_depth=2).fit(*files.read_table(files.LABELED))
    known = KnownRows(read_row_ids().words())  # all rows of that night
    assert of(settings, tree, known) is None
    settings = night(240, "kind")
    X, y = files.read_table(files.TEST)
    new = ~known.rows(read_row_ids("test"))
    wrong = (tree.predict(X) != y)[new].astype(float)
    found = of(settings, tree, known)
    assert (found.rows, found.value) == (new.sum(), pytest.approx(wrong.mean()))
    low, high = confidence_sequence.band(wrong, 0.95, errors=True)
    assert (found.low, found.high) == pytest.approx((low[-1], high[-1]))
    shown = f"{100 * found.value:.1f} [{100 * found.low:.1f}–{100 * found.high:.1f}] %: version 7 on {new.sum()} rows"
    assert found.sentence(read_all_labeled(settings).loss).startswith(shown)
    assert {"E_champion", "E_champion_low", "E_champion_high", "E_champion_rows"} == {*found.numbers()}


def test_a_group_is_one_observation(night):
    settings = night(240, "kind", "data.groups=visit")
    tree = DecisionTreeClassifier(max_depth=2).fit(*files.read_table(files.LABELED))
    X, y = files.read_table(files.TEST)
    wrong = pd.Series(tree.predict(X) != y, dtype=float).groupby(read_row_ids("test").of_units).mean()
    found = of(settings, tree)
    assert (found.rows, found.unit, found.value) == (len(wrong), "groups", pytest.approx(wrong.mean()))


@pytest.mark.parametrize("changes", [(), ("data.groups=visit",)])
def test_rows_count_by_their_weights_and_without_an_interval_in_every_night(night, changes):
    settings = night(240, "kind", "data.weight=heavy", *changes)
    tree = DecisionTreeClassifier(max_depth=2).fit(*files.read_table(files.LABELED))
    X, y = files.read_table(files.TEST)
    lines = pd.DataFrame({"wrong": tree.predict(X) != y, "w": files.read_test_roles()["weight"], "one": 1.0})
    units = read_row_ids("test").of_units if changes else np.arange(len(y))
    of_units = lines.assign(wl=lines["w"] * lines["wrong"]).groupby(units).sum()
    # a unit is one observation, of the mean weight of its rows
    expected = np.average(of_units["wl"] / of_units["w"], weights=of_units["w"] / of_units["one"])
    found = of(settings, tree)
    assert (found.rows, found.value) == (len(of_units), pytest.approx(expected))
    assert (None, None) == (found.low, found.high)
    assert "weights" in found.sentence(read_all_labeled(settings).loss)


def test_without_a_limit_of_the_loss_no_interval_is_claimed(night):
    settings = night(240, "amount")
    line = LinearRegression().fit(*files.read_table(files.LABELED))
    X, y = files.read_table(files.TEST)
    found = of(settings, line)
    assert (found.value, found.low, found.high) == (pytest.approx(np.mean((line.predict(X) - y) ** 2)), None, None)
    assert "RMSE" in (said := found.sentence(read_all_labeled(settings).loss))
    assert "state it as loss_max" in said
    assert {"E_champion", "E_champion_rows"} == {*found.numbers()}
    limited = of(night(240, "amount", "loss_max=100"), line)
    assert limited.low < limited.value < limited.high
