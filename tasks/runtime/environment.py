"""The environment of every entry point, set before Prefect, MLflow or DVC is imported."""

import logging
import os
import sys
from pathlib import Path

from heldout.printable import printable
from tasks.runtime import own_code
from tasks.runtime.errors import UserError
from tasks.runtime.private_files import private_folder
from tasks.runtime.terminal import write_everywhere

CACHE = Path(".cache")
_VERBOSE = "HELDOUT_VERBOSE"
_SHARED = (CACHE, Path("mlruns"))

_SETTINGS = {
    "DO_NOT_TRACK": "1",
    "DVC_NO_ANALYTICS": "1",
    "MIMALLOC_PURGE_DELAY": "0",  # pyarrow gives back what it read: else a process keeps a gigabyte for its next table
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",  # an unreachable store is reported in seconds, not minutes
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "20",
    "MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR": "false",
    "MLFLOW_LOGGING_LEVEL": "ERROR",
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",  # its links contain the password of tracking.uri
    "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",  # nothing here uses its background jobs
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_LOGGING_LEVEL": "ERROR",
    "PREFECT_LOGGING_EXTRA_LOGGERS": "heldout",  # Prefect shows our log lines with each run
    "PREFECT_LOGGING_TO_API_WHEN_MISSING_FLOW": "ignore",
    "PREFECT_CLI_PROMPT": "false",
}


def enter() -> Path:
    """Change to the checkout or project, put the home folders of the tools below it, and return its path.

    It is the nearest folder with dvc.yaml, from the current folder upwards; raises UserError if there is none, or if it
    is a project of another version. All other variables that the user has set keep their values.
    """
    root = checkout()
    if root is None:
        kind, remedy = ("project", ", or make one by `heldout new FOLDER`") if own_code.INSTALLED else ("checkout", "")
        raise UserError(
            f"{Path.cwd()} is not inside a heldout {kind}: no dvc.yaml here or above; change to a {kind}{remedy}"
        )
    own_code.check_version(root)
    os.chdir(root)
    _share_with(Path(os.environ.get("DVC_ROOT", root)))
    private_folder(CACHE)
    if (ours := str(own_code.FOLDER)) not in sys.path:
        sys.path.insert(0, ours)
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    # DVC's own place, /var/tmp/dvc, is open to every user of the machine, and DVC reads pickles there
    os.environ.setdefault("DVC_SITE_CACHE_DIR", str(root / CACHE / "dvc"))
    os.environ["PREFECT_HOME"] = str(root / ".prefect")
    os.environ["MPLCONFIGDIR"] = str(root / CACHE / "matplotlib")
    logging.getLogger("heldout").addFilter(_as_printable)
    write_everywhere()
    return root


def checkout() -> Path | None:
    """The nearest folder with dvc.yaml, from the current folder upwards; None if there is none."""
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if (folder / "dvc.yaml").is_file()), None)


def print_all() -> None:
    """Have every report of this process and of its children print all that it knows."""
    os.environ[_VERBOSE] = "1"


def prints_all() -> bool:
    """Whether reports print all that they know: --verbose, or HELDOUT_VERBOSE=1 in the user's environment."""
    return os.environ.get(_VERBOSE, "") not in {"", "0"}


def _as_printable(record: logging.LogRecord) -> bool:
    """A log line with a user's text is one line, without terminal codes."""
    record.msg, record.args = printable(record.getMessage()), ()
    return True


def copy_suffix() -> str:
    """Ends the names of files below the cache that a temporary copy of the checkout does not share with it."""
    return f"-{Path.cwd().name}" if CACHE.is_symlink() else ""


def _share_with(checkout: Path) -> None:
    """Use the finished fits and the tracking store of `checkout` in a copy that `dvc exp run --temp` or a queue made.

    DVC removes the copy after the experiment. Without the store, the experiment's learners would not be counted in the
    bound, and each experiment would open the test set again.
    """
    if "DVC_STAGE" not in os.environ or checkout.resolve() == Path.cwd():
        return
    for name in _SHARED:
        (checkout / name).mkdir(exist_ok=True)
        if not name.exists():
            name.symlink_to(checkout / name)
