"""A worker process is small: it starts in the time that the science takes."""

import json
import os
import subprocess
import sys

HEAVY = ("prefect", "mlflow", "dvc", "rich", "jinja2", "matplotlib", "distributed")


def test_a_worker_imports_neither_orchestrator_nor_store(shipped):
    program = "import json, sys, tasks.fits.worker; print(json.dumps(sorted(sys.modules)))"
    environment = {**os.environ, "PYTHONPATH": str(shipped.parent)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    loaded = json.loads(done.stdout)
    assert "tasks.fits.worker" in loaded
    assert [] == [name for name in loaded if name.partition(".")[0] in HEAVY]
