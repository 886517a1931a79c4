"""Candidates that misbehave in any way are recorded as failed with the reason; the others' fits are the same bytes."""

import shutil
from pathlib import Path

import pytest

from tasks.fits import controls, executor, failed_candidates, half_model_disagreement, run_schemes
from tasks.params.allowed_imports import use_folder
from tasks.storage import fit_cache

LEARNERS = Path(__file__).parents[2] / "end_to_end/learners/misbehaving.py"
# what the reason must contain
BAD = {
    "Exits": ("worker", "exit code 3"),
    "SystemExits": ("SystemExit", "enough"),
    "Interrupts": ("KeyboardInterrupt",),
    "ExitsInPredict": ("worker", "exit code 4"),
    "Endless": ("2 s", "execution.fit_timeout"),
    "Unpicklable": ("cannot be stored", "lambda"),
    "Unreadable": ("cannot be stored", "EOFError: read me not"),
    "Memory": ("MemoryError",),
    "Gaps": ("not finite",),
    "Speaks": ("ValueError: [/luck]\\x1b[2J\\x07<b>long long",),
    "Mute": ("[/luck]\\x1b: no message",),
}
GOOD = ["ChangesInput", "bayes"]


@pytest.fixture
def in_workers(monkeypatch):
    """The fan-out without Prefect: its threads wait for the real workers."""

    def run_all(execution, what, todo, reused, **_):
        pool = executor.executor(execution)
        submitted = [(work, failed_candidates.submit(pool, work)) for work in todo]
        return [failed_candidates.result(work, future) for work, future in submitted]

    for module in (run_schemes, half_model_disagreement, controls):
        monkeypatch.setattr(module, "run_all", run_all)
    monkeypatch.setattr(failed_candidates, "_reasons", {})


@pytest.mark.long
@pytest.mark.fault("learner")
def test_each_way_to_misbehave_is_a_reason_and_the_others_are_fitted_as_without_it(
    prepared, in_workers, checkout, caplog, monkeypatch
):
    shutil.copy(LEARNERS, checkout)
    use_folder(str(checkout), ["misbehaving"])
    bad = [f"{{name: {name}, estimator: misbehaving.{name}}}" for name in [*BAD, GOOD[0]]]
    bayes = "{name: bayes, estimator: sklearn.naive_bayes.GaussianNB}"
    modules = "execution.allowed_modules=[sklearn, misbehaving]"
    settings = prepared(f"candidates=[{', '.join(bad)}, {bayes}]", modules, "execution.fit_timeout=2")
    try:
        finished, failures = run_schemes.fit_all(settings, ["holdout", "final", "covalidation"])
        _, again = run_schemes.fit_all(settings, ["progressive"])
    finally:
        executor.stop()
    assert {*BAD} == {*failures}
    assert {*BAD} - {"Unpicklable", "Unreadable"} == {*again}  # whose steps nobody stores
    for name, words in BAD.items():
        assert [] == [word for word in words if word not in failures[name]]
        assert failures[name].isprintable()
        assert len(failures[name]) < 1000
    ends = [name for name, words in BAD.items() if words[0] in ("worker", "2 s", "KeyboardInterrupt")]
    assert len(ends) == caplog.text.count("no further task of this candidate is started")
    assert {name: failures[name] for name in ends} == {name: again[name] for name in ends}
    assert GOOD == [*finished["covalidation"]]
    stored = {path.name: path.read_bytes() for path in fit_cache.FOLDER.rglob("*") if path.is_file()}
    shutil.rmtree(fit_cache.FOLDER)
    monkeypatch.setattr(run_schemes, "run_all", in_this_process)
    run_schemes.fit_all(prepared(f"candidates=[{bad[-1]}, {bayes}]", modules), ["holdout", "final", "covalidation"])
    for of in finished["covalidation"].values():
        for key in [name for unit in of.keys for name in (unit, f"{unit}.hypothesis")]:
            (path,) = fit_cache.FOLDER.rglob(key)
            assert stored[key] == path.read_bytes()


def in_this_process(_settings, _what, todo, _reused, **_):
    return [work.function(*work.arguments) for work in todo]
