"""`dvc repro` and `python -m flows validate` are one thing: same bytes, and DVC is content with either."""

import json
import platform

import numpy as np
import pandas as pd
import pytest

import heldout
from heldout.unlabelled.half_model_controls import DIGITS
from tests.end_to_end.conftest import Checkout
from tests.variants import some

KERNELS = "from tasks.fits.dask_worker import _kernels; print(*_kernels())"
# of older processors, which newer ones know too; the last is without the wide registers that numpy uses itself
PROCESSORS = {
    "Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "Sandybridge": {"OPENBLAS_CORETYPE": "Sandybridge"},
    "Prescott": {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"},
}
UP_TO_DATE = "Data and pipelines are up to date."


@pytest.fixture(params=some(["brief", "reproduced", "validated"], "brief"))
def checkout(request):
    return request.getfixturevalue(request.param)


def changed(checkout) -> list[str]:
    return checkout.git("status", "--porcelain").splitlines()


@pytest.mark.slow
def test_dvc_with_two_workers_and_prefect_with_one_write_the_same_bytes(brief, validated):
    expected = brief.hashes()
    assert {"data/prepared/test.parquet", "data/results/losses.parquet", "reports/plots/estimates.png"} <= {*expected}
    assert {"reports/estimates.csv", "reports/report.html", "models/selected.skops"} <= {*expected}
    assert expected == validated.hashes()


@pytest.mark.slow
def test_dvc_with_two_workers_and_prefect_with_one_lock_the_same(brief, validated):
    assert (brief.path / "dvc.lock").read_text() == (validated.path / "dvc.lock").read_text()


@pytest.mark.long
@pytest.mark.skipif(platform.machine() != "x86_64", reason="these kernels are of x86-64")
@pytest.mark.parametrize("processor", PROCESSORS)
def test_another_processor_writes_the_same_bytes(reproduced, clone, processor):
    other = Checkout(clone().path, PROCESSORS[processor])
    assert processor.replace("Prescott", "Katmai") in other.run("python", "-c", KERNELS).stdout
    other.run("dvc", "repro")
    assert reproduced.hashes() == other.hashes()
    assert (reproduced.path / "dvc.lock").read_text() == (other.path / "dvc.lock").read_text()


@pytest.mark.slow
def test_nothing_is_stored_that_the_last_bits_of_a_processor_change(reproduced):
    # how many answers differ, and the mean and the variance of that over rows, are counts divided by counts
    of_counts = {"disagreement", "mean", "variance"}
    found = set()
    for path in sorted((reproduced.path / "data/results").rglob("*.parquet")):
        numbers = pd.read_parquet(path).select_dtypes("float").drop(columns=[*of_counts], errors="ignore")
        found |= {*numbers.columns}
        assert numbers.equals(numbers.round(DIGITS)), path  # 0/1 losses too
    assert {"loss"} == found
    made = heldout.load(reproduced.path / "data/results/validation")
    kept = [made.controls(name) for name in made if not isinstance(made.controls(name), str)]
    sums = [part[:, 1] for controls in kept for part in (controls.labeled, controls.unlabeled) if part.shape[1] > 1]
    assert sums
    assert all(np.array_equal(one, one.round(DIGITS)) for one in sums)


def test_dvc_is_up_to_date(checkout):
    assert UP_TO_DATE == checkout.run("dvc", "status").stdout.strip()


def test_a_run_changes_no_file_in_git(checkout):
    # the run replaces a lock that was stale before, and DVC stages it
    assert {*changed(checkout)} <= {" M dvc.lock", "M  dvc.lock"}


def test_repro_again_does_nothing(checkout):
    before, lock = changed(checkout), (checkout.path / "dvc.lock").read_text()
    assert UP_TO_DATE in checkout.run("dvc", "repro").stdout
    assert before == changed(checkout)
    assert lock == (checkout.path / "dvc.lock").read_text()


def test_dvc_shows_the_metrics_of_the_selected(brief):
    shown = json.loads(brief.run("dvc", "metrics", "show", "--json").stdout)
    metrics = shown[""]["data"]["reports/metrics.json"]["data"]
    selection = json.loads((brief.path / "reports/selection.json").read_text())
    assert 100 * selection["E_test"] == pytest.approx(metrics["E_test"])
    assert 100 * selection["bound"] == pytest.approx(metrics["bound"])


def test_dvc_tells_which_parameter_differs(clone):
    checkout = clone()
    assert "" == checkout.run("dvc", "params", "diff").stdout.strip()
    params = checkout.path / "params.yaml"
    params.write_text(params.read_text().replace("folds: 10", "folds: 5"))
    shown = json.loads(checkout.run("dvc", "params", "diff", "--json").stdout)
    assert {"params.yaml": {"split.folds": {"old": 10, "new": 5, "diff": -5}}} == shown
