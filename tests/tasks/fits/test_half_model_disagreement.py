"""Disagreement of the half models on a shard, as a worker stores it, and over all shards."""

import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

from heldout.fits.specs import CompareSpec, hypothesis_key
from heldout.losses import SQUARED, ZERO_ONE
from heldout.running.stored_fits import Finished
from tasks.fits import half_model_disagreement
from tasks.fits.worker import disagree
from tasks.plans import shard_batches
from tasks.plans.units import HalfPairs
from tasks.storage import files, fit_cache

SHARDS = [Path("shard-00000.parquet"), Path("shard-00001.parquet"), Path("shard-00002.parquet")]
KEYS = [f"{number:064x}" for number in range(6)]
RESULT = CompareSpec(tuple(KEYS), "rows")
LABELS = np.random.default_rng(3).choice(["won", "lost"], size=(6, 20))


class Says(BaseEstimator):
    """Predicts what it was told to."""

    def __init__(self, words):
        self.words = words

    def predict(self, X):
        return np.asarray(self.words)[X["id"]]


def left(predictions, keys=KEYS) -> None:
    """What the fits leave: hypotheses, two a repeat; and shards of 11, 1 and 8 rows in another order."""
    for key, words in zip(keys, predictions, strict=True):
        fit_cache.store.save(hypothesis_key(key), Says(words))
    for path, ids in zip(SHARDS, np.split(np.arange(20)[::-1], [11, 12]), strict=True):
        pd.DataFrame({"id": ids}).to_parquet(path)


def compared(settings, loss, shards=SHARDS):
    """What a worker answers for the pairs of `KEYS` on the shards."""
    return disagree(settings, shards, [HalfPairs(0, RESULT)], loss)


def apart(predictions, loss) -> np.ndarray:
    """How far the two hypotheses of each repeat are apart on each row, rows in the order of their id."""
    one, other = np.asarray(predictions[::2]), np.asarray(predictions[1::2])
    return (one != other).astype(float) if loss is ZERO_ONE else (one - other) ** 2


class Spoils(Says):
    """The same, and leaves other rows behind than it was given."""

    def predict(self, X):
        said = super().predict(X)
        X["id"] = 0
        return said


def test_a_batch_of_shards_is_read_once_for_all_candidates_and_again_when_it_changed(settings_with, monkeypatch):
    asked, read_shard = [], files.read_shard
    monkeypatch.setattr(files, "read_shard", lambda path: (asked.append(path), read_shard(path))[1])
    left(LABELS)
    found = []
    for kind in (Says, Spoils, Says):
        for key, words in zip(KEYS, LABELS, strict=True):
            fit_cache.store.save(hypothesis_key(key), kind(words))
        assert compared(settings_with(), ZERO_ONE) is None
        found.append([part.tolist() for part in fit_cache.store.load(RESULT.key)])
    paths = [path.absolute() for path in SHARDS]
    assert paths == asked
    assert found[0] == found[2]
    pd.DataFrame({"id": [5] * 11}).to_parquet(SHARDS[0])
    os.utime(SHARDS[0], (0, 0))
    assert compared(settings_with(), ZERO_ONE) is None
    assert found[0] != [part.tolist() for part in fit_cache.store.load(RESULT.key)]
    assert 2 * paths == asked


@pytest.mark.parametrize(
    ("loss", "predictions"), [(ZERO_ONE, LABELS), (SQUARED, np.arange(120.0).reshape(6, 20) ** 1.5)]
)
def test_what_is_stored_are_the_mean_of_each_repeat_and_the_sum_of_each_row(settings_with, loss, predictions):
    left(predictions)
    assert compared(settings_with(), loss) is None
    means, sums = fit_cache.store.load(RESULT.key)
    table = apart(predictions, loss)[:, ::-1]
    assert (3, 3) == means.shape
    for place, rows in enumerate((slice(0, 11), slice(11, 12), slice(12, 20))):
        assert table[:, rows].mean(axis=1).tolist() == pytest.approx(means[:, place].tolist(), rel=1e-12)
    assert table.sum(axis=0).tolist() == pytest.approx(sums.tolist(), rel=1e-12)
    assert compared(settings_with(), loss, SHARDS[1:2]) is None
    alone = fit_cache.store.load(RESULT.key)
    assert (means[:, 1].tolist(), sums[11:12].tolist()) == (alone[0][:, 0].tolist(), alone[1].tolist())


