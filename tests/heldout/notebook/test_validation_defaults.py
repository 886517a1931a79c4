"""What `heldout.validate` does unless told otherwise: loss, blocks, rare classes, threads, and the bar of the fits."""

import os
import pty
import sys
import termios
import time
import warnings
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_info, threadpool_limits

import heldout
from heldout.errors import BadArgument, FitFailure, PartsWarning

RNG = np.random.default_rng(0)
X = RNG.normal(size=(600, 3))
ALONE = {"E_cv": "Bayle within folds"}


class Watching(ClassifierMixin, BaseEstimator):
    """Predicts the first class, after it noted the threads of the libraries, waited, or failed."""

    threads: ClassVar[list[int]] = []

    def __init__(self, seconds=0.0, fails=False):
        self.seconds, self.fails = seconds, fails

    def fit(self, X, y):
        Watching.threads += [library["num_threads"] for library in threadpool_info()]
        time.sleep(self.seconds)
        if self.fails:
            raise ValueError("no")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.repeat(self.classes_[:1], len(X))


# --- the loss follows the labels


@pytest.mark.parametrize(
    ("labels", "loss"),
    [
        (["ill", "well"], "zero_one"),
        ([True, False], "zero_one"),
        ([1, 2, 3], "zero_one"),
        ([1.0, 2.0], "zero_one"),
        (range(21), "squared"),
        ([0.5, 1.5], "squared"),
        (pd.array([1, 2], dtype="Int64"), "zero_one"),
        (pd.array([True, False], dtype="boolean"), "zero_one"),
        (np.array([1, 2], dtype=object), "zero_one"),
        (np.array([0.5, 2.5], dtype=object), "squared"),
        (pd.array(["ill", "well"], dtype="string[pyarrow]"), "zero_one"),
        (pd.array([0.5, 2.5], dtype="double[pyarrow]"), "squared"),
    ],
    ids=str,
)
def test_the_loss_follows_the_labels(labels, loss):
    y = pd.Series(labels).iloc[np.arange(84) % len(labels)]
    learner = DummyClassifier() if loss == "zero_one" else DummyRegressor()
    how = {"folds": 4, "block": 20, "repeats": 1, "intervals": ALONE}
    found, wanted = (heldout.validate({"a": learner}, X[:84], y, **how, **more) for more in ({}, {"loss": loss}))
    assert found.estimates == wanted.estimates


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT], ids=str)
def test_a_missing_label_or_group_of_any_kind_is_refused(missing):
    some = pd.Series(["a", missing] * 20, dtype=object)
    for name, arguments in (("y", (some,)), ("groups", (np.arange(40) % 2,))):
        with pytest.raises(BadArgument, match="missing") as caught:
            heldout.validate({"a": Watching()}, X[:40], *arguments, groups=some if name == "groups" else None)
        assert name == caught.value.argument


# --- progressive validation of 600 rows takes eight fits, not three hundred


def test_blocks_grow_with_the_rows_trained_on():
    found = heldout.validate({"a": GaussianNB()}, X, X[:, 0] > 0, estimates=["E_prog"])
    assert 8 == len(found.target("a", "E_prog"))  # 300 rows more, each block a tenth of those before: 1.1 ** 8 = 2.14
    assert (
        found.estimates
        == heldout.validate(
            {"a": GaussianNB()}, X, X[:, 0] > 0, estimates=["E_prog"], block="auto", shortcuts="off"
        ).estimates
    )
    (record,) = found.estimates
    assert "block" in record.target


# --- classes too rare for the defaults


@pytest.mark.parametrize(
    ("rows", "same_as"),
    [
        ([91, 9], {"folds": 5, "stratify": True}),
        ([95, 5], {"folds": 5, "stratify": True}),
        ([96, 4], {"folds": 10, "stratify": False}),
    ],
)
def test_a_rare_class_gets_fewer_folds_or_parts_without_shares_and_a_warning_says_so(rows, same_as):
    y = np.repeat(["a", "rare"], rows)
    how = {"estimates": ["E_val", "E_cv", "E_prog", "E_2cv"], "repeats": 2, "intervals": ALONE, "block": 20}
    learner = {"tree": DecisionTreeClassifier(max_depth=2)}
    with pytest.warns(PartsWarning, match=rf"'rare' of y has {rows[-1]} row.* 10 folds.* {same_as['folds']} folds"):
        found = heldout.validate(learner, X[:100], y, **how)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what is asked for by name is done
        assert found.estimates == heldout.validate(learner, X[:100], y, **how, **same_as).estimates
    assert same_as["folds"] == len(found.target("tree", "E_cv"))


