"""The workers of a Dask cluster as an executor, with a real scheduler and worker, here in threads of this process."""

import dataclasses
import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from dask import config
from distributed import LocalCluster, Security

from heldout.errors import TaskFailed
from tasks.fits import dask_cluster
from tasks.runtime import own_code
from tasks.runtime.errors import UserError

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[3]
# imported where they are installed: versions, processes, progress and encodings, no numbers
NOT_OF_FITS = {"charset-normalizer", "packaging", "psutil", "rich", "setuptools"}


@pytest.fixture
def code(checkout):
    """The code of this checkout in the one of the test."""
    for name in ("heldout", "tasks"):
        (checkout / name).symlink_to(ROOT / name)


@pytest.fixture
def cluster():
    """A function that starts a cluster of one worker and returns its address."""
    made = []

    def start(**options) -> str:
        made.append(LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None, **options))
        return made[-1].scheduler_address

    start.made = made
    yield start
    dask_cluster.disconnect()
    for each in made:
        each.close()


def made_by(cluster):
    """The scheduler that the function started last."""
    return cluster.made[-1].scheduler


def configured(folder: Path, made: Security) -> dict[str, str]:
    """Dask's configuration of a client with the certificates of `made`, in files."""
    values = {"ca-file": made.tls_ca_file, "client.cert": made.tls_client_cert, "client.key": made.tls_client_key}
    folder.mkdir()
    for name, text in values.items():
        (folder / name).write_text(text)
    return {f"distributed.comm.tls.{name}": str(folder / name) for name in values}


@pytest.mark.fault("dask scheduler")
def test_a_task_runs_in_the_checkout_in_a_process_of_its_own_that_must_be_like_this_one(
    code, cluster, checkout, caplog
):
    pool = dask_cluster.connect(cluster(protocol="tcp", host="127.0.0.1"), fit_timeout=7.0)
    assert str(checkout) == pool.submit(os.getcwd).result()
    assert os.getpid() == pool.submit(os.getppid).result()
    process = pool.submit(os.getpid).result()
    assert process == pool.submit(os.getpid).result()
    with pytest.raises(ValueError, match="no number"):
        pool.submit(int, "no number").result()
    with pytest.raises(TaskFailed, match="died twice.*exit code 3"):
        pool.submit(os._exit, 3).result()
    with pytest.raises(TaskFailed, match="7 s of execution.fit_timeout"):
        pool.submit(os._exit, 124).result()  # as a fit does at its limit
    busy = pool.submit(time.sleep, 0.5)
    waits = pool.submit((checkout / "made").touch)
    assert waits.cancel()
    busy.result()
    process = pool.submit(os.getpid).result()
    assert psutil.pid_exists(process)
    assert not (checkout / "made").exists()

    futures = [pool.submit(os.getpid) for _ in range(3)]
    assert [process] * 3 == [future.result() for future in futures]
    for _ in range(100):  # else a worker that dies would cost all that it ever made
        time.sleep(0.05 if made_by(cluster).tasks else 0)
    assert {} == made_by(cluster).tasks

    here = pool._here
    assert {"xgboost-cpu", "joblib", "six"} <= {name for name, _ in here.packages}
    others = [
        ({"proof": "0" * 64}, [str(checkout), "another folder"]),
        *(
            (
                {"packages": tuple(sorted({**dict(here.packages), name: "0.1"}.items()))},
                [f"{name} is {version}", "0.1 here"],
            )
            for name, version in here.packages
            if name in ("xgboost-cpu", "joblib", "six")
        ),
        ({"kernels": ("Z80",)}, ["Z80 here", "OPENBLAS_CORETYPE"]),
    ]
    for change, words in others:
        pool._here = dataclasses.replace(here, **change)
        with pytest.raises(UserError) as refused:
            pool.submit(os.getpid).result()
        assert [] == [word for word in words if word not in str(refused.value)]
        with pytest.raises(UserError, match="worker "):
            pool._check_workers()
    dask_cluster.disconnect()
    assert not psutil.pid_exists(process)


@pytest.mark.fault("dask scheduler")
def test_tls_keeps_out_a_scheduler_that_the_users_authority_did_not_sign(code, cluster, checkout):
    ours, foreign = Security.temporary(), Security.temporary()
    address = cluster(security=foreign, host="127.0.0.2")  # as on another machine: no rule for loopback applies
    with config.set(configured(checkout / "ours", ours)), pytest.raises(UserError) as refused:
        dask_cluster.connect(address)
    assert address in str(refused.value)
    with config.set(configured(checkout / "theirs", foreign)):
        assert str(checkout) == dask_cluster.connect(address).submit(os.getcwd).result()


def test_every_package_of_the_lock_that_a_fit_can_reach_is_compared_and_no_other():
    """The packages whose modules a process has that made fits of all kinds."""
    program = """
import sys
from importlib import metadata
import cloudpickle, joblib, lightgbm, loky, pandas, pyarrow.parquet, xgboost
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier
import heldout
heldout.validate({"a": HistGradientBoostingClassifier(max_iter=2)}, *load_iris(return_X_y=True))
lightgbm.LGBMClassifier(n_estimators=1, verbose=-1).fit([[0.0], [1.0]] * 30, [0, 1] * 30)
xgboost.XGBClassifier(n_estimators=1).fit([[0.0], [1.0]] * 30, [0, 1] * 30)
from tasks.fits.reached_packages import reached
owners = metadata.packages_distributions()
print(*sorted({name.lower().replace("_", "-") for module in {*sys.modules} for name in owners.get(module, ())}))
print(*reached(("sklearn", "lightgbm.sklearn", "yaml")))
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    imported, compared = ({*line.split()} for line in done.stdout.splitlines()[-2:])
    assert {"numpy", "scipy", "joblib", "narwhals", "python-dateutil", "six", "cloudpickle", "pyyaml"} <= compared
    assert not compared & {"mlflow", "prefect", "dvc", "pytest"}
    assert imported - compared <= NOT_OF_FITS


@pytest.mark.fault("dask scheduler")
def test_a_worker_that_does_not_see_the_code_is_refused_before_any_fit(cluster, monkeypatch):
    address = cluster(protocol="tcp", host="127.0.0.1")
    monkeypatch.setattr(own_code, "FOLDER", Path("elsewhere").absolute())
    with pytest.raises(UserError) as refused:
        dask_cluster.connect(address)
    assert "worker tcp://127.0.0.1:" in str(refused.value)
    assert str(Path("elsewhere/tasks").absolute()) in str(refused.value)
