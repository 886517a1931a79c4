"""models/selected.skops: the same model has the same bytes in every process, and predicts as it did."""

import io
import os
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import skops.io
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from tasks.runtime.errors import UserError
from tasks.storage import model_file

X, y = load_digits(return_X_y=True)
y = y == 1
TRAIN = slice(0, 120)

# forms of delivery and families, made in this process and in another one
WHOLES = """
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from heldout import KFoldHypothesis, ProgressiveHypothesis
from heldout.family import TunedEstimator

wholes = [
    KFoldHypothesis(DecisionTreeClassifier(), folds=3),
    KFoldHypothesis(make_pipeline(StandardScaler(), SGDClassifier()), folds=3, vote=True),
    ProgressiveHypothesis(GaussianNB(), block=20),
    TunedEstimator(SGDClassifier(random_state=0), "epochs", [1, 3]),
    KFoldHypothesis(make_pipeline(StandardScaler(), TunedEstimator(SGDClassifier(), "alpha", [0.1, 0.01])), folds=3),
]
"""
PROGRAM = f"""{WHOLES}
import pickle, skops.io, sys
from sklearn.datasets import load_digits
from tasks.storage.model_file import stable_bytes
from tasks.params import load

X, y = load_digits(return_X_y=True)
learners = [candidate.learner() for candidate in load(sys.argv[1]).candidates] + wholes
dumped = [skops.io.dumps(learner.fit(X[:120], y[:120] == 1)) for learner in learners]
sys.stdout.buffer.write(pickle.dumps([(data, stable_bytes(data)) for data in dumped]))
"""


def wholes() -> list:
    made: dict = {}
    exec(WHOLES, made)
    return made["wholes"]


