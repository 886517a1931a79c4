"""DVC after a run that DVC did not start."""

import subprocess
import sys
from pathlib import Path

from tasks.params import Settings, load
from tasks.runtime.errors import UserError

# they decide how the numbers are computed and where they are told, not what they are
_NO_PART_OF_RESULTS = {"execution", "tracking"}


def commit(settings: Settings) -> bool:
    """Have DVC take the outputs as those of params.yaml, if they are; whether it did.

    Outputs of other parameters (--params, --set) stay uncommitted, and `dvc status` says so.
    """
    if not Path(".dvc").is_dir():
        return False
    shipped = load("params.yaml").model_dump(exclude=_NO_PART_OF_RESULTS)
    if settings.model_dump(exclude=_NO_PART_OF_RESULTS) != shipped:
        return False
    subprocess.run([sys.executable, "-m", "dvc", "commit", "--force", "--quiet"], check=True)
    return True


def add(path: Path) -> None:
    """Have DVC keep `path`, a file or a folder; nothing without DVC. Raises UserError with what it says."""
    if not Path(".dvc").is_dir():
        return
    ran = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "dvc", "add", "--quiet", str(path)], capture_output=True, text=True, check=False
    )
    if ran.returncode:
        raise UserError(f"dvc add {path}: {' '.join(ran.stderr.split()) or 'failed'}")