def test_hypotheses_that_agree_everywhere_or_nowhere(settings_with):
    ones, zeros = np.ones(20), np.zeros(20)
    left([ones, ones, ones, zeros, zeros, zeros])
    compared(settings_with(), ZERO_ONE)
    assert [[0.0] * 3, [1.0] * 3, [0.0] * 3] == fit_cache.store.load(RESULT.key)[0].tolist()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (np.ones(10), "shard-00000.parquet: IndexError: .+"),
        # rows 0 to 8 are in the last one
        (np.where(np.arange(20) == 8, np.nan, 1.0), "shard-00001.parquet: the prediction number 0 is not finite"),
        (np.where(np.arange(20) == 3, np.nan, 1.0), "shard-00002.parquet: the prediction number 4 is not finite"),
        (np.ones((20, 2)), r"shard-00000.parquet: the predictions have shape \(11, 2\), not \(11,\)"),
    ],
)
def test_a_hypothesis_that_cannot_predict_is_a_reason_and_stores_nothing(settings_with, words, reason):
    left([*np.ones((5, 20)), words])
    found = compared(settings_with(), ZERO_ONE)
    assert re.fullmatch(reason, found)
    assert not fit_cache.store.has(RESULT.key)


@pytest.fixture(params=[50_000, 8, 1], ids=["one batch", "two batches", "a batch a shard"])
def over_shards(prepared, settings_of_rows, request, monkeypatch):
    """Disagreement of two candidates over shards of 7, 1 and 12 rows, in 13 repeats, as `disagree_all` gathers it.

    Every piece was finished before, in blocks as the tasks have them, so that no worker is needed.
    """
    settings, rng = prepared(), np.random.default_rng(8)
    monkeypatch.setattr(shard_batches, "_ROWS_A_BATCH", request.param)
    for number, ids in enumerate((range(7), [7], range(8, 20))):
        pd.DataFrame({"id": ids}).to_parquet(files.UNLABELED / f"shard-{number:05d}.parquet")
    halves, tables = {}, {}
    for place, name in enumerate(("second", "first")):
        keys = tuple(f"{100 * place + number:064x}" for number in range(26))
        words = rng.choice(["won", "lost", "drawn"], size=(26, 20), p=[0.7, 0.2, 0.1])
        left(words, keys)
        for batch in shard_batches.batches_of(files.shards()):
            pieces = shard_batches.pieces_of(keys, [files.file_hash(path) for path in batch.shards])
            assert disagree(settings, batch.shards, pieces, ZERO_ONE) is None
        halves[name], tables[name] = Finished(keys, (), ()), apart(words, ZERO_ONE)
    *found, failures = half_model_disagreement.disagree_all(settings, ZERO_ONE, halves)
    assert {} == failures
    return found, tables


TOGETHER = ["batches 1-3/3 of shards · repeats 1-13 · bayes"]
APART = [f"batch {number}/3 of shards · repeats {some} · bayes" for number in (1, 2, 3) for some in ("1-10", "11-13")]


