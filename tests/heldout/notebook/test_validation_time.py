"""`validate` with a time: no hypothesis is tested on rows before its training rows; recomputed by plain loops."""

import datetime
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.errors import BadArgument

CANDIDATES = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=3, random_state=0)}
RNG = np.random.default_rng(3)
N = 160
TIME = RNG.permutation(np.arange(N) // 2)  # two rows a day, in no order
X = RNG.normal(size=(N, 2)) + TIME[:, None] / N
Y = (X[:, 0] + RNG.normal(size=N) > 0.5).astype(int)
SETTINGS = {"folds": 5, "repeats": 3, "block": 4, "seed": 1, "progress": False}


@pytest.fixture(scope="module", params=[0, 6])
def found(request):
    made = heldout.validate(CANDIDATES, X, Y, time=TIME, gap=request.param, unlabeled=X[:20], **SETTINGS)
    return made, request.param


@pytest.mark.parametrize("scheme", ["holdout", "cross_validation", "progressive"])
def test_every_split_trains_on_earlier_rows_alone_and_leaves_the_gap_out(found, scheme):
    made, gap = found
    for split in made.design.splits(scheme):
        assert TIME[split.train].max() < TIME[split.validation].min()
        between = (TIME > TIME[split.train].max()) & (TIME < TIME[split.validation].min())
        assert between.sum() >= gap


@pytest.mark.parametrize("name", CANDIDATES)
def test_the_estimates_are_those_of_plain_loops(found, name):
    made, _ = found
    for estimate, scheme in (("E_val", "holdout"), ("E_cv", "cross_validation"), ("E_prog", "progressive")):
        wrong = [
            clone(CANDIDATES[name]).fit(X[split.train], Y[split.train]).predict(X[split.validation])
            != Y[split.validation]
            for split in made.design.splits(scheme)
        ]
        assert made[name][estimate].value == pytest.approx(np.concatenate(wrong).mean(), abs=1e-12)


def test_what_would_look_ahead_is_not_computed_and_every_question_is_answered_or_refused(found):
    made, _ = found
    assert not {"E_2cv", "E_bbc", "E_boot"} & {record.estimate for record in made.estimates}
    assert "disagreement" in made["bayes"]
    assert made.select().selected in CANDIDATES
    assert "independent groups" not in str(made)
    assert made.decide().advice
    with pytest.raises(BadArgument, match="E_2cv was not computed|rows come in time|time"):
        made.more_rows()
    with pytest.raises(BadArgument):
        made.bound()
    for estimate in ("E_cv", "E_val"):
        assert "independent examples" not in (made["bayes"][estimate].assumption or "")


@pytest.mark.parametrize(
    "kind",
    [
        lambda days: days.astype(float) / 7,
        lambda days: np.datetime64("2020-01-01") + days.astype("timedelta64[D]"),
        lambda days: pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(days, unit="D")),
        lambda days: [datetime.date(2020, 1, 1) + datetime.timedelta(int(day)) for day in days],
        lambda days: 12345678901234567 + days,
    ],
    ids=["floats", "datetime64", "pandas", "dates", "17 digits"],
)
def test_times_are_numbers_or_dates(kind):
    wanted = {"estimates": ["E_val", "E_cv"], **SETTINGS}
    assert heldout.validate(CANDIDATES, X, Y, time=kind(TIME), **wanted) == heldout.validate(
        CANDIDATES, X, Y, time=TIME, **wanted
    )


def test_numbers_and_groups_too():
    groups = np.arange(N) // 4
    order = np.argsort(TIME, kind="stable")
    made = heldout.validate(
        {"line": LinearRegression()},
        X[order],
        X[order, 0],
        time=TIME[order],
        groups=groups,
        estimates=["E_cv"],
        folds=4,
    )
    for split in made.design.splits("cross_validation"):
        assert not {*groups[split.train]} & {*groups[split.validation]}
        assert TIME[order][split.train].max() < TIME[order][split.validation].min()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"time": TIME[:5]}, "time has shape (5,); it must be (160,)"),
        ({"time": np.where(TIME > 3, TIME, np.nan)}, "time is missing or infinite"),
        ({"time": ["monday"] * N}, "it must hold numbers or dates"),
        ({"time": [None, *range(N - 1)]}, "it must hold numbers or dates"),
        ({"time": np.full(N, np.datetime64("NaT"))}, "time is missing"),
        ({"time": np.ones(N)}, "time has the single value 1.0"),
        ({"gap": 3}, "gap is 3, but rows have no time"),
        ({"time": TIME, "gap": -1}, "gap is -1; it must be a whole number of at least 0"),
        ({"time": TIME, "gap": N}, f"gap is {N}"),
        ({"time": TIME, "estimates": ["E_2cv"]}, "estimates has 'E_2cv', which would train on later rows"),
    ],
)
def test_times_that_cannot_be_used_are_refused(arguments, message):
    with pytest.raises(BadArgument, match=re.escape(message)):
        heldout.validate(CANDIDATES, X, Y, **{**SETTINGS, **arguments})
