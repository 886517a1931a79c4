"""The controls of labelled and unlabelled rows, as workers store them, and what `select` makes of them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB

from heldout.fits.specs import hypothesis_key
from heldout.running.stored_fits import Finished
from heldout.unlabelled.half_model_controls import NO_ROWS, Controls
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.fits import controls
from tasks.plans.read_design import read_design
from tasks.storage import files, fit_cache

REPEATS = 13  # a block of 10 and one of 3
ROWS = pd.DataFrame({"id": range(70), "x": np.random.default_rng(8).normal(size=70)})


class Fails(GaussianNB):
    """Answers the rows that it was trained on alone."""

    def predict(self, X):
        raise ValueError("no")

    predict_proba = predict


def in_this_process(settings, what, todo, reused, **_):
    """In place of the workers."""
    assert what == "controls"
    return [work.function(*work.arguments) for work in todo]


@pytest.fixture
def settings(rows, settings_of_rows, monkeypatch):
    """Prepared rows, of which the half models are made by `left`; the tasks run in this process."""
    monkeypatch.setattr(controls, "run_all", in_this_process)
    settings = settings_of_rows(f"covalidation.repeats={REPEATS}")
    write_prepared(prepare(settings))
    return settings


def shards(*sizes):
    """The rows without labels, in files of these sizes."""
    for path in files.shards():
        path.unlink()
    for number, places in enumerate(np.split(np.arange(70), np.cumsum(sizes)[:-1])):
        ROWS.iloc[places].reset_index(drop=True).to_parquet(files.UNLABELED / f"shard-{number:05d}.parquet")


def left(settings, learner, first=0):
    """What the fits leave: the half models in the store, and their keys."""
    design, (X, y) = read_design(settings), files.read_table(files.LABELED)
    keys = [f"{first + number:064x}" for number in range(2 * REPEATS)]
    models = [type(learner)().fit(X.iloc[of.train], y[of.train]) for of in design.splits("covalidation")]
    for key, model in zip(keys, models, strict=True):
        fit_cache.store.save(hypothesis_key(key), model)
    return Finished(tuple(keys), (), ()), models


def control_all(settings, halves):
    return controls.control_all(settings, read_design(settings), halves)


def test_the_controls_are_those_of_all_rows_whatever_the_files_blocks_and_tasks_are(settings, monkeypatch):
    (bayes, of_bayes), (ridge, of_ridge) = left(settings, GaussianNB()), left(settings, RidgeClassifier(), 100)
    design, (X, y) = read_design(settings), files.read_table(files.LABELED)
    for sizes, answers_a_task in (((70,), 500_000), ((11, 40, 19), 1)):
        shards(*sizes)
        monkeypatch.setattr(controls, "_ANSWERS_A_TASK", answers_a_task)
        every = control_all(settings, {"bayes": bayes, "ridge": ridge})
        assert ["bayes", "ridge"] == [*every]
        for name, models in (("bayes", of_bayes), ("ridge", of_ridge)):
            expected = Controls.of(models, X, ROWS, design.halves, np.unique(y))
            found = every[name]
            assert found.labeled == pytest.approx(expected.labeled, abs=1e-12)
            assert found.unlabeled == pytest.approx(expected.unlabeled, abs=1e-12)


def test_added_repeats_leave_the_earlier_blocks_alone_and_what_is_stored_is_not_made_again(settings, monkeypatch):
    shards(70)
    bayes, asked = left(settings, GaussianNB())[0], []

    def recorded(*given):
        asked.extend(work.name for work in given[2])
        return in_this_process(*given)

    monkeypatch.setattr(controls, "run_all", recorded)
    control_all(settings, {"bayes": Finished(bayes.keys[:20], (), ())})
    before = control_all(settings, {"bayes": bayes})["bayes"]
    assert ["repeats 1-10 · controls · bayes", "repeats 11-13 · controls · bayes"] == asked
    again = control_all(settings, {"bayes": bayes})["bayes"]
    assert before.unlabeled.tolist() == again.unlabeled.tolist()
    assert 2 == len(asked)
    shards(69, 1)
    control_all(settings, {"bayes": bayes})
    assert ["repeats 1-13 · controls · bayes"] == asked[2:]


def test_no_more_unlabelled_rows_are_asked_than_the_labelled_rows_call_for(settings, monkeypatch):
    bayes, models = left(settings, GaussianNB())
    design, X = read_design(settings), files.read_table(files.LABELED)[0]
    shards(10, 20, 40)
    files.shards()[2].write_bytes(b"is not read")
    for module in ("controls", "worker"):
        monkeypatch.setattr(f"tasks.fits.{module}.most_rows", lambda labelled: 20)
    found = control_all(settings, {"bayes": bayes})["bayes"]
    expected = Controls.of(models, X, ROWS[:20], design.halves, np.unique(design.y))
    assert found.unlabeled == pytest.approx(expected.unlabeled, abs=1e-12)


def test_half_models_that_do_not_answer_are_a_reason_and_no_failure(settings, caplog):
    shards(70)
    halves = {"bayes": left(settings, GaussianNB())[0], "fails": left(settings, Fails(), 100)[0]}
    found = control_all(settings, halves)
    assert isinstance(found["bayes"], Controls)
    assert controls.NO_ANSWER == found["fails"]
    assert "fails: " in caplog.text


def test_without_unlabelled_rows_nothing_is_asked(settings):
    assert {"bayes": NO_ROWS} == control_all(settings, {"bayes": Finished(("key",), (), ())})
    assert {} == control_all(settings, {})
