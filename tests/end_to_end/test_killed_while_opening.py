"""A run that dies after it scored the test set, and before it wrote what it saw, has opened the test set."""

import json
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tasks.outcome.sealed_rows import UNFINISHED

pytestmark = [pytest.mark.long, pytest.mark.fault("killed while opening")]
LEARNER = Path(__file__).parent / "learners/pausing.py"
OTHER = {"name": "other", "estimator": "sklearn.naive_bayes.GaussianNB", "params": {"var_smoothing": 0.1}}
DOORS = {
    "a validation": ("python", "-m", "flows", "validate"),
    "dvc": ("dvc", "repro"),
    "open-test": ("python", "-m", "flows", "open-test"),
}


@pytest.fixture
def mine(clone, write_params):
    """A function that makes a checkout with a learner that waits, whose test set is opened or sealed."""

    def write(checkout, candidate, *, opened: bool) -> None:
        allowed = {"allowed_modules": ["sklearn", "pausing"]}
        selection = {"open_test": opened}
        write_params(checkout.path / "params.yaml", candidates=[candidate], execution=allowed, selection=selection)

    def make(*, opened: bool):
        checkout = clone()
        (checkout.path / "pausing.py").write_text(LEARNER.read_text())
        write(checkout, {"name": "pausing", "estimator": "pausing.Pausing"}, opened=opened)
        return checkout

    make.write = write
    return make


def kill_once_scored(checkout, *command: str) -> None:
    """All its processes, when the losses of the test set are known."""
    scored, pause = checkout.path / "scored", checkout.path / "pause"
    pause.touch()
    with (checkout.path.parent / "said.txt").open("w") as file:
        process = checkout.start(*command, stdout=file, stderr=file)
        checkout.wait_until(scored.exists, process, seconds=400)
        while left := [process, *checkout.processes()]:
            for one in left:
                with suppress(psutil.Error, ProcessLookupError):
                    one.kill()
            process.wait()
            if not checkout.processes():
                break
    pause.unlink()


def selection(checkout) -> dict:
    return json.loads((checkout.path / "reports/selection.json").read_text())


@pytest.mark.parametrize("door", DOORS)
def test_the_next_look_is_the_same_opening_for_its_winner_and_closed_to_others(mine, door):
    checkout = mine(opened=door != "open-test")
    if door == "open-test":
        checkout.flow("validate")
        assert None is selection(checkout)["E_test"]
    kill_once_scored(checkout, *DOORS[door])
    said = checkout.flow("open-test").stdout
    assert UNFINISHED in said
    assert "a run that wrote no result had opened the test set for pausing" in said
    found = selection(checkout)
    assert (1, 0, None) == tuple(found[key] for key in ("test_openings", "test_others", "test_refused"))
    assert found["E_test"] is not None
    mine.write(checkout, OTHER, opened=True)
    checkout.flow("validate")
    found = selection(checkout)
    assert None is found["E_test"]
    assert "opened for 1 other winner;" in found["test_refused"]


def test_a_later_winner_is_told_that_a_run_without_a_result_opened_the_part(mine):
    checkout = mine(opened=True)
    kill_once_scored(checkout, *DOORS["a validation"])
    mine.write(checkout, OTHER, opened=False)
    checkout.flow("validate")
    assert "opened for 1 other winner (1 of them by a run that wrote no result);" in selection(checkout)["test_refused"]
    refused = checkout.flow("open-test", check=False)
    assert 2 == refused.returncode
    assert "the test set stays closed" in refused.stderr
