"""Shards whose gaps are not those of the labelled rows are of another population; half models are not asked then."""

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from heldout.splits.dependence import Dependence
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.outcome import other_population
from tasks.plans.read_design import read_design


def made(design, g_minus):
    """What is read of a result."""
    return SimpleNamespace(design=design, winner="bayes", target=lambda *_: [g_minus], controls=lambda _: "none")


@pytest.fixture
def looked(rows, settings_of_rows):
    """What is found where a share of the values of a column is there in the shard."""

    def look(share, weights=None):
        rng = np.random.default_rng(0)
        frame = rows.assign(fee=rng.normal(size=60))
        frame.to_csv("rows.csv", index=False)
        shard = frame.drop(columns="kind").sample(60, replace=True, random_state=0)
        shard.assign(fee=shard["fee"].where(rng.random(60) < share)).to_csv("shard.csv", index=False)
        settings = settings_of_rows("data.unlabeled=shard.csv")
        write_prepared(prepare(settings))
        design = SimpleNamespace(y=frame["kind"].to_numpy(), dependence=Dependence(), weights=weights)
        return other_population.look(settings, made(design, None))

    return look


@pytest.mark.parametrize("share", [0.0, 0.6])
def test_a_column_that_is_filled_for_the_labelled_rows_alone_is_named(looked, share):
    text = looked(share)["other_population"]
    assert text.startswith("the unlabelled rows differ from the labelled rows: fee is missing in ")
    assert "and in 0.0 % of the labelled rows, p " in text


def test_rows_with_weights_are_not_compared(looked):
    assert {} == looked(0.0, weights=np.ones(60))


@pytest.mark.parametrize("learner", [LinearSVC(), GaussianNB()], ids=["classes", "probabilities"])
def test_the_class_that_the_winner_gives_more_seldom_to_new_rows_is_named_with_both_means(
    checkout, settings_of_rows, learner
):
    x = np.random.default_rng(0).uniform(-2, 2, 300)
    frame = pd.DataFrame({"x": x, "kind": np.where(x < 0, "lost", "won")})
    frame.to_csv("rows.csv", index=False)
    frame.loc[x > 0, ["x"]].to_csv("shard.csv", index=False)
    settings = settings_of_rows("data.unlabeled=shard.csv")
    write_prepared(prepare(settings))
    validation = made(read_design(settings), learner.fit(frame[["x"]], frame["kind"]))
    text = other_population.look(settings, validation)["other_population"]
    what, name, new, old = re.fullmatch(
        r"the unlabelled rows differ from the labelled rows: the winner's (share|probability) of (\w+) "
        r"is (\S+) on average against (\S+), p .*",
        text,
    ).groups()
    assert (("share" if isinstance(learner, LinearSVC) else "probability"), "lost") == (what, name)
    assert float(new) < 0.15
    assert 0.3 < float(old) < 0.7
