"""A model file is asked in a process of its own: whatever it does there, the asking process goes on and says it."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB

from heldout.errors import FitFailure
from heldout.learners.fitting import test as losses_of
from heldout.losses.choice import choose_loss
from tasks.fits import model_process
from tasks.fits.model_process import opened
from tasks.runtime import memory_limit
from tasks.runtime.errors import UserError
from tasks.storage import model_file
from tests.variants import some

pytestmark = pytest.mark.fault("outside model")

X = pd.DataFrame(np.random.default_rng(0).random((50, 2)), columns=["a", "b"])
Y = (X["a"] > 0.5).to_numpy().astype(int)


@pytest.fixture
def asked(checkout, settings_with):
    """Saves a model, and opens it with a limit of 5 s."""

    def open_(model, *changes):
        path = checkout / "model.skops"
        model_file.save(model, path)
        return opened(path, settings_with("execution.fit_timeout=5", *changes))

    return open_


@pytest.fixture
def strange(checkout):
    shutil.copy(Path(__file__).with_name("strange.py"), checkout)
    sys.path.insert(0, str(checkout))
    sys.modules.pop("strange", None)
    from strange import Strange

    return Strange


LABELS = {
    "numbers": Y,
    "truth": Y == 1,
    "texts": np.array(["low", "hïgh"], dtype=object)[Y],
    "fixed texts": np.array(["low", "high"])[Y],
    "large numbers": Y + 2**60,
}


@pytest.mark.parametrize("kind", some(LABELS, "texts", rare=["truth", "fixed texts", "large numbers"]))
def test_the_answers_are_those_of_the_model(kind, asked):
    y = LABELS[kind]
    model = GaussianNB().fit(X, y)
    with asked(model) as there:
        assert model.predict(X).tolist() == there.predict(X).tolist()
        assert model.predict_proba(X).tobytes() == there.predict_proba(X).tobytes()
        assert model.classes_.tolist() == there.classes_.tolist()
        assert ["a", "b"] == there.feature_names_in_.tolist()
        assert 0 < there.seconds(X) < 5


@pytest.mark.slow
@pytest.mark.long
def test_a_model_without_classes_and_names_has_none(asked):
    model = LinearRegression().fit(X.to_numpy(), Y)
    with asked(model) as there:
        assert model.predict(X.to_numpy()).tobytes() == there.predict(X.to_numpy()).tobytes()
        assert not {"classes_", "feature_names_in_"} & {*vars(there)}
        with pytest.raises(FitFailure, match="predict_proba"):
            there.predict_proba(X)


DEATHS = {
    "segfault": "died: signal 11",
    "abort": "died: signal 6",
    "exit": "died: exit code 3",
    "endless": "longer than the 5 s of execution.fit_timeout, and was ended",
    "lock": "longer than the 5 s of execution.fit_timeout, and was ended",
    "memory": "needs more than the .* GB of memory",
    "pages": "needs more than the .* GB of memory",
}
ANSWERS = {
    "system exit": "SystemExit: 4",
    "recursion": "RecursionError",
    "objects": "type Strange, which is no label",
    "structured": "no array of numbers or labels",
    "large": "answers with more than",
    "short": r"shape \(49,\), not \(50,\)",
    "nan": "prediction number 0 is not finite",
}


@pytest.mark.parametrize("how", some({**DEATHS, **ANSWERS}, "segfault", rare={*DEATHS, *ANSWERS} - {"nan"}))
def test_a_model_that_misbehaves_is_a_failure_with_the_reason(how, asked, strange, monkeypatch):
    monkeypatch.setattr(model_process, "allowed", lambda: 1 << 30)
    if how == "large":
        monkeypatch.setattr(model_process, "_TEXT", 1 << 16)
    with asked(strange(how), "execution.allowed_modules=[sklearn, strange]") as there:
        there.load()
        with pytest.raises(FitFailure, match=(DEATHS | ANSWERS)[how]):
            losses_of(there, X, Y, np.arange(50), choose_loss("zero_one", Y))
        if how in DEATHS:
            with pytest.raises(FitFailure, match=DEATHS[how]):  # and again
                there.predict(X)


@pytest.mark.long
@pytest.mark.parametrize("how", some(DEATHS, rare=["abort", "pages", "memory"]))
def test_a_model_that_misbehaves_when_it_is_loaded_cannot_be_loaded(how, asked, strange, monkeypatch):
    monkeypatch.setattr(model_process, "allowed", lambda: 1 << 30)
    model = strange(f"load {how}")
    with (
        asked(model, "execution.allowed_modules=[sklearn, strange]") as there,
        pytest.raises(UserError, match=f"model.skops cannot be loaded: .*{DEATHS[how]}"),
    ):
        there.load()


@pytest.mark.slow
@pytest.mark.long
def test_what_a_file_s_checks_refuse_is_said(asked):
    forest = RandomForestClassifier(2).fit(X, Y)
    forest.estimators_ = RandomForestClassifier(2).fit(X[["a"]], Y).estimators_
    with asked(forest) as there, pytest.raises(UserError, match="a tree of 1 features in a learner of 2"):
        there.predict(X)


@pytest.mark.slow
@pytest.mark.long
def test_the_processes_that_it_started_end_with_it(asked, strange):
    model = strange("endless children")
    with (
        asked(model, "execution.allowed_modules=[sklearn, strange]") as there,
        pytest.raises(FitFailure, match="5 s"),
    ):
        there.predict(X)
    assert not [one for one in psutil.process_iter(["cmdline"]) if one.info["cmdline"] == ["sleep", "8471"]]


@pytest.mark.slow
@pytest.mark.long
def test_an_interruption_ends_the_question_at_once(asked, strange):
    with asked(strange("endless"), "execution.allowed_modules=[sklearn, strange]") as there:
        there.load()
        # a test run that a shell started in the background ignores Ctrl-C
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
        started = time.monotonic()
        try:
            with pytest.raises(KeyboardInterrupt):
                there.predict(X)
        finally:
            signal.signal(signal.SIGINT, before)
    assert time.monotonic() - started < 30  # where nothing is interrupted, an hour passes


def test_a_reply_is_no_pickle_and_nothing_else_than_an_array():
    for message in (
        b"",
        b"z",
        b"aPK",
        b"o[[1], [[]]]",
        b"o[[9], [1]]",
        b'o{"a": 1}',
        b"a\x80\x04N.",
        b"o[[1], [null]]",
    ):
        with pytest.raises(FitFailure, match="its answer"):
            model_process._decoded(message)


def test_no_other_module_loads_a_model_file():
    """What loads one may be ended by it."""
    code = [*Path(__file__).parents[3].glob("tasks/**/*.py"), *Path(__file__).parents[3].glob("flows/*.py")]
    loading = [path.name for path in code if "model_file.load(" in path.read_text()]
    assert ["model_process.py"] == loading


@pytest.mark.slow
def test_a_limit_of_memory_is_that_of_the_block():
    with memory_limit.limited_memory(1 << 28), pytest.raises(MemoryError):
        np.ones(1 << 28)
    assert len(np.ones(1 << 26)) == 1 << 26


@pytest.mark.slow
@pytest.mark.long
def test_the_process_ends_with_the_one_that_asks(checkout, asked, strange):
    """Killed without a chance to end it."""
    model_file.save(strange("endless"), checkout / "model.skops")
    program = f"""
from pathlib import Path
from tasks.fits.model_process import opened
from tasks.params import load
settings = load({str(Path(__file__).parents[3] / "params.yaml")!r}, ("execution.allowed_modules=[sklearn, strange]",))
if __name__ == "__main__":
    with opened(Path("model.skops"), settings) as model:
        model.load()
        print(model._process.pid, flush=True)
        model.predict([1])
"""
    (checkout / "asking.py").write_text(program)
    path = os.pathsep.join([str(Path(__file__).parents[3]), str(checkout)])
    environment = os.environ | {"PYTHONPATH": path}
    with subprocess.Popen([sys.executable, "asking.py"], stdout=subprocess.PIPE, text=True, env=environment) as asking:
        child = psutil.Process(int(asking.stdout.readline()))
        asking.kill()
    child.wait(15)