@pytest.mark.slow
@pytest.mark.long
def test_two_fits_in_two_processes_have_the_same_bytes(shipped, settings_with):
    learners = [*(candidate.learner() for candidate in settings_with().candidates), *wholes()]
    with threadpool_limits(1):  # as in a worker
        here = [skops.io.dumps(learner.fit(X[TRAIN], y[TRAIN])) for learner in learners]
    environment = {"PYTHONPATH": str(shipped.parent), "PYTHONHASHSEED": "7", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", PROGRAM, str(shipped)]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, check=True)
    for one, (other, stable) in zip(here, pickle.loads(done.stdout), strict=True):
        assert one != other  # as skops leaves them: other ids, other names, another time
        assert model_file.stable_bytes(one) == stable


def test_no_address_of_stop_words_is_written():
    rows = ["red wine", "white wine", "red car"]
    fitted = [TfidfVectorizer(stop_words=["a", word]).fit(rows) for word in ("the", "the")]
    assert fitted[0]._stop_words_id != fitted[1]._stop_words_id
    one, other = (model_file.stable_bytes(skops.io.dumps(some)) for some in fitted)
    assert one == other
    loaded = skops.io.loads(one)
    assert np.array_equal(loaded.transform(rows).toarray(), fitted[0].transform(rows).toarray())
    assert loaded.fit(rows).vocabulary_ == fitted[0].vocabulary_


def test_no_time_is_written(settings_with):
    dumped = skops.io.dumps(settings_with().candidates[0].learner().fit(X, y))
    with zipfile.ZipFile(io.BytesIO(model_file.stable_bytes(dumped))) as archive:
        assert {(1980, 1, 1, 0, 0, 0)} == {member.date_time for member in archive.infolist()}


@pytest.mark.parametrize("number", range(13))
def test_a_model_that_was_saved_predicts_as_it_did(settings_with, number):
    learner = settings_with().candidates[number].learner() if number < 8 else wholes()[number - 8]
    model = learner.fit(X[TRAIN], y[TRAIN])
    path = Path("models/selected.skops")
    model_file.save(model, path)
    loaded = model_file.load(path)
    assert type(model) is type(loaded)
    assert repr(model) == repr(loaded)
    assert model.predict(X).tobytes() == loaded.predict(X).tobytes()
    assert [path] == list(path.parent.iterdir())


def test_skops_itself_reads_the_archive(settings_with):
    model = settings_with().candidates[6].learner().fit(X[TRAIN], y[TRAIN])
    data = model_file.stable_bytes(skops.io.dumps(model))
    loaded = skops.io.loads(data, trusted=skops.io.get_untrusted_types(data=data))
    assert model.predict(X).tobytes() == loaded.predict(X).tobytes()


def test_bytes_that_are_stable_stay_as_they_are(settings_with):
    for candidate in settings_with().candidates:
        stable = model_file.stable_bytes(skops.io.dumps(candidate.learner().fit(X[TRAIN], y[TRAIN])))
        assert stable == model_file.stable_bytes(stable)


@pytest.mark.parametrize(
    "first",
    [
        {"another": "object"},
        {},
    ],
)
def test_an_object_that_two_places_share_is_one_object_after_loading(first):
    shared, alike = np.arange(3.0), np.arange(3.0)
    dumped = skops.io.dumps({**first, "a": shared, "b": [shared, alike]})
    for data in (dumped, model_file.stable_bytes(dumped)):
        loaded = skops.io.loads(data)
        assert loaded["a"] is loaded["b"][0]
        assert loaded["a"] is not loaded["b"][1]
        assert [0.0, 1.0, 2.0] == loaded["b"][1].tolist()


def test_a_learner_may_hold_a_mapping_with_the_key_file():
    words = {"edit": 0, "file": 1}  # the vocabulary of a CountVectorizer, say
    assert words == skops.io.loads(model_file.stable_bytes(skops.io.dumps(words)))


def test_a_model_that_cannot_be_saved_leaves_the_one_before(settings_with):
    path = Path("models/selected.skops")
    model_file.save(settings_with().candidates[0].learner().fit(X, y), path)
    before = path.read_bytes()
    with pytest.raises(TypeError, match="generator"):
        model_file.save((number for number in range(3)), path)
    assert before == path.read_bytes()
    assert [path] == list(path.parent.iterdir())


def of_rows_that_are_sparse() -> SVC:
    """Its support vectors are an archive in the file."""
    rows = sparse.csr_matrix(np.eye(300))
    return SVC(kernel="linear").fit(rows, np.arange(300) % 2)


LARGE = {  # a model, and the limit as a share of what its members unpack to, each once
    "its description": (lambda: [[number] for number in range(300)], 0.5),
    "an array": (lambda: np.zeros(10_000), 0.5),
    "an array in many places": (lambda: [np.arange(1000.0)] * 20, 1.0),
    "an archive in the archive": (of_rows_that_are_sparse, 1.0),
}


@pytest.mark.fault("outside model")
@pytest.mark.parametrize(("made", "share"), LARGE.values(), ids=LARGE)
def test_a_file_that_unpacks_to_more_than_the_limit_is_refused_before_it_is_loaded(made, share, checkout, monkeypatch):
    """The limit is lowered below an ordinary file; each part counts as often as it is named, archives in it too."""
    path = checkout / "model.skops"
    path.write_bytes(skops.io.dumps(made()))
    model_file.load(path)
    with zipfile.ZipFile(path) as archive:
        most = int(share * sum(member.file_size for member in archive.infolist()))
    monkeypatch.setattr(model_file, "_LARGE", most)
    monkeypatch.setattr(model_file, "_RATIO", 0)
    monkeypatch.setattr(skops.io, "loads", lambda *_, **__: pytest.fail("it was loaded"))
    with pytest.raises(UserError, match=f"model.skops unpacks to .* at most {most}$"):
        model_file.load(path)


@pytest.mark.fault("outside model")
def test_a_file_that_is_nested_deeper_than_a_reader_goes_is_refused(checkout, monkeypatch):
    path = checkout / "model.skops"
    path.write_bytes(skops.io.dumps([[1]]))

    def deep(*_, **__):
        raise RecursionError("maximum recursion depth exceeded")

    monkeypatch.setattr(skops.io, "loads", deep)
    with pytest.raises(UserError, match=r"model.skops is not a model \(maximum recursion"):
        model_file.load(path)
