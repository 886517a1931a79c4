"""Disagreement of the half models on one shard, as a worker computes and stores it."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

from tasks import cache
from tasks.disagreement import disagree
from tasks.fit import hypothesis_key

SHARD = Path("shard-00000.parquet")
KEYS = [f"{number:064x}" for number in range(6)]
LABELS = np.random.default_rng(3).choice(["won", "lost"], size=(6, 20))


class Says(BaseEstimator):
    """Predicts what it was told to."""

    def __init__(self, words):
        self.words = words

    def predict(self, X):
        return np.asarray(self.words)[X["id"]]


def left(predictions) -> None:
    """What the fits leave: six hypotheses, two a repeat; and a shard with the rows in another order."""
    for key, words in zip(KEYS, predictions, strict=True):
        cache.save(hypothesis_key(key), Says(words))
    pd.DataFrame({"id": np.arange(20)[::-1]}).to_parquet(SHARD)


@pytest.mark.parametrize(
    ("loss", "predictions"), [("zero_one", LABELS), ("squared", np.arange(120.0).reshape(6, 20) ** 1.5)]
)
def test_each_repeat_has_the_mean_over_the_rows_of_its_two_hypotheses(settings_with, loss, predictions):
    left(predictions)
    assert disagree(settings_with(), "a", KEYS, SHARD, "result", loss) is None
    means, rows = cache.load("result")
    for repeat in range(3):
        one, other = predictions[2 * repeat], predictions[2 * repeat + 1]
        expected = np.mean(one != other) if loss == "zero_one" else np.mean((one - other) ** 2)
        assert expected == pytest.approx(means[repeat], rel=1e-12)
    assert (20, 3) == (rows, len(means))


def test_hypotheses_that_agree_everywhere_or_nowhere(settings_with):
    ones, zeros = np.ones(20), np.zeros(20)
    left([ones, ones, ones, zeros, zeros, zeros])
    disagree(settings_with(), "a", KEYS, SHARD, "result", "zero_one")
    assert [0.0, 1.0, 0.0] == cache.load("result")[0].tolist()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (np.ones(10), "shard-00000.parquet: IndexError: .+"),
        (np.full(20, np.nan), "shard-00000.parquet: the prediction number 0 is not finite"),
        (np.ones((20, 1)), r"shard-00000.parquet: the predictions have shape \(20, 1\), not \(20,\)"),
    ],
)
def test_a_hypothesis_that_cannot_predict_is_a_reason_and_stores_nothing(settings_with, words, reason):
    left([*np.ones((5, 20)), words])
    found = disagree(settings_with(), "a", KEYS, SHARD, "result", "zero_one")
    assert re.fullmatch(reason, found)
    assert not cache.has("result")
