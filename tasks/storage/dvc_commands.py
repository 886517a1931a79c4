"""DVC after a run that DVC did not start."""

import subprocess
import sys
from pathlib import Path

from tasks.params import Settings, load
from tasks.runtime.errors import UserError

# they decide how the numbers are computed and where they are reported, not the numbers
_NO_PART_OF_RESULTS = {"execution", "tracking"}


def commit(settings: Settings) -> bool:
    """Commit the outputs with DVC if they were made by params.yaml; returns whether they were.

    Outputs of other parameters (--params, --set) stay uncommitted, and `dvc status` reports them.
    """
    if not Path(".dvc").is_dir():
        return False
    shipped = load("params.yaml").model_dump(exclude=_NO_PART_OF_RESULTS)
    if settings.model_dump(exclude=_NO_PART_OF_RESULTS) != shipped:
        return False
    subprocess.run([sys.executable, "-m", "dvc", "commit", "--force", "--quiet"], check=True)
    return True


def add(path: Path) -> None:
    """Track `path`, a file or a folder, with DVC, if DVC is in use. Raises UserError with its message."""
    if not Path(".dvc").is_dir():
        return
    ran = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "dvc", "add", "--quiet", str(path)], capture_output=True, text=True, check=False
    )
    if ran.returncode:
        raise UserError(f"dvc add {path}: {' '.join(ran.stderr.split()) or 'failed'}")