def test_stratify_gives_each_class_its_share_of_each_part_or_leaves_it_to_chance():
    y = np.repeat(["a", "b"], [90, 10])

    def shares(stratify) -> set[float]:
        how = {"estimates": ["E_val"], "stratify": stratify}
        return {
            heldout.validate({"a": Watching()}, X[:100], y, seed=seed, **how).estimates[0].value for seed in range(5)
        }

    assert {0.1} == shares(None) == shares(True)
    assert len(shares(False)) > 1


@pytest.mark.parametrize("rarest", [1, 9])
def test_more_than_two_classes_have_plain_parts_unless_shares_are_asked_for(rarest):
    y = np.repeat(["a", "b", "rare"], [50, 50 - rarest, rarest])
    how = {"estimates": ["E_val", "E_cv", "E_prog", "E_2cv"], "repeats": 2, "intervals": ALONE, "block": 20}
    learner = {"tree": DecisionTreeClassifier(max_depth=2)}

    def estimates(**more):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", PartsWarning)
            found = heldout.validate(learner, X[:100], y, **how, **more)
        return found.estimates, [str(warning.message) for warning in caught]

    plain, said = estimates()
    assert plain == estimates(stratify=False)[0]
    assert len(said) == (rarest == 1)  # ten folds of nine rows need no warning: each class is in the training rows
    assert all("'rare'" in message and "single row" in message for message in said)
    if rarest > 1:
        assert plain != estimates(stratify=True, folds=5)[0]


@pytest.mark.parametrize(("rows", "warned"), [(399, True), (402, False)])
def test_stratified_parts_of_many_classes_in_few_rows_give_a_warning(rows, warned):
    y = np.arange(rows) % 3  # 3 / sqrt(400) = 0.15
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PartsWarning)
        heldout.validate({"a": Watching()}, X[:rows], y, estimates=["E_val"], stratify=True)
        heldout.validate({"a": Watching()}, X[:rows], y, estimates=["E_val"])
    said = [str(warning.message) for warning in caught if warning.category is PartsWarning]
    assert warned == len(said)
    assert all(word in message for message in said for word in ("3 classes", "399 rows", "0.15", "stratify"))


# --- threads


def test_each_fit_has_one_thread_and_the_caller_has_his_own_again_also_after_a_failure():
    y = X[:40, 0] > 0
    with threadpool_limits(2):
        before = [library["num_threads"] for library in threadpool_info()]
        assert 2 in before
        for learner in (Watching(), Watching(fails=True)):
            Watching.threads = []
            try:
                heldout.validate({"a": learner}, X[:40], y, estimates=["E_in", "E_cv"], folds=2, intervals=ALONE)
            except FitFailure:
                assert learner.fails
            assert {1} == {*Watching.threads}
            assert before == [library["num_threads"] for library in threadpool_info()]


# --- the bar


@pytest.mark.parametrize("progress", [True, False])
def test_a_run_of_more_than_a_second_shows_its_fits_in_a_terminal_and_a_short_one_nothing(progress, monkeypatch):
    y, how = X[:40, 0] > 0, {"estimates": ["E_cv"], "folds": 4, "intervals": ALONE, "progress": progress}
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(ours, (24, 80))
    with os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        for learner in ({"short": Watching()}, {"slow": Watching(0.4)}):
            heldout.validate(learner, X[:40], y, **how)
            print("|", file=terminal, flush=True)
        shown = ""
        while shown.count("|") < 2:
            shown += os.read(ours, 10_000).decode()
    os.close(ours)
    before, after, _ = shown.split("|")
    assert "" == before
    assert progress == ("slow" in after and " of 4 fits" in after)  # the last count may be gone before it is drawn


def test_nothing_is_shown_where_stderr_is_no_terminal(capsys):
    heldout.validate({"a": Watching(0.55)}, X[:40], X[:40, 0] > 0, estimates=["E_cv"], folds=2, intervals=ALONE)
    assert ("", "") == capsys.readouterr()