@pytest.mark.parametrize(("answers_a_second", "labels"), [(1e6, TOGETHER), (1.0, APART)])
def test_short_comparisons_of_a_candidate_share_a_task_and_long_ones_have_their_own(
    prepared, settings_of_rows, monkeypatch, answers_a_second, labels
):
    settings = prepared("candidates=[{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}]")
    monkeypatch.setattr(shard_batches, "_ROWS_A_BATCH", 1)
    monkeypatch.setattr(half_model_disagreement, "_ANSWERS_A_SECOND", answers_a_second)
    asked = []

    def run_all(_, _what, todo, reused):
        asked.append((reused, [task.name for task in todo]))
        return [task.function(*task.arguments) for task in todo]

    monkeypatch.setattr(half_model_disagreement, "run_all", run_all)
    keys = [f"{number:064x}" for number in range(26)]
    words = np.random.default_rng(8).choice(["won", "lost"], size=(26, 20))
    left(words, keys)
    for path in SHARDS:
        path.rename(files.UNLABELED / path.name)
    halves = {"bayes": Finished(tuple(keys), (), ())}
    found, _, failures = half_model_disagreement.disagree_all(settings, ZERO_ONE, halves)
    assert {} == failures
    expected = [apart(words, ZERO_ONE)[:, ids].mean(axis=1) for ids in np.split(np.arange(20)[::-1], [11, 12])]
    assert np.stack(expected, axis=1) == pytest.approx(found["bayes"].by_repeat)
    again, *_ = half_model_disagreement.disagree_all(settings, ZERO_ONE, halves)
    assert [(0, labels), (len(labels), [])] == asked
    assert found["bayes"].by_repeat.tolist() == again["bayes"].by_repeat.tolist()


def test_each_shard_has_the_mean_of_each_repeat_and_the_moments_of_its_rows_over_all(over_shards):
    (margins, _), tables = over_shards
    assert ["second", "first"] == [*margins]
    for name, table in tables.items():
        for shard, ids in enumerate((np.arange(7), np.array([7]), np.arange(8, 20))):
            found, of_rows = margins[name], table.mean(axis=0)[ids]
            assert len(ids) == found.rows[shard]
            assert table[:, ids].mean(axis=1) == pytest.approx(found.by_repeat[:, shard])
            moments = found.means[shard], found.variances[shard]
            assert (of_rows.mean(), of_rows.var()) == pytest.approx(moments, abs=1e-12)


def test_the_rows_with_the_largest_disagreement_are_kept_whatever_the_batches(over_shards):
    (_, lines), tables = over_shards
    for name, table in tables.items():
        means = table.mean(axis=0)
        order = [id for id in np.argsort(-means, kind="stable") if means[id] > 0]
        own = lines[lines["candidate"] == name]
        assert [(0, id) if id < 7 else (1, 0) if id == 7 else (2, id - 8) for id in order] == [
            *own[["shard", "row"]].itertuples(index=False, name=None)
        ]
        assert means[order].tolist() == pytest.approx(own["disagreement"].tolist(), rel=1e-12)


def test_of_many_rows_the_first_hundred_are_kept(over_shards, monkeypatch, settings_of_rows):
    (_, lines), _ = over_shards
    monkeypatch.setattr(half_model_disagreement, "MOST_ROWS", 3)
    halves = {"second": Finished(tuple(f"{number:064x}" for number in range(26)), (), ())}
    _, again, _ = half_model_disagreement.disagree_all(settings_of_rows(), ZERO_ONE, halves)
    assert lines[lines["candidate"] == "second"].head(3).equals(again)


def test_without_a_shard_nothing_is_said(prepared):
    halves = {"bayes": Finished(tuple(KEYS), (), ())}
    margins, largest, failures = half_model_disagreement.disagree_all(prepared(), ZERO_ONE, halves)
    assert ({}, 0, {}) == (margins, len(largest), failures)
    assert ["candidate", "shard", "row", "disagreement"] == [*largest]


class Unreadable(Says):
    """Can be stored, but not read again."""

    def __setstate__(self, state):
        raise EOFError("read me not")


@pytest.mark.fault("learner")
def test_a_half_model_that_cannot_be_read_again_is_a_reason(settings_with):
    left(LABELS)
    fit_cache.store.save(hypothesis_key(KEYS[3]), Unreadable([]))
    assert "read again: EOFError: read me not" in compared(settings_with(), ZERO_ONE)
